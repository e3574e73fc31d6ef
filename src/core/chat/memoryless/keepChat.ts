import { DEFAULT_CHANNEL } from '../../../shared/channels.ts';
import type { ContextBlockStore } from '../../storage/contextBlocks.ts';
import type { MessageRecord, ReplyEnd } from '../../storage/conversations.ts';
import type { PromptStore } from '../../storage/prompts.ts';
import type { ToolCallRecord, ToolCallStore } from '../../storage/toolCalls.ts';
import { termStream } from '../../support/text/tokenise.ts';
import { NO_REPLY } from '../answer.ts';
import { learn, type OpenTurnPorts } from '../openTurns.ts';
import { renderBlock } from '../prompt/block.ts';
import { resultOf } from '../prompt/toolMessages.ts';
import { questionOf } from '../question.ts';
import type { ReplyKey } from '../replyEnds.ts';
import { writeTerms } from '../terms.ts';
import { titleOf } from '../title.ts';
import type { HeldChat, HeldTurn } from './heldChat.ts';
import type { HeldTurns } from './heldTurns.ts';

export interface KeepPorts extends OpenTurnPorts {
  turns: Pick<HeldTurns, 'read'>;
  blocks: ContextBlockStore;
  prompts: PromptStore;
  toolCalls: ToolCallStore;
  /** A reply to the user was stored. Runs in the transaction that stores it. */
  onReply(reply: ReplyKey, end: ReplyEnd): void;
}

/**
 * Stores a chat without memory as an ordinary conversation, in one transaction: its turns in their order with every version of their
 * replies, what these were given, and what is due after a turn. It is learnt from like every other. There is no trace of how its notes
 * were found.
 */
export function keepChat(ports: KeepPorts, { id, turns }: HeldChat): void {
  const { db, conversations, clock } = ports;
  const title = titleOf(questionOf(turns[0]?.messages ?? []));
  db.transaction(() => {
    conversations.insert({
      id,
      channel: DEFAULT_CHANNEL,
      title,
      titleTerms: termStream(title),
      createdAt: turns[0]?.record.createdAt ?? clock.now(),
    });
    for (const turn of turns) keepTurn(ports, turn);
    conversations.touch(id, clock.now());
  });
}

function keepTurn(ports: KeepPorts, turn: HeldTurn): void {
  const { conversations, attachments } = ports;
  const { id, conversationId, createdAt, source, activeVersion } = turn.record;
  const sent = turn.messages.filter(({ version }) => version === null);
  conversations.insertTurn({
    id,
    conversationId,
    createdAt,
    source,
    bodyTerms: termStream(questionOf(sent)),
    messages: sent.map(({ id: messageId, role, author, content, createdAt: at }) => ({
      id: messageId,
      role,
      author,
      content,
      createdAt: at,
    })),
  });
  attachments.add(
    id,
    turn.files.map(({ ordinal: _ordinal, ...file }) => file),
  );
  for (const reply of turn.messages) if (reply.version !== null) keepReply(ports, turn, reply, reply.version);
  conversations.setActiveVersion(id, activeVersion);
  for (const message of sent) learn(ports, message, { conversationId, turnId: id, channel: DEFAULT_CHANNEL });
  writeTerms(ports, id);
  const shown = turn.messages.find(({ version }) => version === activeVersion);
  if (shown)
    ports.onReply({ turnId: id, version: activeVersion, system: false }, { ...NO_REPLY, state: shown.state });
}

function keepReply(
  ports: KeepPorts,
  { record: { id: turnId, conversationId }, citations, versions }: HeldTurn,
  reply: MessageRecord,
  version: number,
): void {
  const { conversations, blocks, prompts, toolCalls, turns, clock, modelName, language } = ports;
  const now = clock.now();
  const { id, model, createdAt, promptTokens, completionTokens, ...said } = reply;
  conversations.insertReply({
    id,
    turnId,
    version,
    model: model ?? modelName(conversationId),
    language: said.language ?? language(),
    createdAt,
  });
  const given = versions.get(version);
  if (given) {
    const { block, attached, calls } = turns.read(given, now);
    const items = attached?.items ?? [];
    if (given.prompt) prompts.write(given.prompt);
    if (block && block.items.length + items.length > 0) {
      const text = block.items.length > 0 ? renderBlock(block) : '';
      blocks.write(turnId, version, { block: { ...block, text }, attached: items, now });
    }
    toolCalls.begin({ turnId, version }, calls);
    for (const call of calls) keepResult(toolCalls, call, now);
  }
  const { state, content, reasoning, scope, error, promptCut, wantedModel } = said;
  conversations.finishReply(turnId, version, {
    ...NO_REPLY,
    state,
    content,
    reasoning,
    scope,
    error,
    promptCut,
    fallback: model !== null && wantedModel !== null ? { model, wanted: wantedModel } : null,
    usage: { promptTokens, completionTokens },
    citations: citations.filter((one) => one.version === version).map(({ record }) => record),
  });
}

/** A call that was cut stays without a result: the end of its reply marks it. */
function keepResult(toolCalls: ToolCallStore, call: ToolCallRecord, now: number): void {
  if (call.state === 'cut') return;
  const { turnId, version, ordinal, state, outcome, params, items, durationMs } = call;
  const text = resultOf(call);
  toolCalls.end({ turnId, version }, { ordinal, now }, { state, outcome, params, items, durationMs, text });
}
