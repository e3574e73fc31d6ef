import { NUMBERS } from '../../support/text/calendar.ts';
import { kinshipOf } from '../../support/text/kinship.ts';
import { dateOf } from '../../support/text/particulars.ts';
import { frenchFunctionWords, functionWords } from '../../support/text/stopWords.ts';
import { foldedWords, tokenise } from '../../support/text/tokenise.ts';
import { isCalled } from '../extraction/kinship.ts';
import { POSSESSIVE } from '../extraction/people.ts';
import { changes, EMPTY, LIGHT, SIDES } from './changeWords.ts';
import type { Comparable } from './comparable.ts';
import type { Words } from './words.ts';

/** The words of a text that say what it is about. */
export interface Things {
  /** Folded words without numbers, dates, people, function words and light words. */
  words: ReadonlySet<string>;
  /** Those that are written with a capital inside a sentence. */
  names: ReadonlySet<string>;
  /** Light words, by their term. */
  light: ReadonlySet<string>;
  /** What somebody is to somebody, in English: "boss", « voisin ». */
  roles: ReadonlySet<string>;
  /** Every term, and every folded word. */
  terms: ReadonlySet<string>;
  folded: ReadonlySet<string>;
  /** Folded words of the text and its subjects: "they" stands for what a subject names. */
  meant: ReadonlySet<string>;
}

const read = new WeakMap<Comparable, Things>();

/** Reads what a text is about. Those whom it names are compared as people, not as words. */
export function thingsIn(text: Comparable): Things {
  const known = read.get(text) ?? readThings(text);
  read.set(text, known);
  return known;
}

function readThings({ content, people, subjects }: Comparable): Things {
  const found = {
    words: new Set<string>(),
    names: new Set<string>(),
    light: new Set<string>(),
    roles: new Set<string>(),
    terms: new Set<string>(),
    folded: new Set<string>(),
    meant: new Set<string>(),
  };
  const changed = new Set<string>();
  const called = new Set([...people].flatMap((person) => person.split('-')));
  const tokens = tokenise(content);
  for (const [index, { term, word, start, end }] of tokens.entries()) {
    found.terms.add(term);
    found.folded.add(word);
    if (isFunctionWord(word, content.slice(start, end)) || called.has(word)) continue;
    if (word.length < 2 || /^\d/.test(word) || dateOf(word) !== undefined) continue;
    const kinship = kinshipOf(word);
    // Where somebody is named, "my sister" says who they are; else it is what the text is about.
    const before = tokens.slice(Math.max(0, index - 2), index);
    const isOwned =
      index === 0 ||
      before.some((one) => POSSESSIVE.test(one.word)) ||
      isCalled(word) ||
      /^\p{Lu}/u.test(content[tokens[index + 1]?.start ?? content.length] ?? '');
    if (kinship !== null && people.size > 0 && isOwned) continue;
    if (EMPTY.has(word) || word in NUMBERS) continue;
    if (changes(word)) {
      changed.add(word);
      continue;
    }
    if (LIGHT.has(word)) found.light.add(term);
    else {
      found.words.add(word);
      if (start > 0 && /\p{Lu}/u.test(content[start] ?? '')) found.names.add(word);
    }
  }
  // That something changed is what a text is about only if it says nothing else: « Zoé a déménagé ».
  if (found.words.size === 0) found.words = changed;
  for (const word of [...found.folded, ...subjects.flatMap((subject) => foldedWords(subject).split(' '))])
    found.meant.add(word);
  for (const word of found.meant) {
    const kinship = functionWords.has(word) ? null : kinshipOf(word);
    if (kinship !== null) found.roles.add(kinship);
  }
  return found;
}

/** « thé » is not "the". */
export const isFunctionWord = (word: string, written: string): boolean =>
  functionWords.has(word) && (frenchFunctionWords.has(word) || !/\p{M}/u.test(written.normalize('NFD')));

/** The words of a subject that tell it from another. */
export const subjectWords = (subject: string): string[] =>
  tokenise(subject)
    .filter(({ word, start, end }) => !isFunctionWord(word, subject.slice(start, end)))
    .map(({ word }) => word);

