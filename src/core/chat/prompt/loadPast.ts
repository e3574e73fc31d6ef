import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import { parseJson } from '../../../shared/json.ts';
import { callsText, joined } from '../../items/turnText.ts';
import type { Span } from '../../search/findings.ts';
import type { AttachmentStore } from '../../storage/attachments.ts';
import type { ContextBlockStore, StoredBlock } from '../../storage/contextBlocks.ts';
import type { PromptStore, ShownTurn } from '../../storage/prompts.ts';
import type { SummaryStore } from '../../storage/summaries.ts';
import type { ToolCallRecord, ToolCallStore } from '../../storage/toolCalls.ts';
import { BETWEEN_MESSAGES } from '../question.ts';
import { attachedMessage } from './attachedBlock.ts';
import type { SectionCounts } from './block.ts';
import type { CoverSummary } from './cover.ts';
import { resultOf, toolRounds } from './toolMessages.ts';
import { PromptTrail } from './trail.ts';
import type { PastMessage, PastTurn } from './window.ts';

/** The turn that is answered: a place at the end of a conversation's active path. */
export interface AskedTurn {
  conversationId: ConversationId;
  /** Its ordinal. */
  number: number;
}

/** What a plan needs to know of a conversation before one of its turns. */
export interface Past {
  turns: PastTurn[];
  previous: PromptTrail | null;
  summaries: CoverSummary[];
  /** The first user message of the conversation; null if the turn is its first. */
  firstMessage: string | null;
}

/** A window never holds more messages, and a turn has one at least. */
export const MOST_TURNS = 20;

/** Reads the turns that the prompt of a turn may hold. A handful of queries, however long the conversation is. */
export function loadPast(
  asked: AskedTurn,
  stores: {
    prompts: PromptStore;
    blocks: ContextBlockStore;
    toolCalls: ToolCallStore;
    summaries: SummaryStore;
    attachments: AttachmentStore;
  },
  now: number,
): Past {
  const previous = loadTrail(asked, stores.prompts);
  const range = {
    conversationId: asked.conversationId,
    from: previous?.state.firstTurn ?? 1,
    before: asked.number,
  };
  const ids = stores.prompts.activeBetween(range, MOST_TURNS);
  const blocks = new Map(stores.blocks.ofTurns(ids, now).map((stored) => [stored.turnId, stored]));
  const calls = Map.groupBy(stores.toolCalls.ofShown(ids, now), ({ turnId }) => turnId);
  const attachments = Map.groupBy(stores.attachments.ofTurns(ids), ({ turnId }) => turnId);
  const countsOf = (id: TurnId): SectionCounts =>
    new Map((attachments.get(id) ?? []).map(({ ordinal, sections }) => [ordinal, sections]));
  const turns = stores.prompts.turns(ids).map((turn) =>
    withAttached(toPastTurn(turn, blocks.get(turn.id), calls.get(turn.id) ?? []), {
      stored: blocks.get(turn.id),
      counts: countsOf(turn.id),
    }),
  );
  return {
    turns,
    previous,
    summaries: stores.summaries.coverOf(asked.conversationId, {
      from: turns[0]?.number ?? asked.number,
      before: asked.number,
      ids: previous?.state.cover?.ids ?? [],
    }),
    firstMessage: stores.prompts.firstMessage(asked.conversationId),
  };
}

/** The trail of the last prompt before a turn; one that cannot be read is as if it had never been. */
function loadTrail({ conversationId, number }: AskedTurn, prompts: PromptStore): PromptTrail | null {
  const json = prompts.trailBefore(conversationId, number);
  if (json === null) return null;
  const parsed = PromptTrail.safeParse(parseJson(json));
  return parsed.success ? parsed.data : null;
}

/**
 * A turn with what was attached to it before its messages, as it was given. What is gone keeps its place, by which it is known how far
 * the messages of the turn were shortened.
 */
