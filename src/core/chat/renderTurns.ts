import type { ReplyVersion, Turn } from '../../shared/contract/chat.ts';
import type { Facts } from '../memory/facts/facts.ts';
import { PASSAGES } from '../models/passages.ts';
import type { ReplyCitation } from '../storage/conversations/citationRows.ts';
import type { MessageRecord, TurnRecord } from '../storage/conversations.ts';
import type { ToolCallStore } from '../storage/toolCalls.ts';
import { NOTHING_SEARCHED } from './answer.ts';
import { type CitationPorts, renderCitation } from './citations.ts';
import { questionOf } from './question.ts';
import { shownCall } from './toolRunner.ts';

export interface RenderPorts extends CitationPorts {
  facts: Facts;
  toolCalls: ToolCallStore;
}

/** Turns as they are shown. Their messages, citations and facts are read at once, whatever their number. */
export function renderTurns(turns: readonly TurnRecord[], ports: RenderPorts): Turn[] {
  const ids = turns.map(({ id }) => id);
  const messages = Map.groupBy(ports.conversations.messagesOf(ids), ({ turnId }) => turnId);
  const citations = Map.groupBy(ports.conversations.citationsOf(ids), ({ turnId }) => turnId);
  const learnt = Map.groupBy(ports.facts.ofTurns(ids), ({ turnId }) => turnId);
  const tools = Map.groupBy(ports.toolCalls.ofTurns(ids, ports.clock.now()), ({ turnId }) => turnId);
  const siblings = ports.conversations.siblings(turns.flatMap(({ fork }) => fork ?? []));
  const toReview = ports.facts.suggestedBy(ids);
  return turns.map((turn) => {
    const own = messages.get(turn.id) ?? [];
    const question = questionOf(own);
    return {
      id: turn.id,
      conversationId: turn.conversationId,
      createdAt: turn.createdAt,
      activeVersion: turn.activeVersion,
      siblings: (turn.fork && siblings.get(turn.fork)) ?? [],
      isActive: turn.isActive,
      source: turn.source,
      learnt: (learnt.get(turn.id) ?? []).map(({ turnId: _turn, added: _added, ...one }) => one),
      toReview: toReview.get(turn.id) ?? 0,
      messages: own
        .filter(({ version }) => version === null)
        .map(({ id, role, author, content, createdAt }) => ({ id, role, author, content, createdAt })),
      replies: own.filter(isReply).map((reply) => ({
        ...renderReply(reply),
        tools: (tools.get(turn.id) ?? []).filter(({ version }) => version === reply.version).map(shownCall),
        citations: (citations.get(turn.id) ?? [])
          .filter(({ version }) => version === reply.version)
          .map(({ record }: ReplyCitation) => renderCitation(record, question, ports)),
      })),
    };
  });
}

type ReplyRecord = MessageRecord & { version: number };

const isReply = (message: MessageRecord): message is ReplyRecord => message.version !== null;

function renderReply(reply: ReplyRecord): Omit<ReplyVersion, 'citations' | 'tools'> {
  return {
    messageId: reply.id,
    version: reply.version,
    state: reply.state,
    model: reply.model ?? PASSAGES,
    language: reply.language ?? 'en',
    content: reply.content,
    reasoning: reply.reasoning,
    promptCut: reply.promptCut,
    scope: reply.scope ?? NOTHING_SEARCHED,
    createdAt: reply.createdAt,
    error: reply.error,
    promptTokens: reply.promptTokens,
    completionTokens: reply.completionTokens,
  };
}
