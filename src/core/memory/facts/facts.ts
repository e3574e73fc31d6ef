import type { Fact, FactKind } from '../../../shared/contract/facts.ts';
import { AppError } from '../../../shared/errors.ts';
import type { ConversationId, FactId, TurnId } from '../../../shared/ids.ts';
import type { FactChange, FactStore } from '../../storage/facts.ts';
import type { Clock } from '../../support/clock.ts';
import { newId } from '../../support/ids.ts';
import { findPlainFacts } from '../extraction/rules.ts';

export interface NewManualFact {
  content: string;
  kind: FactKind;
  subjects: string[];
  importance: number;
  ttl: string | null;
}

export type Facts = ReturnType<typeof createFacts>;

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** Milliseconds of "1h", "7d", "2w". */
export function ttlMs(ttl: string): number {
  return Number(ttl.slice(0, -1)) * (UNIT_MS[ttl.slice(-1)] as number);
}

/** Long-term memory about the user and the people and things around them. */
export function createFacts(store: FactStore, clock: Clock) {
  const existing = (id: FactId): Fact => {
    const fact = store.get(id, clock.now());
    if (!fact) throw new AppError('NOT_FOUND', { what: 'fact' });
    return fact;
  };

  /**
   * Changes all of them, or none.
   * @throws AppError NOT_FOUND if one does not exist
   */
  const setForgottenAt = (ids: readonly FactId[], at: number | null): Fact[] => {
    const known = store.getAll(ids, clock.now());
    if (known.length < new Set(ids).size) throw new AppError('NOT_FOUND', { what: 'fact' });
    store.setForgottenAt(ids, at);
    return store.getAll(ids, clock.now());
  };

  return {
    list: (text: string, all: boolean): Fact[] => store.list({ text: text.trim(), all, now: clock.now() }),
    add: (fact: NewManualFact): Fact => {
      const { ttl, ...rest } = fact;
      const now = clock.now();
      const id = newId('fact') as FactId;
      store.insert({
        ...rest,
        id,
        key: null,
        source: 'manual',
        channel: null,
        turnId: null,
        createdAt: now,
        expiresAt: ttl === null ? null : now + ttlMs(ttl),
      });
      return existing(id);
    },
    edit: (id: FactId, change: FactChange): Fact => {
      existing(id);
      store.change(id, change, clock.now());
      return existing(id);
    },
    remove: (ids: readonly FactId[]): Fact[] => setForgottenAt(ids, clock.now()),
    restore: (ids: readonly FactId[]): Fact[] => setForgottenAt(ids, null),

    /**
     * Learns what a message states plainly, in the caller's transaction. A known fact with the same key takes the new wording; a
     * fact with exactly the same content is not learnt again.
     */
    learnFrom: (message: string, origin: { turnId: TurnId; channel: string }): void => {
      const now = clock.now();
      for (const plain of findPlainFacts(message)) {
        const known = plain.key === null ? undefined : store.currentByKey(plain.key, now);
        if (known) {
          const { content, subjects, importance } = plain;
          if (known.content !== content) store.change(known.id, { content, subjects, importance }, now);
          continue;
        }
        const same = store
          .list({ text: plain.content, all: false, now })
          .some((fact) => fact.content === plain.content);
        if (same) continue;
        store.insert({
          ...plain,
          id: newId('fact') as FactId,
          source: 'chat',
          channel: origin.channel,
          turnId: origin.turnId,
          expiresAt: null,
          createdAt: now,
        });
      }
    },
    /** Facts in use that a conversation taught. */
    ofConversation: (id: ConversationId): FactId[] => store.ofConversation(id, clock.now()),
    /** Facts that some turns taught, forgotten ones left out. */
    ofTurns: (ids: readonly TurnId[]): Fact[] => store.ofTurns(ids, clock.now()),
  };
}
