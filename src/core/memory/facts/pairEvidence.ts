import type { Particularity } from '../../support/text/particulars.ts';
import {
  cancels,
  changes,
  continues,
  endedIn,
  ends,
  isFavourite,
  isPast,
  leaves,
  namesAnother,
  type Phrases,
  revises,
} from './changeWords.ts';
import type { Comparable } from './comparable.ts';
import type { Likeness } from './likeness.ts';
import { placesIn } from './places.ts';
import { isDeniedOnce, isOpposed } from './polarity.ts';
import type { SlotRelation } from './slots.ts';
import type { WordMatch } from './things.ts';
import { endsState } from './transitions.ts';
import type { Words } from './words.ts';

/** What a later statement may be to a fact; null if it tells of something else. */
export type Relation = 'same' | 'refinement' | 'successor' | 'contradiction' | null;

/** What a statement and a fact show of how they relate, by name; each from 0 to 1, and 0 where it is absent. */
export type PairEvidence = ReadonlyMap<string, number>;

/** What was found out about the two before. */
export interface Compared {
  likeness: Likeness;
  slots: SlotRelation;
  ofSamePeople: boolean;
  /** What the rules make of them. */
  byRules: Relation;
}

/** What the wording of either may say of a change. */
const CUES: Readonly<Record<string, Phrases>> = {
  changes,
  revises,
  cancels,
  ends,
  endsThing: (text) => endedIn(text).length > 0,
  leaves,
  continues,
  namesAnother,
  isPast,
  isFavourite,
};

/** From here on, more of them tell no more. */
const MOST_REPEATED = 4;
const MOST_OTHER = 6;
const MOST_PLACES = 3;
const MOST_WORDS = 30;
/** Texts that are about the same have cosines above it as a rule. */
const NEAR = 0.5;

const upTo = (most: number, count: number): number => Math.min(most, count) / most;
const wordsIn = (text: string): number => text.split(' ').length;

/** Reads what two texts show. Pure. */
export class PairReader {
  readonly #particularity: Particularity;
  readonly #match: WordMatch;
  readonly #words: Words;

  constructor(parts: { particularity: Particularity; match: WordMatch; words: Words }) {
    this.#particularity = parts.particularity;
    this.#match = parts.match;
    this.#words = parts.words;
  }

  read(statement: Comparable, fact: Comparable, compared: Compared): PairEvidence {
    const shown = new Map<string, number>();
    const show = (name: string, value: number | boolean) => {
      if (value) shown.set(name, Number(value));
    };
    const { likeness, slots, ofSamePeople, byRules } = compared;
    show(`rules ${byRules ?? 'none'}`, true);
    showLikeness(likeness, show);
    for (const [name, is] of Object.entries(CUES)) {
      show(name, is(statement.content));
      show(`fact ${name}`, is(fact.content));
    }
    show(`slots ${slots}`, slots !== null);
    show('same people', ofSamePeople);
    show('names people', statement.people.size > 0);
    show('fact names people', fact.people.size > 0);
    show('has key', statement.key !== null);
    show('fact has key', fact.key !== null);
    show(`kind ${statement.kind}`, true);
    show(`fact kind ${fact.kind}`, true);
    show('same kind', statement.kind === fact.kind);
    this.#showParticulars(statement, fact, show);
    const cosine = this.#words.cosine(statement.content, fact.content);
    show('cosine', Math.max(0, cosine));
    show('near', Math.max(0, cosine - NEAR) / (1 - NEAR));
    show('ends state', endsState(statement.content, fact.content, likeness.repeated > 0));
    for (const [whose, { content }] of [
      ['', statement],
      ['fact ', fact],
    ] as const) {
      show(`${whose}places`, upTo(MOST_PLACES, placesIn(content).length));
      show(`${whose}length`, upTo(MOST_WORDS, wordsIn(content)));
    }
    return shown;
  }

  #showParticulars(
    statement: Comparable,
    fact: Comparable,
    show: (name: string, value: boolean) => void,
  ): void {
    const [ours, theirs] = [statement.content, fact.content];
    show('opposed', isOpposed(statement, fact, this.#match));
    show('denied once', isDeniedOnce(statement, fact));
    show('adds time', this.#particularity.addsTime(ours, theirs));
    show('lacks time', this.#particularity.addsTime(theirs, ours));
    show('other time', this.#particularity.disagreesInTime(ours, theirs));
    show('shares time', this.#particularity.sharesTime(ours, theirs));
    show('mixes numbers', this.#particularity.mixesNumbers(ours, theirs));
    show('other names', this.#particularity.disagreesInNames(ours, theirs));
    show('disagrees', this.#particularity.disagrees(ours, theirs));
  }
}

function showLikeness(likeness: Likeness, show: (name: string, value: number | boolean) => void): void {
  const { ours, theirs, left, added } = likeness;
  show('share', likeness.share);
  show('share of ours', likeness.shareOfOurs);
  show('repeated', upTo(MOST_REPEATED, likeness.repeated));
  show('repeated beyond', upTo(MOST_REPEATED, likeness.repeatedBeyond));
  show('added', upTo(MOST_OTHER, added.length));
  show('left', upTo(MOST_OTHER, left.length));
  show('beyond', likeness.beyond);
  show('anchored', likeness.anchored);
  show('of other things', likeness.isOfOtherThings);
  show('held anchor', likeness.isHeldAnchor);
  show('of one person', likeness.ofOnePerson);
  show('same subjects', likeness.sameSubjects);
  show('shares thing', likeness.sharesThing);
  show('whole', likeness.isWhole);
  show('held', likeness.isHeld);
  show('differs in names', likeness.differsInNames);
  show(
    'adds name',
    added.some((word) => ours.names.has(word)),
  );
  show(
    'lacks name',
    left.some((word) => theirs.names.has(word)),
  );
}
