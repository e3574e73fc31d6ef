import type { Fact, FactKind } from '../../../shared/contract/facts.ts';
import { AppError } from '../../../shared/errors.ts';
import type { ConversationId, FactId, MessageId, TurnId } from '../../../shared/ids.ts';
import type { FactChange, FactStore } from '../../storage/facts.ts';
import type { LearntRow } from '../../storage/learnt.ts';
import type { Clock } from '../../support/clock.ts';
import { newId } from '../../support/ids.ts';
import { findStatements } from '../extraction/findStatements.ts';
import { entityOf } from './entity.ts';

export interface NewManualFact {
  content: string;
  kind: FactKind;
  subjects: string[];
  importance: number;
  ttl: string | null;
}

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** Milliseconds of "1h", "7d", "2w". */
export function ttlMs(ttl: string): number {
  return Number(ttl.slice(0, -1)) * (UNIT_MS[ttl.slice(-1)] as number);
}

/** Long-term memory about the user and the people and things around them. */
export class Facts {
  readonly #store: FactStore;
  readonly #clock: Clock;

  constructor(store: FactStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Facts that contain `text` in content or subjects, the newest first; without `all`, only those in use. */
  list(text: string, all: boolean): Fact[] {
    return this.#store.list({ text: text.trim(), all, now: this.#clock.now() });
  }

  add({ ttl, ...fact }: NewManualFact): Fact {
    const now = this.#clock.now();
    const id = newId('fact') as FactId;
    this.#store.insert({
      ...fact,
      id,
      source: 'manual',
      channel: null,
      turnId: null,
      createdAt: now,
      expiresAt: ttl === null ? null : now + ttlMs(ttl),
    });
    return this.#existing(id);
  }

  /** @throws AppError NOT_FOUND */
  edit(id: FactId, change: FactChange): Fact {
    this.#existing(id);
    this.#store.change(id, change, { at: this.#clock.now() });
    return this.#existing(id);
  }

  /**
   * Takes facts out of use, all of them or none. They can be brought back for the undo period.
   * @throws AppError NOT_FOUND if one does not exist
   */
  remove(ids: readonly FactId[]): Fact[] {
    return this.#setForgottenAt(ids, this.#clock.now());
  }

  /**
   * Brings forgotten facts back, all of them or none.
   * @throws AppError NOT_FOUND if one does not exist
   */
  restore(ids: readonly FactId[]): Fact[] {
    return this.#setForgottenAt(ids, null);
  }

  /**
   * Learns what a message states plainly, in the caller's transaction. A known fact with the same key takes the new wording; a
   * fact with exactly the same content is not learnt again.
   */
  learnFrom(message: string, origin: { turnId: TurnId; messageId: MessageId; channel: string }): void {
    const now = this.#clock.now();
    for (const { content, kind, importance, subjects, expiresAt, ...found } of findStatements(message, now)) {
      const entity = found.states && entityOf(found.states.of);
      const states = found.states && entity ? { ...found.states, entity } : null;
      const known = states && this.#store.currentByKey(`${states.entity}.${states.relation}`, now);
      if (known) {
        if (known.content !== content) {
          const { turnId } = origin;
          this.#store.change(known.id, { content, subjects, importance }, { at: now, turnId });
        }
        continue;
      }
      if (this.#store.isKnown(content, now)) continue;
      this.#store.insert({
        content,
        kind,
        subjects,
        importance,
        expiresAt,
        ...origin,
        states: states && { entity: states.entity, relation: states.relation, value: states.value },
        id: newId('fact') as FactId,
        source: 'chat',
        createdAt: now,
      });
    }
  }

  /** Facts in use that a conversation taught. */
  ofConversation(id: ConversationId): FactId[] {
    return this.#store.ofConversation(id, this.#clock.now());
  }

  /** What some turns taught, as they taught it; forgotten facts left out. */
  ofTurns(ids: readonly TurnId[]): LearntRow[] {
    return this.#store.ofTurns(ids, this.#clock.now());
  }

  /**
   * Takes back what a turn taught of a fact.
   * @throws AppError NOT_FOUND, FACT_CHANGED if the fact no longer says what the turn taught
   */
  undoLearnt(id: FactId, turnId: TurnId): Fact {
    this.#existing(id);
    if (!this.#store.undoLearnt(id, turnId, this.#clock.now())) throw new AppError('FACT_CHANGED');
    return this.#existing(id);
  }

  #existing(id: FactId): Fact {
    const fact = this.#store.get(id, this.#clock.now());
    if (!fact) throw new AppError('NOT_FOUND', { what: 'fact' });
    return fact;
  }

  #setForgottenAt(ids: readonly FactId[], at: number | null): Fact[] {
    const known = this.#store.getAll(ids, this.#clock.now());
    if (known.length < new Set(ids).size) throw new AppError('NOT_FOUND', { what: 'fact' });
    this.#store.setForgottenAt(ids, at);
    return this.#store.getAll(ids, this.#clock.now());
  }
}
