import type { Fact, FactKind, FactStatus } from '../../../shared/contract/facts.ts';
import { AppError } from '../../../shared/errors.ts';
import type { ConversationId, FactId, TurnId } from '../../../shared/ids.ts';
import type { Anchor } from '../../storage/factAnchors.ts';
import type { FactChange, FactStore, Suggested } from '../../storage/facts.ts';
import type { LearntRow } from '../../storage/learnt.ts';
import type { Clock } from '../../support/clock.ts';
import { newId } from '../../support/ids.ts';
import { functionWords } from '../../support/text/stopWords.ts';
import { tokenise } from '../../support/text/tokenise.ts';
import { findStatements } from '../extraction/findStatements.ts';
import { ofOneSitting, type Sent } from '../extraction/pretence.ts';
import type { Statement } from '../extraction/statement.ts';
import type { Outcome } from './consolidate.ts';
import { asForgotten } from './forgottenStatement.ts';
import { Learner, type LearnPorts, type Origin, PLAIN_CONFIDENCE } from './learn.ts';

export interface NewManualFact {
  content: string;
  kind: FactKind;
  subjects: string[];
  importance: number;
  ttl: string | null;
  /** The block of a note that says so. */
  anchor?: Anchor | null;
  /** Of a fact that is known elsewhere; a new one by default. */
  id?: FactId;
}

interface ListQuery {
  query?: string;
  /** In any state. */
  all?: boolean;
  /** Only about this subject or person. */
  subject?: string | undefined;
  /** Only in these states. */
  statuses?: FactStatus[] | undefined;
}

/**
 * What tells more of a thing that is known, or what has become of it, is learnt with so much less evidence, as a power of e: few who
 * quote, play or suppose speak of the very things that their memory holds. As much as the caution of the weights, so that what is more
 * likely right than not is enough; of 0, 0.6 and 1, more leaves more that is true at the end of dialogues in cross-validation.
 */
const LESS_IF_KNOWN = 0.8;

const overlap = (one: string, other: string): boolean => {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return a.includes(b) || b.includes(a);
};

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** Milliseconds of "1h", "7d", "2w". */
export function ttlMs(ttl: string): number {
  return Number(ttl.slice(0, -1)) * (UNIT_MS[ttl.slice(-1)] as number);
}

const tellingTerms = (text: string): string[] =>
  tokenise(text).flatMap(({ term, word }) => (functionWords.has(word) ? [] : [term]));

/** Long-term memory about the user and the people and things around them. */
export class Facts {
  readonly #store: FactStore;
  readonly #clock: Clock;
  readonly #learner: Learner;

  constructor(ports: LearnPorts) {
    this.#store = ports.store;
    this.#clock = ports.clock;
    this.#learner = new Learner(ports);
  }

