import type { Fact } from '../../../shared/contract/facts.ts';
import type { FactId, MessageId, TurnId } from '../../../shared/ids.ts';
import { parseTexts } from '../../../shared/json.ts';
import type { Cause } from '../../storage/factLinks.ts';
import type { FactColumns } from '../../storage/factRows.ts';
import type { FactStore, NewFact, Suggested } from '../../storage/facts.ts';
import type { Tie } from '../../storage/people.ts';
import type { Clock } from '../../support/clock.ts';
import { newId } from '../../support/ids.ts';
import { Particularity } from '../../support/text/particulars.ts';
import { foldedWords } from '../../support/text/tokenise.ts';
import { readWorded } from '../extraction/readWorded.ts';
import type { Mention, Statement } from '../extraction/statement.ts';
import type { Comparable, KnownFact } from './comparable.ts';
import { Consolidation, isHeldByOne, type Outcome } from './consolidate.ts';
import { asForgotten } from './forgottenStatement.ts';
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
  ties: Tie[];
}

/** Learns statements: what each changes of what is known is decided by `Consolidation`, and done in one transaction. */
export class Learner {
  readonly #store: FactStore;
  readonly #clock: Clock;
  readonly #whoIs: WhoIs;
  readonly #words: Words;
  readonly #consolidation: Consolidation;

  constructor(store: FactStore, clock: Clock, words: Words) {
    this.#store = store;
    this.#clock = clock;
    this.#whoIs = new WhoIs(store.people);
    this.#words = words;
    this.#consolidation = new Consolidation(new Particularity(words), words);
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
      const outcome = this.#compare(understood.comparable, 'current');
      if (accepts(outcome)) this.#apply(outcome, understood, origin);
      return outcome;
    });
  }

  /**
   * Keeps a statement as pending, unless a fact in use or a pending one says it. It changes nothing that is known, not even of who people
   * are, before it is confirmed.
   */
  suggest(statement: Statement, origin: Origin, suggested: Suggested): Outcome {
    return this.#store.inTransaction(() => {
      const understood = this.#understand(statement);
      for (const state of ['current', 'pending'] as const) {
        const outcome = this.#compare(understood.comparable, state);
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
      const outcome = this.#compare(understood.comparable, 'current');
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

  #compare(comparable: Comparable, state: 'current' | 'pending'): Outcome {
    const terms = this.#words.searchTerms([comparable.content, ...comparable.subjects].join('\n'));
    const roles = [...thingsIn(comparable).roles].filter(isHeldByOne);
    const known = this.#store.candidates({ ...comparable, terms, roles }, this.#clock.now(), state);
    return this.#consolidation.decide(comparable, this.#comparable(known));
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
    return {
      statement,
      states: stated,
      ties: meant.flatMap(({ ties }) => ties),
      comparable: {
        content,
        subjects,
        kind: statement.kind,
        key: stated && `${this.#identity(stated.entity)}.${stated.relation}`,
        value: stated?.value ?? null,
        isAlias: alias !== null,
        people: new Set(people.map((person) => this.#store.people.identity(person))),
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

  #comparable(facts: readonly FactColumns[]): KnownFact[] {
    const people = this.#store.people.ofFacts(facts.map(({ id }) => id as FactId));
    return facts.map(({ id, content, kind, key, value, subjects }) => ({
      id: id as FactId,
      content,
      kind,
      key,
      value,
      subjects: parseTexts(subjects),
      people: people.get(id as FactId) ?? new Set(),
    }));
  }

  #apply(outcome: Outcome, understood: Understood, origin: Origin): void {
    if (outcome.is === 'same') return;
    const at = this.#clock.now();
    const by = { at, turnId: origin.turnId };
    if (outcome.is === 'refinement') {
      this.#refine(outcome.id, understood, by);
      return;
    }
    const id = this.#insert(understood, origin);
    this.#relate(outcome, id, { ties: understood.ties, by });
  }

  /** What a fact that is new, or newly confirmed, does to what was known. */
  #relate(outcome: Outcome, id: FactId, { ties, by }: { ties: readonly Tie[]; by: Cause }): void {
    if (outcome.is === 'successor') this.#store.links.supersede(outcome.id, id, by);
    if (outcome.is === 'contradiction') this.#store.links.contradict(outcome.id, id, by);
    this.#meet(id, ties, by);
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
      pending: suggested?.confidence ?? null,
    });
    return id;
  }

  #refine(id: FactId, { statement, states, ties }: Understood, by: Cause): void {
    const before = this.#store.get(id, by.at);
    if (!before) return;
    const { content, importance, subjects, expiresAt } = statement;
    this.#store.change(
      id,
      {
        content,
        subjects: united(before.subjects, subjects),
        importance: Math.max(before.importance, importance),
        value: states?.value ?? null,
        ...(expiresAt === null ? {} : { expiresAt }),
      },
      by,
    );
    this.#meet(id, ties, by);
  }

  /** Notes who people are; facts about somebody who was known as two are brought together. */
  #meet(id: FactId, ties: readonly Tie[], by: Cause): void {
    const { people, links } = this.#store;
    people.add(id, ties, by.turnId);
    links.settle([id, ...people.rekey([id])], by);
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

/** The subjects of two wordings, each once, as written first. */
function united(before: readonly string[], after: readonly string[]): string[] {
  const byWords = new Map([...after, ...before].map((subject) => [foldedWords(subject), subject]));
  return [...byWords.values()];
}
