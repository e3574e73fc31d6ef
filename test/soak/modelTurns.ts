import type { ConversationId } from '../../src/shared/ids.ts';
import {
  ERASED,
  liftTombstones,
  type ModelConversation,
  type ModelState,
  type ModelTurn,
} from './worldModel.ts';

/**
 * Takes a forgotten turn out of its conversation, into a removed one of its own; a conversation that has no other turn is removed as it
 * is.
 */
export function takeTurn(
  state: ModelState,
  { turn, from, at }: { turn: ModelTurn; from: ModelConversation; at: number },
): void {
  if (from.turns.length === 1) {
    if (from.removedAt === null || at === ERASED) from.removedAt = at;
    return;
  }
  from.turns = from.turns.filter((one) => one !== turn);
  from.forgotten = [...(from.forgotten ?? []), turn];
  state.conversations.push({
    id: '' as ConversationId,
    channel: from.channel,
    title: '',
    titles: [],
    pinned: false,
    archived: false,
    removedAt: at,
    createdAt: at,
    updatedAt: at,
    turns: [turn],
    origin: from.id,
  });
}

/** Brings a removed conversation back; a turn that was forgotten alone is where it came from, if there is such a conversation. */
export function bringBack(state: ModelState, conversation: ModelConversation): void {
  const { origin, turns } = conversation;
  conversation.removedAt = null;
  delete conversation.origin;
  liftTombstones(
    state,
    turns.map(({ id }) => id),
  );
  const from = state.conversations.find(({ id }) => id === origin);
  if (!from) return;
  from.turns.push(...turns);
  from.forgotten = from.forgotten?.filter((one) => !turns.includes(one));
  state.conversations = state.conversations.filter((one) => one !== conversation);
}
