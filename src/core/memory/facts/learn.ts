import type { Fact } from '../../../shared/contract/facts.ts';
import type { FactId, MessageId, TurnId } from '../../../shared/ids.ts';
import type { Cause } from '../../storage/factLinks.ts';
import type { FactStore, NewFact, Suggested } from '../../storage/facts.ts';
import type { Tie } from '../../storage/people.ts';
import type { Clock } from '../../support/clock.ts';
import { newId } from '../../support/ids.ts';
import { readWorded } from '../extraction/readWorded.ts';
import type { Mention, Statement } from '../extraction/statement.ts';
import { type Comparable, comparableFacts, type KnownFact } from './comparable.ts';
import { type Consolidation, isHeldByOne, type Outcome } from './consolidate.ts';
import { asForgotten } from './forgottenStatement.ts';
import { meet, refineFact } from './refineFact.ts';
import { thingsIn } from './things.ts';
import { WhoIs } from './whois.ts';
import type { Words } from './words.ts';

/** Where a statement was made. */
export interface Origin {
  turnId: TurnId | null;
  messageId: MessageId | null;
  channel: string;
}

/** A statement, with whom it means. */
interface Understood {
  statement: Statement;
  states: NewFact['states'];
  comparable: Comparable;
  /** By what facts are found that may be about the same. */
  sought: Sought;
  ties: Tie[];
}

type Sought = Parameters<FactStore['candidates']>[0];

export interface LearnPorts {
  store: FactStore;
  clock: Clock;
  words: Words;
  consolidation: Consolidation;
  /** A fact was added, or has a fuller wording; in the same transaction. */
  onLearnt(id: FactId): void;
}

/**
 * How sure a statement is that a rule found plainly: of what the rules learn from dialogues that they were not fitted to, that share
 * is right (`npm run eval -- facts`). What the user asks to be remembered is sure.
 */
export const PLAIN_CONFIDENCE = 0.97;

/** Learns statements: what each changes of what is known is decided by `Consolidation`, and done in one transaction. */
export class Learner {
  readonly #store: FactStore;
  readonly #clock: Clock;
  readonly #whoIs: WhoIs;
  readonly #words: Words;
  readonly #consolidation: Consolidation;
  readonly #onLearnt: (id: FactId) => void;

  constructor({ store, clock, words, consolidation, onLearnt }: LearnPorts) {
    this.#store = store;
    this.#clock = clock;
    this.#whoIs = new WhoIs(store.people);
    this.#words = words;
    this.#consolidation = consolidation;
    this.#onLearnt = onLearnt;
  }

  /** Is it the name of somebody of whom facts are known? */
  knowsName(name: string): boolean {
    return this.#whoIs.isKnown(name);
  }

  isKin(name: string, kinship: string): boolean {
    return this.#whoIs.isKin(name, kinship);
  }

