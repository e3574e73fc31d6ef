import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import type { NewMessage } from '../../storage/conversations.ts';
import { derivedId } from '../../support/ids.ts';
import type { History, HistoryMessage } from './history.ts';

/**
 * A turn of a history: what the user said, and all up to what they said next. Where a reply was asked for again, each version is a turn of
 * its own, which repeats the question: it may consist of several messages, such as calls of tools and what they found.
 */
export interface HistoryTurn {
  id: TurnId;
  /** Of turns that begin with the same message, the id of the first one; the others have theirs from the message that sets them apart. */
  base: TurnId;
  messages: NewMessage[];
  /** How many of its messages, the first ones, stand in an earlier one of these turns too. */
  repeated: number;
  /** The turn that it was said after, by its place in the list, which is before its own; null at the beginning. */
  after: number | null;
  /** Is it on the branch that was shown last? */
  isShown: boolean;
}

/** A turn while its messages are collected. */
interface Growing extends Omit<HistoryTurn, 'after' | 'isShown'> {
  after: Growing | null;
  /** Whether each of its messages stands behind one of the user's, or is one. */
  hasUser: boolean[];
  /** UTF-16 code units of its messages up to each of them, with something for the message itself. */
  sizes: number[];
  /** Date of the message that sets it apart, or of the turn that it was said after if that is later. */
  at: number;
}

/**
 * Repeated messages of a conversation are as many UTF-16 code units at most: far more than talks have, and little enough to be held at
 * once. What branches off beyond is kept without what it repeats.
 */
const MOST_REPEATED = 16_000_000;
/** What a message takes beside its text. */
const MESSAGE_SIZE = 200;

/**
 * Divides a conversation into its turns, in the order in which they were made. The ids of turns follow from those of messages: a history that has
 * grown gives the same ones.
 */
export function turnsOf(
  conversation: ConversationId,
  { messages, shown }: Pick<History, 'messages' | 'shown'>,
): HistoryTurn[] {
  const builder = new TurnBuilder(conversation);
  const places = messages.map((message) => builder.add(message));
  const shownTurns = new Set<Growing>();
  for (let turn = shown === null ? null : (places[shown] ?? null); turn; turn = turn.after)
    shownTurns.add(turn);
  // What follows is later, or as late and behind it in the list.
  const turns = builder.turns.sort((one, other) => one.at - other.at);
  const place = new Map(turns.map((turn, index) => [turn, index]));
  return turns.map((turn) => ({
    id: turn.id,
    base: turn.base,
    messages: turn.messages,
    repeated: turn.repeated,
    after: turn.after && (place.get(turn.after) ?? null),
    isShown: shownTurns.has(turn),
  }));
}

/** Messages of which each follows the one before. */
export const inARow = (messages: readonly NewMessage[]): Pick<History, 'messages' | 'shown'> => ({
  messages: messages.map((message, index) => ({ ...message, after: index === 0 ? null : index - 1 })),
  shown: messages.length === 0 ? null : messages.length - 1,
});

class TurnBuilder {
  readonly turns: Growing[] = [];
  readonly #conversation: ConversationId;
  /** Of each message, the turn that holds it first, and its place in it. */
  readonly #placed: { turn: Growing; index: number }[] = [];
  /** The turns that end with a message although something else follows it in the turn that holds it first. */
  readonly #ended = new Map<number, Growing>();
  /** Messages that are the last of their turn for good, since the next turn follows. */
  readonly #closed = new Set<number>();
  #repeated = 0;

  constructor(conversation: ConversationId) {
    this.#conversation = conversation;
  }

  /** @returns the turn that holds the message */
  add(message: HistoryMessage): Growing {
    const { after, ...own } = message;
    const before = after === null ? undefined : this.#placed[after];
    let turn: Growing;
    if (after === null || !before) turn = this.#begin(own, null);
    else if (own.role === 'user' && before.turn.hasUser[before.index])
      turn = this.#begin(own, this.#endAt(after));
    else if (this.#isOpen(after)) turn = before.turn;
    else turn = this.#branchOff(before, own.id, own.createdAt);
    this.#push(turn, own);
    this.#placed.push({ turn, index: turn.messages.length - 1 });
    return turn;
  }

  #begin(first: NewMessage, after: Growing | null): Growing {
    const id = this.#idFrom(first.id);
    const at = Math.max(first.createdAt, after?.at ?? first.createdAt);
    return this.#new({ id, base: id, after, at });
  }

  /** The turn of which a message is the last one. */
  #endAt(index: number): Growing {
    const { turn, index: place } = this.#placed[index] as { turn: Growing; index: number };
    const isLast = place === turn.messages.length - 1;
    if (isLast) this.#closed.add(index);
    if (isLast || !this.#hasRoomFor(turn, place)) return turn;
    const last = turn.messages[place] as NewMessage;
    const ended =
      this.#ended.get(index) ?? this.#branchOff({ turn, index: place }, `${last.id} end`, last.createdAt);
    this.#ended.set(index, ended);
    return ended;
  }

  #isOpen(index: number): boolean {
    const { turn, index: place } = this.#placed[index] as { turn: Growing; index: number };
    return place === turn.messages.length - 1 && !this.#closed.has(index);
  }

  /** A turn beside another one that begins as it does. */
  #branchOff({ turn, index }: { turn: Growing; index: number }, from: string, at: number): Growing {
    const beside = this.#new({
      id: this.#idFrom(from),
      base: turn.base,
      after: turn.after,
      at: Math.max(at, turn.after?.at ?? at),
    });
    if (!this.#hasRoomFor(turn, index)) return beside;
    this.#repeated += turn.sizes[index] ?? 0;
    for (const message of turn.messages.slice(0, index + 1)) this.#push(beside, message);
    beside.repeated = index + 1;
    return beside;
  }

  #hasRoomFor(turn: Growing, index: number): boolean {
    return this.#repeated + (turn.sizes[index] ?? 0) <= MOST_REPEATED;
  }

  #new(turn: Pick<Growing, 'id' | 'base' | 'after' | 'at'>): Growing {
    const growing = { ...turn, messages: [], repeated: 0, hasUser: [], sizes: [] };
    this.turns.push(growing);
    return growing;
  }

  #push(turn: Growing, message: NewMessage): void {
    turn.hasUser.push((turn.hasUser.at(-1) ?? false) || message.role === 'user');
    turn.sizes.push((turn.sizes.at(-1) ?? 0) + message.content.length + MESSAGE_SIZE);
    turn.messages.push(message);
  }

  #idFrom(message: string): TurnId {
    return derivedId('turn', this.#conversation, message) as TurnId;
  }
}
