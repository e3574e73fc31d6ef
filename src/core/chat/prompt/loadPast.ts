import type { ConversationId } from '../../../shared/ids.ts';
import { parseJson } from '../../../shared/json.ts';
import type { ContextBlockStore, StoredBlock } from '../../storage/contextBlocks.ts';
import type { PromptStore, ShownTurn } from '../../storage/prompts.ts';
import { BETWEEN_MESSAGES } from '../question.ts';
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
  /** The first user message of the conversation; null if the turn is its first. */
  firstMessage: string | null;
}

/** A window never holds more messages, and a turn has one at least. */
const MOST_TURNS = 20;

/** Reads the turns that the prompt of a turn may hold. A handful of queries, however long the conversation is. */
export function loadPast(
  asked: AskedTurn,
  stores: { prompts: PromptStore; blocks: ContextBlockStore },
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
  return {
    turns: stores.prompts.turns(ids).map((turn) => toPastTurn(turn, blocks.get(turn.id))),
    previous,
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

function toPastTurn(
  { id, number, version, messages, madeFrom }: ShownTurn,
  stored: StoredBlock | undefined,
): PastTurn {
  const { itemText, sent } = joinMessages(messages);
  return {
    id,
    number,
    version,
    messages: sent,
    block: stored && stored.block.items.length > 0 ? stored.block : null,
    sentBlock: stored && !stored.isStale ? stored.block.text : null,
    madeFrom,
    itemText,
  };
}

/**
 * A turn's messages as they are sent (those that the user sent after one another as one, as when they were asked), and its whole
 * text as search finds it, with the places where the one stands in the other.
 */
function joinMessages(messages: ShownTurn['messages']): { itemText: string; sent: PastMessage[] } {
  const sent: PastMessage[] = [];
  let itemText = '';
  for (const { role, author, content } of messages) {
    const prefix = author ? `${author}: ` : '';
    if (itemText !== '') itemText += '\n';
    const itemAt = itemText.length + prefix.length;
    itemText += prefix + content;
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
  return { itemText, sent };
}
