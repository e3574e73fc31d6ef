import type { FactKind } from '../../../shared/contract/facts.ts';
import type { FactId } from '../../../shared/ids.ts';
import type { Particularity } from '../../support/text/particulars.ts';
import { foldedWords } from '../../support/text/tokenise.ts';
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
  namesNotMeant,
  revises,
  withoutReplaced,
  wordSet,
} from './changeWords.ts';
import type { Comparable, KnownFact } from './comparable.ts';
import { compare, type Likeness, MORE_WORDS, MOST } from './likeness.ts';
import { NamedPeople, naming, sharedName, spokenOf } from './namedPeople.ts';
import { PairReader, type Relation } from './pairEvidence.ts';
import { likeliest, type WeighPair, weighPair } from './pairWeights.ts';
import { placesIn } from './places.ts';
import { isDeniedOnce, isOpposed } from './polarity.ts';
import { Slots } from './slots.ts';
import { areIn, introduces, isOtherSide, resumes, subjectWords, thingsIn, WordMatch } from './things.ts';
import { endsState } from './transitions.ts';
import { ValueRelation } from './valueRelation.ts';
import type { Words } from './words.ts';

/** What a statement is to what is known. */
export type Outcome =
  /** Nothing known is about the same. */
  | { is: 'new' }
  /** A fact says it already. */
  | { is: 'same'; id: FactId }
  /** It says what a fact says, and a particular more. */
  | { is: 'refinement'; id: FactId }
  /** A fact is no longer true. */
  | { is: 'successor'; id: FactId }
  /** A fact says otherwise, and only the user can tell which is true. */
  | { is: 'contradiction'; id: FactId }
  /** The user had it forgotten: it is not learnt again. */
  | { is: 'forgotten' };

/** Which of several relations counts: a fact that says the same makes the others irrelevant. */
const ORDER: readonly Relation[] = ['same', 'refinement', 'successor', 'contradiction'];

/** What is to happen once: another date for the same thing means that it was moved. */
const PLANS: ReadonlySet<FactKind> = new Set(['event', 'decision', 'goal', 'task']);

/** Roles in which somebody has one person at a time. */
const HELD_BY_ONE = wordSet(
  `boss doctor dentist therapist physiotherapist gynaecologist cardiologist ophthalmologist vet landlord accountant banker hairdresser
   mechanic coach mentor childminder thesis-director midwife`,
);
export const isHeldByOne = (role: string): boolean => HELD_BY_ONE.has(role);
/** Share that shows that two are about the same where other signs do. */
const HALF = 0.5;

/** Decides what a statement is to the facts that are known. Pure: no time, no store. */
export class Consolidation {
  readonly #particularity: Particularity;
  readonly #match: WordMatch;
  readonly #values: ValueRelation;
  readonly #slots: Slots;
  readonly #people: NamedPeople;
  readonly #pairs: PairReader;
  readonly #weigh: WeighPair;

  /** @param weigh the built-in weights by default */
  constructor(particularity: Particularity, words: Words, weigh: WeighPair = weighPair) {
    this.#particularity = particularity;
    this.#weigh = weigh;
    this.#match = new WordMatch(words);
    this.#pairs = new PairReader({ particularity, match: this.#match, words });
    this.#values = new ValueRelation(particularity, this.#match);
    this.#slots = new Slots(particularity, this.#match);
    this.#people = new NamedPeople(this.#match, this.#slots);
  }

  /**
   * @param known facts in use that may be about the same: those of the same key, and those that share words. The order tells which
   *   counts if several do.
   */
  decide(statement: Comparable, known: readonly KnownFact[]): Outcome {
    const sameKey = known.filter(({ key }) => key !== null && key === statement.key);
    const related = (sameKey.length > 0 ? sameKey : known).map((fact) => ({
      id: fact.id,
      is: this.#relate(statement, fact),
    }));
    for (const is of ORDER) {
      const found = related.find((one) => one.is === is);
      if (is !== null && found) return { is, id: found.id };
    }
    return { is: 'new' };
  }

