import type { ConversationId } from '../../src/shared/ids.ts';
import {
  besides,
  ERASED,
  endOf,
  liftTombstones,
  type ModelConversation,
  type ModelState,
  type ModelTurn,
  pathOf,
  show,
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
  if (!from) {
    // A summary belongs to the conversation that was erased meanwhile, what the user said of it included.
    if (origin !== undefined) for (const turn of turns) turn.summary = undefined;
    return;
  }
  from.turns.push(...turns);
  from.forgotten = from.forgotten?.filter((one) => !turns.includes(one));
  state.conversations = state.conversations.filter((one) => one !== conversation);
}

const isImported = ({ messages }: ModelTurn): boolean => messages[0]?.id !== undefined;

/** A turn of a history, and where it stands in that. */
interface HistoryTurn extends Pick<ModelTurn, 'id' | 'createdAt' | 'messages'> {
  /** The turn that it was said after; null for a first one. */
  before: ModelTurn | null;
  /** Is it on the branch that its program showed last? */
  isShown: boolean;
  /** Is it the last one of that? */
  isLast: boolean;
}

/** Stores a turn of a history behind what is shown at its place. What the user went on with here goes on with it. */
export function importTurn(
  conversation: ModelConversation,
  { before, isShown, isLast, ...said }: HistoryTurn,
): ModelTurn {
  const goesOn =
    isShown &&
    pathOf(conversation).some(
      (one) =>
        before !== null &&
        one.after?.turn === before &&
        one.after.version === before.active &&
        !isImported(one),
    );
  const here = before && { turn: before, version: before.active };
  const turn: ModelTurn = {
    ...said,
    replies: [],
    active: 1,
    after: goesOn ? endOf(conversation) : here,
    picked: 0,
  };
  const picks = besides(conversation, turn).map(({ picked }) => picked);
  turn.picked = goesOn ? Math.max(-1, ...picks) + 1 : Math.min(1, ...picks) - 1;
  conversation.turns.push(turn);
  if (isLast) showImported(conversation, turn);
  return turn;
}

/** Shows the last turn of a history, unless the user went on differently here. */
export function showImported(conversation: ModelConversation, turn: ModelTurn): void {
  const path = pathOf(conversation);
  if (!path.includes(turn) && path.every(isImported)) show(conversation, turn);
}