export function withAttached(
  turn: PastTurn,
  { stored, counts }: { stored: StoredBlock | undefined; counts: SectionCounts },
): PastTurn {
  if (counts.size === 0) return turn;
  const message = stored
    ? attachedMessage({ ...stored.block, items: stored.attached }, counts)
    : attachedMessage({ marker: '', language: 'en', at: 0, items: [] }, counts);
  return { ...turn, messages: [{ ...message, leftOut: message.content === '' }, ...turn.messages] };
}

/** A turn as plans know it, from its shown messages, its block and the calls of its shown reply. */
export function toPastTurn(
  { id, number, version, messages, madeFrom }: ShownTurn,
  stored: StoredBlock | undefined,
  calls: readonly ToolCallRecord[],
): PastTurn {
  const { itemText, callsAt, sent } = joinMessages(messages, calls);
  const hasReply = messages.some(({ isReply }) => isReply);
  return {
    id,
    number,
    version,
    messages: sent,
    block: stored && stored.block.items.length > 0 ? stored.block : null,
    sentBlock: stored && !stored.isStale ? stored.block.text : null,
    // Of a reply that broke off before its first word, what its calls were given is not known any more.
    madeFrom: calls.length > 0 && !hasReply ? ['notes', 'memory'] : madeFrom,
    itemText,
    callsAt,
    changedResults: calls
      .filter(({ isStale, state }) => isStale && state !== 'running')
      .map((call) => ({ call, text: resultOf(call) })),
  };
}

/**
 * A turn's messages as they are sent (those that the user sent after one another as one, as when they were asked), and its whole
 * text as search finds it, with the places where the one stands in the other.
 */
function joinMessages(
  messages: ShownTurn['messages'],
  calls: readonly ToolCallRecord[],
): { itemText: string; callsAt: Span | null; sent: PastMessage[] } {
  const sent: PastMessage[] = [];
  let itemText = '';
  for (const { role, author, content, isReply } of messages) {
    const prefix = author ? `${author}: ` : '';
    if (itemText !== '') itemText += '\n';
    const itemAt = itemText.length + prefix.length;
    itemText += prefix + content;
    if (isReply && calls.length > 0) {
      sent.push(...replyWithTools(calls, content, itemAt));
      continue;
    }
    const before = sent.at(-1);
    // What a system or a tool said in an imported history is found, but not sent.
    if (role !== 'user' && role !== 'assistant') continue;
    if (before && role === 'user' && before.role === 'user') {
      const at = before.content.length + BETWEEN_MESSAGES.length;
      sent[sent.length - 1] = {
        ...before,
        content: before.content + BETWEEN_MESSAGES + content,
        parts: [...before.parts, { at, itemAt, length: content.length }],
      };
    } else {
      sent.push({ role, content, withheld: false, parts: [{ at: 0, itemAt, length: content.length }] });
    }
  }
  if (calls.length > 0 && !messages.some(({ isReply }) => isReply))
    sent.push(...replyWithTools(calls, '', itemText.length));
  const said = joined([itemText, callsText(calls)]);
  const callsAt =
    calls.length > 0 ? { start: said.length - callsText(calls).length, end: said.length } : null;
  return { itemText: said, callsAt, sent };
}

/** A reply with the tools that were called while it was written, in the order in which the model saw it. */
function replyWithTools(calls: readonly ToolCallRecord[], reply: string, itemAt: number): PastMessage[] {
  const { messages, rest } = toolRounds(calls, reply);
  const said = ({ content, at }: { content: string; at: number }) => ({
    content,
    parts: content === '' ? [] : [{ at: 0, itemAt: itemAt + at, length: content.length }],
    withheld: false,
  });
  const rounds = messages.map((message): PastMessage => {
    if (message.role === 'assistant')
      return { role: 'assistant', ...said(message), toolCalls: message.toolCalls };
    const { role, content, toolCallId, call } = message;
    return { role, content, toolCallId, found: call.items, parts: [], withheld: false };
  });
  return rest.content === '' ? rounds : [...rounds, { role: 'assistant', ...said(rest) }];
}