  /** @param accepts tells whether the outcome may be applied; otherwise nothing is learnt */
  learn(statement: Statement, origin: Origin, accepts: (outcome: Outcome) => boolean = () => true): Outcome {
    return this.#store.inTransaction(() => {
      const understood = this.#understand(statement);
      const outcome = this.#compare(understood, 'current');
      if (accepts(outcome)) {
        const id = this.#apply(outcome, understood, origin);
        this.#settlePending(understood, id, { at: this.#clock.now(), turnId: origin.turnId });
      }
      return outcome;
    });
  }

  /** What waited for the user's word is settled by a statement that says as much, or more. */
  #settlePending({ comparable, sought }: Understood, id: FactId, by: Cause): void {
    for (const pending of this.#candidates(sought, 'pending')) {
      const { is } = this.#consolidation.decide(comparable, [pending]);
      const isWhole =
        is === 'same' && this.#consolidation.decide(pending, [{ ...comparable, id }]).is === 'same';
      if (is === 'refinement' || isWhole) this.#store.links.settlePending(pending.id, id, by);
    }
  }

  /**
   * Keeps a statement as pending, unless a fact in use or a pending one says it. It changes nothing that is known, not even of who people
   * are, before it is confirmed.
   */
  suggest(statement: Statement, origin: Origin, suggested: Suggested): Outcome {
    return this.#store.inTransaction(() => {
      const understood = this.#understand(statement);
      for (const state of ['current', 'pending'] as const) {
        const outcome = this.#compare(understood, state);
        if (outcome.is === 'same') return outcome;
      }
      this.#insert(understood, origin, suggested);
      return { is: 'new' };
    });
  }

  /** Makes a pending fact current. @returns the fact that says it afterwards */
  confirm(fact: Fact): FactId {
    return this.#store.inTransaction(() => {
      const by = { at: this.#clock.now(), turnId: null };
      const understood = this.#understand(readWorded(fact, fact.createdAt));
      this.#store.tombstones.lift(asForgotten(understood.statement));
      const outcome = this.#compare(understood, 'current');
      if (outcome.is === 'same' || outcome.is === 'refinement') {
        const anchor = this.#store.anchors.get(fact.id);
        if (outcome.is === 'refinement') this.#refine(outcome.id, understood, by);
        if (outcome.is === 'refinement' && anchor) this.#store.anchors.set(outcome.id, anchor);
        this.#store.dropPending(fact.id);
        return outcome.id;
      }
      this.#store.accept(fact.id, understood.states, by.at);
      this.#relate(outcome, fact.id, { ties: understood.ties, by });
      return fact.id;
    });
  }

  #compare({ comparable, sought }: Understood, state: 'current' | 'pending'): Outcome {
    return this.#consolidation.decide(comparable, this.#candidates(sought, state));
  }

  #candidates(sought: Sought, state: 'current' | 'pending'): KnownFact[] {
    const known = this.#store.candidates(sought, this.#clock.now(), state);
    return comparableFacts(this.#store.people, known);
  }

  #understand(statement: Statement): Understood {
    const { states, alias, content, subjects } = statement;
    const meant = mentionsOf(statement).flatMap((mention) => this.#whoIs.find(mention) ?? []);
    const named = alias && this.#whoIs.findAlias(alias);
    if (named) meant.push(named);
    // What holds for a while does not end what holds for good.
    const stated = states && statement.expiresAt === null ? this.#stated(states) : null;
    // Who was known by what they are to somebody is who they now turn out to be.
    const people = meant.flatMap(({ person, ties }) => [
      ...(person === null ? [] : [person]),
      ...ties.flatMap((one) => (one.tie === 'same' ? [one.person] : [])),
    ]);
    const comparable: Comparable = {
      content,
      subjects,
      kind: statement.kind,
      key: stated && `${this.#identity(stated.entity)}.${stated.relation}`,
      value: stated?.value ?? null,
      isAlias: alias !== null,
      people: new Set(people.map((person) => this.#store.people.identity(person))),
    };
    return {
      statement,
      states: stated,
      ties: meant.flatMap(({ ties }) => ties),
      comparable,
      sought: {
        content,
        key: comparable.key,
        terms: this.#words.searchTerms([content, ...subjects].join('\n')),
        roles: [...thingsIn(comparable).roles].filter(isHeldByOne),
      },
    };
  }

  #stated({ of, relation, value }: NonNullable<Statement['states']>): NonNullable<NewFact['states']> | null {
    if (of.entity === 'user') return { entity: 'user', relation, value };
    const person = this.#whoIs.find(named(of, relation, value))?.person ?? null;
    return person === null ? null : { entity: `person:${person}`, relation, value };
  }

  #identity(entity: string): string {
    const [, person] = entity.split(':');
    return person === undefined ? entity : `person:${this.#store.people.identity(person)}`;
  }

  /** @returns the fact that says it afterwards */
  #apply(outcome: Outcome, understood: Understood, origin: Origin): FactId {
    if (outcome.is === 'same') {
      if (origin.turnId !== null) this.#store.addSaying(outcome.id, origin.turnId);
      return outcome.id;
    }
    const at = this.#clock.now();
    const by = { at, turnId: origin.turnId };
    if (outcome.is === 'refinement' && !this.#wouldLoseKey(outcome.id, understood)) {
      this.#refine(outcome.id, understood, by);
      return outcome.id;
    }
    const id = this.#insert(understood, origin);
    this.#relate(outcome, id, { ties: understood.ties, by });
    return id;
  }

  /** A fact that gives no relation its value cannot say what does. */
  #wouldLoseKey(id: FactId, { comparable }: Understood): boolean {
    return comparable.key !== null && this.#store.get(id, this.#clock.now())?.key === null;
  }

  #refine(id: FactId, { statement, states, ties }: Understood, by: Cause): void {
    refineFact(this.#store, id, { wording: { ...statement, value: states?.value ?? null }, ties, by });
    this.#onLearnt(id);
  }

  /** What a fact that is new, or newly confirmed, does to what was known. */
  #relate(outcome: Outcome, id: FactId, { ties, by }: { ties: readonly Tie[]; by: Cause }): void {
    if (outcome.is === 'successor' || outcome.is === 'refinement')
      this.#store.links.supersede(outcome.id, id, by);
    if (outcome.is === 'contradiction') this.#store.links.contradict(outcome.id, id, by);
    meet(this.#store, id, { ties, by });
    this.#onLearnt(id);
  }

  #insert({ statement, states }: Understood, origin: Origin, suggested: Suggested | null = null): FactId {
    const { content, kind, importance, subjects, expiresAt } = statement;
    const id = newId('fact') as FactId;
    const createdAt = this.#clock.now();
    const wording = { content, kind, importance, subjects, expiresAt };
    const anchor = suggested?.anchor ?? null;
    this.#store.insert({
      ...wording,
      ...origin,
      id,
      states: states ?? null,
      source: anchor ? 'note' : 'chat',
      createdAt,
      anchor,
      confidence: statement.isAsked ? 1 : PLAIN_CONFIDENCE,
      pending: suggested?.confidence ?? null,
    });
    return id;
  }
}

/** Everyone a statement is about: a name that it gives somebody belongs to whom it is given. */
function mentionsOf({ mentions: all, states, alias }: Statement): Mention[] {
  // Another name of somebody is nobody else.
  const mentions = all.filter((one) => !alias || one.entity === 'user' || one.name !== alias.name);
  if (!states) return mentions;
  const { of, relation, value } = states;
  const isOf = (mention: Mention) => JSON.stringify(mention) === JSON.stringify(of);
  return [...mentions.filter((mention) => !isOf(mention)), named(of, relation, value)];
}

const named = (of: Mention, relation: string, value: string): Mention =>
  of.entity === 'person' && of.name === null && relation === 'name' ? { ...of, name: value } : of;