  /** Facts that contain `query` in content or subjects, the newest first; without `all` or `statuses`, only those in use. */
  list({ query = '', all = false, subject, statuses }: ListQuery = {}): Fact[] {
    const found = this.#store.list({
      text: query.trim(),
      all: all || statuses !== undefined,
      now: this.#clock.now(),
      ids: subject === undefined ? null : this.#store.about(subject),
    });
    return statuses ? found.filter(({ status }) => statuses.includes(status)) : found;
  }

  /**
   * A fact with those that it superseded and those that superseded it, oldest first.
   * @throws AppError NOT_FOUND
   */
  history(id: FactId): Fact[] {
    this.#existing(id);
    return this.#store
      .getAll(this.#store.links.chain(id), this.#clock.now())
      .sort((one, other) => one.createdAt - other.createdAt);
  }

  /** Those of `ids` that exist, in any state. */
  getAll(ids: readonly FactId[]): Fact[] {
    return this.#store.getAll(ids, this.#clock.now());
  }

  add({ ttl, id = newId('fact') as FactId, ...fact }: NewManualFact): Fact {
    const now = this.#clock.now();
    this.#store.tombstones.lift([{ kind: 'content', content: fact.content }]);
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
   * Makes pending facts current, all of them or none; one that is not pending stays as it is. What was forgotten may be learnt again.
   * @returns what says each of them afterwards, in the order of `ids`
   * @throws AppError NOT_FOUND if one does not exist
   */
  confirm(ids: readonly FactId[]): Fact[] {
    const confirmed = this.#store.inTransaction(() =>
      ids.map((id) => {
        const fact = this.#existing(id);
        return fact.status === 'pending' ? this.#learner.confirm(fact) : id;
      }),
    );
    return confirmed.map((id) => this.#existing(id));
  }

  /**
   * Takes facts out of use, all of them or none. They can be brought back for the undo period. What a pending one says is not
   * suggested again, unless it is brought back.
   * @throws AppError NOT_FOUND if one does not exist
   */
  remove(ids: readonly FactId[]): Fact[] {
    this.#expectAll(ids);
    const now = this.#clock.now();
    const pending = this.#store.getAll(ids, now).filter(({ status }) => status === 'pending');
    this.#store.inTransaction(() => {
      this.#store.forget(
        pending.map(({ id }) => id),
        now,
      );
      this.#store.setForgottenAt(ids, now);
    });
    return this.#store.getAll(ids, now);
  }

  /**
   * Brings forgotten facts back, all of them or none. Of two that give one thing its value the later one is in use.
   * @throws AppError NOT_FOUND if one does not exist
   */
  restore(ids: readonly FactId[]): Fact[] {
    this.#expectAll(ids);
    this.#store.bringBack(ids, this.#clock.now());
    return this.#store.getAll(ids, this.#clock.now());
  }

  /**
   * Learns what a message states plainly, in the caller's transaction; of what is known already also what it states less plainly.
   * @param earlier the user's messages before it in the conversation, the latest last: what they began to play or to tell goes on
   */
  learnFrom(message: string, origin: Origin, earlier: readonly Sent[] = []): void {
    const now = this.#clock.now();
    const isKnownName = (name: string) => this.#learner.knowsName(name);
    const before = ofOneSitting(earlier, now);
    const known = { isKnownName, before };
    const plain = findStatements(message, now, known);
    for (const statement of plain) this.learn(statement, origin);
    for (const statement of findStatements(message, now, { ...known, lacking: LESS_IF_KNOWN })) {
      if (plain.some(({ content }) => overlap(content, statement.content))) continue;
      if (!this.#mayLearn(statement)) continue;
      this.#learner.learn(statement, origin, ({ is }) => is === 'refinement' || is === 'successor');
    }
  }

  /**
   * Keeps what a message of an imported history states plainly for the user to confirm, in the caller's transaction: it was said long ago,
   * perhaps to try a program out. What held for a while and is over by now is left out.
   * @param earlier as of `learnFrom`
   * @returns how many facts wait for the user's word now that did not before
   */
  suggestFrom({ content, createdAt: at }: Sent, origin: Origin, earlier: readonly Sent[]): number {
    const isKnownName = (name: string) => this.#learner.knowsName(name);
    const before = ofOneSitting(earlier, at);
    const now = this.#clock.now();
    return findStatements(content, at, { isKnownName, before })
      .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
      .filter(
        (statement) =>
          this.suggest({ ...statement, isAsked: false }, origin, {
            confidence: PLAIN_CONFIDENCE,
            anchor: null,
          }).is === 'new',
      ).length;
  }

  /** Learns a statement, or what it changes of what is known: all of it or nothing. */
  learn(statement: Statement, origin: Origin): Outcome {
    return this.#mayLearn(statement) ? this.#learner.learn(statement, origin) : { is: 'forgotten' };
  }

  /**
   * Learns what a model read in what the user said. What the same turn taught stands: rules, or the model itself, have read it already.
   */
  learnRead(statement: Statement, origin: Origin): Outcome {
    if (!this.#mayLearn(statement)) return { is: 'forgotten' };
    const part = this.#isPartOfTaught(statement, origin);
    if (part) return part;
    return this.#learner.learn(statement, origin, (outcome) => {
      if (outcome.is !== 'successor' && outcome.is !== 'contradiction') return true;
      return origin.turnId === null || this.#existing(outcome.id).turnId !== origin.turnId;
    });
  }

  /** Keeps a statement for the user to confirm, unless it is known, suggested already or forgotten. */
  suggest(statement: Statement, origin: Origin, suggested: Suggested): Outcome {
    if (!this.#mayLearn(statement)) return { is: 'forgotten' };
    return this.#isPartOfTaught(statement, origin) ?? this.#learner.suggest(statement, origin, suggested);
  }

  /** Does a fact of the same turn say it, and perhaps more? */
  #isPartOfTaught({ content }: Statement, { turnId }: Origin): Outcome | null {
    const words = tellingTerms(content);
    const taught = turnId === null ? [] : this.ofTurns([turnId]);
    const whole = taught.find((fact) => {
      const terms = new Set(tellingTerms(fact.content));
      return words.every((word) => terms.has(word));
    });
    return whole ? { is: 'same', id: whole.id } : null;
  }

  /** What was forgotten is not learnt again, unless the user asks in so many words that it be remembered. */
  #mayLearn(statement: Statement): boolean {
    const { tombstones } = this.#store;
    const forgotten = asForgotten(statement);
    if (statement.isAsked) tombstones.lift(forgotten);
    return !tombstones.has(...forgotten);
  }

  /** Are facts known of somebody of that name? */
  knowsName(name: string): boolean {
    return this.#learner.knowsName(name);
  }

  /** Is somebody of that name known to be that kin of the user? */
  isKin(name: string, kinship: string): boolean {
    return this.#learner.isKin(name, kinship);
  }

  /** Facts in use that a conversation taught. */
  ofConversation(id: ConversationId): FactId[] {
    return this.#store.ofConversation(id, this.#clock.now());
  }

  /** How many facts each of some turns suggested that wait for the user's word; turns without any left out. */
  suggestedBy(ids: readonly TurnId[]): Map<TurnId, number> {
    return this.#store.suggestedBy(ids, this.#clock.now());
  }

  /** What some turns taught, as they taught it; forgotten facts left out. */
  ofTurns(ids: readonly TurnId[]): LearntRow[] {
    return this.#store.ofTurns(ids, this.#clock.now());
  }

  /** See `FactStore.followTurns`. */
  followTurns(): void {
    this.#store.followTurns(this.#clock.now());
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

  #expectAll(ids: readonly FactId[]): void {
    const known = this.#store.getAll(ids, this.#clock.now());
    if (known.length < new Set(ids).size) throw new AppError('NOT_FOUND', { what: 'fact' });
  }
}