/** Is a thing spoken of for the first time: "a dog", « un nouveau chien »? */
export const introduces = (content: string, thing: string): boolean =>
  new RegExp(`(?:^| )(?:a|an|un|une|des|some|got|new) (?:\\S+ )?${thing}(?= |$)`).test(foldedWords(content));

/** Is a thing spoken of that is known already: "the dog", « notre chien »? */
export const resumes = (content: string, thing: string): boolean =>
  new RegExp(
    `(?:^| )(?:the|my|our|le|la|l|les|mon|ma|mes|notre|nos|ce|cet|cette) (?:\\S+ )?${thing}(?= |$)`,
  ).test(foldedWords(content));

/** Do two speak of opposite sides of a thing: the left one and the right one? */
export const isOtherSide = (one: Things, other: Things): boolean =>
  [...one.folded].some((word) => {
    const opposite = SIDES.get(word);
    return opposite !== undefined && other.folded.has(opposite) && !one.folded.has(opposite);
  });

/** Shortest stem that words of one family share: "vet" and "veterinary" have three letters in common, "bee" and "beekeeper" too. */
const STEM = 3;

/** Is one word a form of the other: the beginning of it, or alike but for its ending? */
export function isForm(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length < STEM || /\d/.test(short)) return false;
  if (long.startsWith(short)) return true;
  if (termOf(short) === termOf(long)) return true;
  // "allergic", "allergy", "allergique"
  let common = 0;
  while (common < short.length && short[common] === long[common]) common += 1;
  return common >= 5 && common >= long.length - 5;
}

const terms = new Map<string, string>();

export function termOf(word: string): string {
  const known = terms.get(word) ?? tokenise(word)[0]?.term ?? word;
  if (terms.size > 5_000) terms.clear();
  terms.set(word, known);
  return known;
}

/** Of pairs of words so many are remembered. */
const PAIRS = 20_000;

/** Finds words among others, in any form, by a synonym or a translation. */
export class WordMatch {
  readonly #words: Words;
  /** Pairs of words that were compared before. */
  readonly #known = new Map<string, boolean>();

  constructor(words: Words) {
    this.#words = words;
  }

  has(among: Iterable<string>, word: string): boolean {
    return [...among].some((other) => {
      if (other === word) return true;
      // "Gran" is not the beginning of "grandad".
      if (dateOf(word) !== undefined) return dateOf(word) === dateOf(other);
      const [kinship, otherKinship] = [kinshipOf(word), kinshipOf(other)];
      if (kinship !== null && otherKinship !== null) return kinship === otherKinship;
      return isForm(word, other) || this.#meanSame(word, other);
    });
  }

  /** Is a folded word one that everybody uses, or says what somebody is to somebody? Names are in no lexicon, but for a few. */
  isOrdinary(word: string): boolean {
    const term = termOf(word);
    return kinshipOf(word) !== null || this.#words.translations(term).some(([other]) => other !== term);
  }

  /** As `has`, but names that begin alike are different names. */
  hasName(among: Iterable<string>, word: string): boolean {
    const date = dateOf(word);
    if (date !== undefined) return [...among].some((other) => dateOf(other) === date);
    const translations = this.#words.translations(termOf(word)).map(([term]) => term);
    return [...among].some((other) => other === word || translations.includes(termOf(other)));
  }

  #meanSame(one: string, other: string): boolean {
    const pair = `${one} ${other}`;
    const known = this.#known.get(pair);
    if (known !== undefined) return known;
    const isComparable = !functionWords.has(other) && !/\d/.test(pair);
    const meansSame = isComparable && this.#words.meanSame(termOf(one), termOf(other));
    if (this.#known.size >= PAIRS) this.#known.clear();
    this.#known.set(pair, meansSame);
    return meansSame;
  }
}

/** Does a text or one of its subjects have all of some words, as they are or translated? */
export const areIn = (words: readonly string[], text: Comparable, match: WordMatch): boolean =>
  words.every((word) => match.hasName(thingsIn(text).meant, word));
