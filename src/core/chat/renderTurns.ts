import type { ReplyVersion, Turn, WhyEmpty } from '../../shared/contract/chat.ts';
import type { Facts } from '../memory/facts/facts.ts';
import { PASSAGES } from '../models/passages.ts';
import { courtesyOf } from '../search/query/courtesy.ts';
import { asksOn } from '../search/query/followUp.ts';
import { readQuestion } from '../search/query/question.ts';
import type { AttachmentStore } from '../storage/attachments.ts';
import type { ReplyCitation } from '../storage/conversations/citationRows.ts';
import type { MessageRecord, TurnRecord } from '../storage/conversations.ts';
import type { ItemMarkStore } from '../storage/itemMarks.ts';
import type { ToolCallRecord, ToolCallStore } from '../storage/toolCalls.ts';
import { type CitationPorts, renderCitation } from './citations.ts';
import { NOTHING_SEARCHED } from './prompt/promptPlanner.ts';
import { questionOf } from './question.ts';
import { shownCall } from './toolRunner.ts';

export interface RenderPorts extends CitationPorts {
  attachments: AttachmentStore;
  facts: Facts;
  toolCalls: ToolCallStore;
  itemMarks: ItemMarkStore;
}

/** Turns as they are shown. Their messages, citations and facts are read at once, whatever their number. */
export function renderTurns(turns: readonly TurnRecord[], ports: RenderPorts): Turn[] {
  const ids = turns.map(({ id }) => id);
  const messages = Map.groupBy(ports.conversations.messagesOf(ids), ({ turnId }) => turnId);
  const citations = Map.groupBy(ports.conversations.citationsOf(ids), ({ turnId }) => turnId);
  const learnt = Map.groupBy(ports.facts.ofTurns(ids), ({ turnId }) => turnId);
  const tools = Map.groupBy(ports.toolCalls.ofTurns(ids, ports.clock.now()), ({ turnId }) => turnId);
  const attachments = ports.attachments.shownOf(ids);
  const siblings = ports.conversations.siblings(turns.flatMap(({ fork }) => fork ?? []));
  const marks = Map.groupBy(ports.itemMarks.ofTurns(ids), ({ turnId }) => turnId);
  const toReview = ports.facts.suggestedBy(ids);
  return turns.map((turn) =>
    renderTurn(
      {
        turn,
        messages: messages.get(turn.id) ?? [],
        citations: citations.get(turn.id) ?? [],
        calls: tools.get(turn.id) ?? [],
        siblings: (turn.fork && siblings.get(turn.fork)) ?? [],
        learnt: (learnt.get(turn.id) ?? []).map(({ turnId: _turn, added: _added, ...one }) => one),
        itemMarks: (marks.get(turn.id) ?? []).map(({ itemId, mark }) => ({ itemId, mark })),
        toReview: toReview.get(turn.id) ?? 0,
        attachments: attachments.get(turn.id) ?? [],
      },
      ports,
    ),
  );
}

/** What a turn is shown from. */
export interface TurnParts
  extends Pick<Turn, 'siblings' | 'learnt' | 'itemMarks' | 'toReview' | 'attachments'> {
  turn: TurnRecord;
  messages: readonly MessageRecord[];
  /** Of every reply, as the calls. */
  citations: readonly ReplyCitation[];
  calls: readonly ToolCallRecord[];
}

/** A turn as it is shown. */
export function renderTurn(
  { turn, messages, citations, calls, ...rest }: TurnParts,
  ports: CitationPorts,
): Turn {
  const { id, conversationId, createdAt, activeVersion, isActive, source, folders } = turn;
  const question = questionOf(messages);
  return {
    id,
    conversationId,
    createdAt,
    activeVersion,
    isActive,
    source,
    characters: messages
      .filter(({ version }) => version === null || version === activeVersion)
      .reduce((sum, { content }) => sum + Array.from(content).length, 0),
    folders,
    ...rest,
    messages: messages
      .filter(({ version }) => version === null)
      .map(({ id: messageId, role, author, content, createdAt: at }) => ({
        id: messageId,
        role,
        author,
        content,
        createdAt: at,
      })),
    replies: messages.filter(isReply).map((reply) => {
      const cited = citations.filter(({ version }) => version === reply.version);
      return {
        ...renderReply(reply),
        whyEmpty: cited.length === 0 ? whyEmpty(reply, question) : null,
        tools: calls.filter(({ version }) => version === reply.version).map(shownCall),
        citations: cited.map(({ record }) => renderCitation(record, question, ports)),
      };
    }),
  };
}

type ReplyRecord = MessageRecord & { version: number };

const isReply = (message: MessageRecord): message is ReplyRecord => message.version !== null;

/** Why a reply without citations says nothing; null if it says something. */
function whyEmpty({ state, model, content, scope }: ReplyRecord, question: string): WhyEmpty | null {
  if (state !== 'complete' || (model ?? PASSAGES) !== PASSAGES || content !== '') return null;
  if (readQuestion(question).isSmallTalk && !asksOn(question)) return courtesyOf(question);
  if (scope === null) return 'not-searched';
  return scope.unsearched ? 'partly-searched' : 'nothing-found';
}

function renderReply(reply: ReplyRecord): Omit<ReplyVersion, 'citations' | 'tools' | 'whyEmpty'> {
  return {
    messageId: reply.id,
    version: reply.version,
    state: reply.state,
    model: reply.model ?? PASSAGES,
    language: reply.language ?? 'en',
    content: reply.content,
    reasoning: reply.reasoning,
    promptCut: reply.promptCut,
    wantedModel: reply.wantedModel,
    scope: reply.scope ?? NOTHING_SEARCHED,
    createdAt: reply.createdAt,
    error: reply.error,
    promptTokens: reply.promptTokens,
    completionTokens: reply.completionTokens,
  };
}