  /** May two that read alike say the same: do they speak of the same people and things, and disagree in nothing? */
  maySaySame(one: Comparable, other: Comparable): boolean {
    if (one.key !== other.key && one.key !== null && other.key !== null) return false;
    if (!this.#people.areSame(one, other) || isOtherSide(thingsIn(one), thingsIn(other))) return false;
    return !isOpposed(one, other, this.#match) && !this.#particularity.disagrees(one.content, other.content);
  }

  #relate(statement: Comparable, fact: Comparable): Relation {
    if (foldedWords(statement.content) === foldedWords(fact.content)) {
      if (statement.key === fact.key || statement.key === null) return 'same';
    }
    // It teaches a name, whatever else is known of whom it belongs to.
    if (statement.isAlias) return null;
    if (statement.key !== null && statement.key === fact.key) return this.#values.relate(statement, fact);
    if (this.#takesRole(statement, fact)) return 'successor';
    // Another relation, or another person.
    if (statement.key !== null && fact.key !== null) return null;
    const ofSamePeople = this.#people.areSame(statement, fact);
    const byRules = this.#relateByRules(statement, fact, ofSamePeople);
    const slots = this.#slots.relate(statement, fact);
    if (byRules === null && (slots === 'apart' || this.#areApart(statement, fact))) return null;
    const shown = this.#pairs.read(statement, fact, {
      likeness: compare(statement, fact, this.#match),
      slots,
      ofSamePeople,
      byRules,
    });
    return likeliest(this.#weigh(shown));
  }

  /** Do they plainly speak of other people, of the other side of a thing, or of things with other numbers? */
  #areApart(statement: Comparable, fact: Comparable): boolean {
    const areOthers =
      statement.people.size > 0 &&
      fact.people.size > 0 &&
      [...statement.people].every((person) => !fact.people.has(person));
    return (
      areOthers ||
      isOtherSide(thingsIn(statement), thingsIn(fact)) ||
      this.#particularity.mixesNumbers(statement.content, fact.content)
    );
  }

  #relateByRules(statement: Comparable, fact: Comparable, ofSamePeople: boolean): Relation {
    if (ofSamePeople) {
      const named = spokenOf(fact, statement).filter(
        (person) => !this.#people.isDoubtful(person, fact.content),
      );
      return this.#relateTexts(naming(statement, named), fact);
    }
    const name = sharedName(statement, fact);
    if (name !== null) return this.#relateTexts(naming(statement, [name]), naming(fact, [name]));
    return this.#isMovedByOthers(statement, fact) ? 'successor' : null;
  }

  #relateTexts(statement: Comparable, fact: Comparable): Relation {
    if (this.#particularity.mixesNumbers(statement.content, fact.content)) return null;
    const isAnother = namesAnother(statement.content) && !namesAnother(fact.content);
    const slots = isAnother || isFavourite(statement.content) ? null : this.#slots.relate(statement, fact);
    if (slots === 'moved') return 'successor';
    if (slots === 'otherwise') return 'contradiction';
    if (slots === 'apart') return null;
    if (this.#endsThing(statement, fact)) return 'successor';
    const both = compare(statement, fact, this.#match);
    if (both.repeated === 0 && !both.sharesThing && !both.isWhole) return null;
    if (isOtherSide(both.ours, both.theirs)) return null;
    if (isAnother) return null;
    if (this.#endsOrCorrects(statement, fact, both)) return 'successor';
    if (isOpposed(statement, fact, this.#match)) return relateDenial(statement.content, both);
    if (this.#isMoved(statement, fact, both)) return 'successor';
    return this.#relateParticulars(statement, fact, both);
  }

  /** Does it tell what ends that which a fact says, or another name instead of the one that the fact gives: "Morgan, not Robin"? */
  #endsOrCorrects(
    statement: Comparable,
    fact: Comparable,
    { repeated, theirs, added, ours }: Likeness,
  ): boolean {
    if (endsState(statement.content, fact.content, repeated > 0)) return true;
    const isOther = namesNotMeant(statement.content).some((name) => theirs.names.has(name));
    return isOther && added.some((word) => ours.names.has(word));
  }

  /** Does it give the very thing that a fact is about another time, number or place, or decide otherwise? */
  #isMoved(statement: Comparable, fact: Comparable, both: Likeness): boolean {
    const { content } = statement;
    const { anchored, sameSubjects, sharesThing, share, shareOfOurs, added, left, repeated } = both;
    const isAnchored = anchored && fact.subjects.length > 0;
    const isHalf = share >= HALF || shareOfOurs >= HALF;
    const isAbout = isAnchored || both.isHeldAnchor || sharesThing || isHalf;
    if (!isAbout || (both.isOfOtherThings && !both.ofOnePerson)) return false;
    const isInTime = this.#particularity.disagreesInTime(withoutReplaced(content), fact.content);
    if (isInTime && revises(content) && sameSubjects && both.ofOnePerson && added.length <= MORE_WORDS)
      return true;
    if (isInTime && (changes(content) || continues(content)) && (sharesThing || both.beyond > 0))
      return isAnchored || both.isHeldAnchor || sharesThing || repeated >= MORE_WORDS || share >= HALF;
    if (ends(content) && !ends(fact.content) && ((sameSubjects && isAnchored) || share >= MOST)) return true;
    if (cancels(content) || (revises(content) && added.length > 0))
      return sameSubjects || sharesThing || share >= HALF || (both.ofOnePerson && repeated >= MORE_WORDS);
    if (!PLANS.has(fact.kind) || !PLANS.has(statement.kind)) return false;
    if (isInTime) {
      if (sameSubjects && isAnchored && both.beyond >= HALF) return true;
      return (sameSubjects || sharesThing || both.isHeldAnchor) && (left.length === 0 || shareOfOurs === 1);
    }
    if (isPast(fact.content)) return false;
    return sharesThing && this.#isElsewhere(statement, fact);
  }

  /** Is what a fact tells of somebody's thing over, since they got rid of it or gave it up? */
  #endsThing(statement: Comparable, fact: Comparable): boolean {
    const ended = endedIn(statement.content);
    if (ended.length === 0 || ends(fact.content) || leaves(fact.content)) return false;
    const { folded, names } = thingsIn(fact);
    // A place or a person that is left is still spoken of.
    const isLeft = leaves(statement.content) && ended.every((word) => names.has(word));
    return !isLeft && ended.every((word) => this.#match.has(folded, word));
  }

  #isElsewhere(statement: Comparable, fact: Comparable): boolean {
    const [here, there] = [placesIn(statement.content), placesIn(fact.content)];
    return here.length > 0 && there.length > 0 && !here.some((place) => this.#match.has(there, place));
  }

  /** Of two that deny nothing of one another. */
  #relateParticulars(statement: Comparable, fact: Comparable, both: Likeness): Relation {
    const particularity = this.#particularity;
    const { content } = statement;
    const { anchored, sameSubjects, sharesThing, added, left, repeated } = both;
    const areDecisions = statement.kind === 'decision' && fact.kind === 'decision';
    const isOtherwise = left.length > 0 && added.length > 0;
    if (particularity.disagreesInTime(content, fact.content)) return null;
    if (isOtherwise && repeated > 0 && isFavourite(content) && isFavourite(fact.content))
      return changes(content) ? 'successor' : 'contradiction';
    if (particularity.disagreesInNames(content, fact.content) && left.length > 0) {
      if (areDecisions && both.differsInNames && repeated > 0) return 'successor';
      return sameSubjects && both.isWhole && both.differsInNames ? 'contradiction' : null;
    }
    const addsName = added.some((word) => both.ours.names.has(word));
    const addsPerson = [...statement.people].some((person) => !fact.people.has(person));
    const addsParticular = addsName || addsPerson || particularity.addsTime(content, fact.content);
    if (!addsParticular && this.#saysSame(statement, fact, both)) return 'same';
    if (areDecisions && sameSubjects && sharesThing && isOtherwise)
      return addsParticular ? 'refinement' : 'successor';
    // A fuller wording keeps what was known.
    if (particularity.addsTime(fact.content, content)) return null;
    const saysMore = addsParticular || added.length >= MORE_WORDS;
    if (both.isWhole && anchored && saysMore) return 'refinement';
    return addsParticular && this.#goesOn(statement, fact, both) ? 'refinement' : null;
  }

  /** Does a statement that adds no particular say what a fact says? */
  #saysSame(statement: Comparable, fact: Comparable, both: Likeness): boolean {
    const { sameSubjects, added, left, repeated, ours, theirs } = both;
    const isOver = (text: Comparable) => ends(text.content) || leaves(text.content);
    if (isDeniedOnce(statement, fact) || isOver(statement) !== isOver(fact)) return false;
    if (added.length === 0 && both.isHeld) return true;
    if (left.length === 0 && added.length < MORE_WORDS && (theirs.words.size > 1 || sameSubjects))
      return true;
    if (!sameSubjects) return false;
    const sharesName = [...ours.names].some((name) => theirs.words.has(name));
    const sharesParticular = sharesName || this.#particularity.sharesTime(statement.content, fact.content);
    if (sharesParticular && both.repeatedBeyond > 0 && added.length <= repeated) return true;
    return continues(statement.content) && repeated > 0;
  }

  /** Does a fact speak of something for the first time, and the statement go on to tell of it: "a dog", "the dog"? */
  #goesOn(statement: Comparable, fact: Comparable, { share, shareOfOurs, sharesThing }: Likeness): boolean {
    if (
      share >= HALF &&
      shareOfOurs >= HALF &&
      this.#particularity.sharesTime(statement.content, fact.content)
    )
      return true;
    const isTold = this.#slots
      .nouns(statement)
      .some((noun) => areIn(noun, fact, this.#match) && noun.some((word) => introduces(fact.content, word)));
    if (isTold) return true;
    if (!sharesThing) return false;
    const shared = fact.subjects.flatMap(subjectWords).filter((word) => thingsIn(statement).meant.has(word));
    return shared.some((word) => introduces(fact.content, word) && resumes(statement.content, word));
  }

  /** Does it name another one who is now what a fact says of somebody: a boss, a doctor? */
  #takesRole(statement: Comparable, fact: Comparable): boolean {
    if (!changes(statement.content) || namesAnother(statement.content)) return false;
    if (statement.key !== null && !statement.key.endsWith('.name')) return false;
    const [ours, theirs] = [thingsIn(statement), thingsIn(fact)];
    const roles = [...theirs.roles];
    const isSameRole =
      roles.every((role) => ours.roles.has(role)) && roles.some((role) => HELD_BY_ONE.has(role));
    const isSomebodyElse =
      [...statement.people].some((person) => !fact.people.has(person)) ||
      [...ours.names].some((name) => !theirs.meant.has(name));
    const said = new Set(foldedWords(fact.content.split(/[,;:(–]/)[0] ?? '').split(' '));
    const isAll = [...theirs.words].every(
      (word) => theirs.names.has(word) || ours.folded.has(word) || !said.has(word),
    );
    return isSameRole && isSomebodyElse && isAll;
  }

  /** Is the very thing that a fact is about moved, and who told so named in passing? */
  #isMovedByOthers(statement: Comparable, fact: Comparable): boolean {
    const { content } = statement;
    const isForeign = [...fact.people].some((person) => !this.#people.isDoubtful(person, fact.content));
    if (isForeign || !revises(content)) return false;
    if (!this.#particularity.disagreesInTime(withoutReplaced(content), fact.content)) return false;
    const { sameSubjects, share, repeated } = compare(statement, fact, this.#match);
    if (sameSubjects && fact.subjects.length > 0) return true;
    if (share >= MOST && repeated >= MORE_WORDS) return true;
    return this.#slots.nouns(statement).some((noun) => areIn(noun, fact, this.#match));
  }
}

/** Of two, one of which says no. */
function relateDenial(content: string, { share, shareOfOurs, sameSubjects }: Likeness): Relation {
  if (share < MOST && shareOfOurs < MOST && !sameSubjects) return null;
  return revises(content) || ends(content) ? 'successor' : 'contradiction';
}
