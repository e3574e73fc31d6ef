import { kinshipOf } from '../../support/text/kinship.ts';
import type { Comparable } from './comparable.ts';
import { isForm, subjectWords, type Things, thingsIn, type WordMatch } from './things.ts';

/** Share of what a fact is about that a statement must say again to be about the same: half and more, so that of two words both count. */
export const MOST = 0.6;
/** New words that make a statement say more: one may be another word for the same. */
export const MORE_WORDS = 2;

/** How much a statement and a fact have in common. */
export interface Likeness {
  ours: Things;
  theirs: Things;
  /** Words of the fact that the statement does not repeat, and those of the statement that the fact has not. */
  left: readonly string[];
  added: readonly string[];
  /** Words of the fact that the statement repeats, and their share; the share of its own words that the fact has. */
  repeated: number;
  share: number;
  shareOfOurs: number;
  /** The statement names everything that the fact is about. */
  anchored: boolean;
  /** Both have subjects, and neither names one of the other's. */
  isOfOtherThings: boolean;
  /**
   * How much of what one of them says of shared subjects the other says too: the greater share of the words that are not in those
   * subjects. 1 if there are no such words.
   */
  beyond: number;
  /** How many words of the fact the statement repeats beside those of shared subjects. */
  repeatedBeyond: number;
  /** The fact names everything that the statement is about, and the statement says what that is. */
  isHeldAnchor: boolean;
  /** They speak of the same person. */
  ofOnePerson: boolean;
  /** Each names everything that the other is about. */
  sameSubjects: boolean;
  /** A thing, as opposed to a person or place, that both have as a subject. */
  sharesThing: boolean;
  /** The statement repeats most of the fact. */
  isWhole: boolean;
  /** The fact holds everything that the statement says. */
  isHeld: boolean;
  /** Each has names that the other has not, and one of them nothing else. */
  differsInNames: boolean;
}

export function compare(statement: Comparable, fact: Comparable, match: WordMatch): Likeness {
  const [ours, theirs] = [thingsIn(statement), thingsIn(fact)];
  const left = [...theirs.words].filter((word) => !match.has(ours.folded, word));
  const added = [...ours.words].filter((word) => !match.has(theirs.folded, word));
  const repeated = theirs.words.size - left.length;
  const share = theirs.words.size === 0 ? 0 : repeated / theirs.words.size;
  const shareOfOurs = ours.words.size === 0 ? 0 : 1 - added.length / ours.words.size;
  const ofOnePerson = [...statement.people].some((person) => fact.people.has(person));
  // Of one person "my daughter" need not be said again.
  const isSaid = (word: string, text: Things) =>
    isNamed(word, text, match) || (ofOnePerson && kinshipOf(word) !== null);
  const names = (subjects: readonly string[], text: Things) =>
    subjects.filter((subject) => subjectWords(subject).every((word) => isSaid(word, text)));
  const [named, namedHere] = [names(fact.subjects, ours), names(statement.subjects, theirs)];
  const anchored = named.length === fact.subjects.length || (ofOnePerson && fact.subjects.length === 1);
  const shared = new Set([...named, ...namedHere].flatMap(subjectWords));
  const rest = (words: ReadonlySet<string>) => [...words].filter((word) => !shared.has(word));
  const shareOf = (words: readonly string[], missing: readonly string[]) =>
    words.length === 0 ? 1 : 1 - missing.filter((word) => !shared.has(word)).length / words.length;
  const [restOfOurs, restOfTheirs] = [rest(ours.words), rest(theirs.words)];
  return {
    ours,
    theirs,
    isOfOtherThings:
      fact.subjects.length > 0 && statement.subjects.length > 0 && named.length + namedHere.length === 0,
    beyond: Math.max(shareOf(restOfOurs, added), shareOf(restOfTheirs, left)),
    repeatedBeyond: restOfTheirs.filter((word) => !left.includes(word)).length,
    left,
    added,
    repeated,
    share,
    shareOfOurs,
    anchored,
    isHeldAnchor: statement.subjects.length > 0 && namedHere.length === statement.subjects.length,
    ofOnePerson,
    sameSubjects: anchored && namedHere.length === statement.subjects.length,
    sharesThing: [...named, ...namedHere].some((subject) => isThing(subject, [ours, theirs])),
    isWhole:
      theirs.words.size === 0
        ? ofOnePerson && theirs.light.size > 0 && sharesLight(ours, theirs)
        : share >= MOST && (theirs.words.size > 1 || sharesLight(ours, theirs)),
    isHeld: shareOfOurs === 1 && (ours.words.size > 1 || theirs.words.size <= 2),
    differsInNames: left.length > 0 && added.length > 0 && (areNames(left, theirs) || areNames(added, ours)),
  };
}

const isNamed = (word: string, text: Things, match: WordMatch): boolean =>
  [...text.meant].some((other) => other === word || isForm(word, other)) || match.hasName(text.meant, word);

/** A subject in lower case is neither a person nor a place. */
const isThing = (subject: string, texts: readonly Things[]): boolean => {
  const words = subjectWords(subject).filter((word) => texts.some((text) => text.words.has(word)));
  return words.some((word) => !texts.some(({ names }) => names.has(word)));
};

const areNames = (words: readonly string[], { names }: Things): boolean =>
  words.every((word) => names.has(word));

const sharesLight = (one: Things, other: Things): boolean =>
  other.light.size === 0 || [...other.light].some((term) => one.terms.has(term));
