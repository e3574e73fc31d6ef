import type { ForgetGroup, PlannedItem } from '../../../shared/contract/forget.ts';
import type { ConversationId, FactId, TurnId } from '../../../shared/ids.ts';
import type { Aspect } from './naming.ts';

/** Where everything is to be forgotten: a conversation, or a stretch of time (`to` excluded); or what is chosen. */
export type Within =
  | { conversationId: ConversationId }
  | { from: number; to: number }
  | { facts: FactId[]; turns: TurnId[] };

/** What a plan looks for. */
export interface Wanted {
  /** Forms of the topic, as space-joined terms; none if a place or time is meant. */
  names: readonly string[];
  within: Within | null;
  /** People whom the topic means, as `fact_people` calls them. */
  people: readonly string[];
  /** What the topic says of a person; null if it is no such topic. */
  aspect: Aspect | null;
  /** Relevance of what a search found, by id. */
  related: ReadonlyMap<string, number>;
  /** Only what was so and is no longer. */
  past: boolean;
  /** Turns that are in the plan and ticked. */
  turns: readonly TurnId[];
  /** All turns that are in the plan. */
  listed: readonly TurnId[];
}

/** `text` is the whole of it: the plan shows the part that names the topic. */
export type Planned = Omit<PlannedItem, 'alongside' | 'ticked' | 'marks' | 'conversation'>;

/**
 * Does something to items, in the caller's transaction.
 * @param at the moment that names the act
 * @returns how many items it counts as forgotten or brought back
 */
export type Step = (ids: readonly string[], at: number) => number;

/** How items of a kind are forgotten. A new kind is a file of its own, registered in `core/parts/forgetting.ts`. */
export interface Forgettable {
  group: ForgetGroup;
  /** What would go, in the order in which it is shown. */
  plan(wanted: Wanted): Planned[];
  /** Those that taught facts of the plan, `known` left out. */
  teaching?(facts: readonly FactId[], known: readonly Planned[]): Planned[];
  /** A key that items share which must be forgotten in one call. */
  together?(ids: readonly string[]): (id: string) => string;
  /**
   * Takes items out of use and keeps them from coming back, in the caller's transaction. What is gone or forgotten already stays as it is.
   * @returns how many items
   */
  forget(ids: readonly string[], at: number): number;
  /** What was forgotten at a moment and can come back. */
  restorable(at: number): string[];
  /** Brings such items back. Each step is done to all of them before the next: what follows from all of them together comes last. */
  restore: readonly Step[];
  /** As `restore`, of what was deleted or forgotten at whatever time: conversations for turns. What is gone meanwhile is left out. */
  bringBack?: readonly Step[];
  /** When something was last forgotten that can be restored; null if nothing was. */
  latest(): number | null;
}
