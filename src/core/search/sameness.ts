import { type SimilarityScale, similarityOn } from '../embedding/similarity.ts';
import { dot } from '../embedding/wordVectors.ts';
import { fold, tokenise } from '../support/text/tokenise.ts';
import type { Lexicon } from './lexical/lexicon.ts';
import type { Comparable } from './select.ts';

/** What must agree for two texts to say the same, however alike they read. */
interface Particulars {
  numbers: Set<string>;
  /** Days of the week and months, as numbers, so that "mardi" is "Tuesday". */
  dates: Set<string>;
  negated: boolean;
  /** Terms of words that are written with a capital inside a sentence. */
  names: Set<string>;
  terms: Set<string>;
}

const list = (prefix: string, ...names: string[]): [string, string][] =>
  names.flatMap((forms, index) =>
    forms.split('|').map((form): [string, string] => [form, `${prefix}${index}`]),
  );

const DATES = new Map([
  ...list(
    'day',
    'lundi|monday',
    'mardi|tuesday',
    'mercredi|wednesday',
    'jeudi|thursday',
    'vendredi|friday',
    'samedi|saturday',
    'dimanche|sunday',
  ),
  ...list(
    'month',
    'janvier|january',
    'fevrier|february',
    'mars|march',
    'avril|april',
    'mai',
    'juin|june',
    'juillet|july',
    'aout|august',
    'septembre|september',
    'octobre|october',
    'novembre|november',
    'decembre|december',
  ),
  ...list('when', 'hier|yesterday', "aujourd'hui|today", 'demain|tomorrow'),
]);
/** Only whether there is one matters: French says it in two words, or in one. */
const NEGATIONS = new Set([
  'ne',
  'n',
  'pas',
  'jamais',
  'aucun',
  'aucune',
  'sans',
  'not',
  'no',
  'never',
  'none',
  'without',
  'cannot',
]);
const ENGLISH_CONTRACTION = /n['’]t$/i;

function readParticulars(text: string): Particulars {
  const particulars: Particulars = {
    numbers: new Set(),
    dates: new Set(),
    negated: false,
    names: new Set(),
    terms: new Set(),
  };
  for (const { term, word, start, end } of tokenise(text)) {
    particulars.terms.add(term);
    const raw = text.slice(start, end);
    const date = DATES.get(word) ?? DATES.get(fold(raw));
    if (/\d/.test(word)) particulars.numbers.add(word);
    else if (date !== undefined) particulars.dates.add(date);
    else if (ENGLISH_CONTRACTION.test(raw) || NEGATIONS.has(word)) {
      particulars.negated = true;
    } else if (/^\p{Lu}/u.test(raw) && !startsSentence(text, start)) particulars.names.add(term);
  }
  return particulars;
}

const startsSentence = (text: string, start: number): boolean => {
  const before = text.slice(Math.max(0, start - 3), start).trimEnd();
  return before === '' || /[.!?…:\n«"“>]$/.test(before);
};

/**
 * Do two texts differ in a number, a date, a name or a negation? Such texts may be nearly one vector, and say opposite things:
 * "David habite à Toulouse", "David habite à Ordizan". A name counts as shared where the other text has the word in any place,
 * or a translation of it.
 */
export function createDiffers(lexicon: Lexicon | null): (one: string, other: string) => boolean {
  const known = new Map<string, Particulars>();
  const read = (text: string): Particulars => {
    const found = known.get(text);
    if (found) return found;
    const particulars = readParticulars(text);
    if (known.size >= 500) known.clear();
    known.set(text, particulars);
    return particulars;
  };
  const lacks = (one: Particulars, other: Particulars): boolean =>
    [...one.names].some(
      (name) =>
        !other.terms.has(name) &&
        !(lexicon?.translations(name) ?? []).some(([translation]) => other.terms.has(translation)),
    );
  return (first, second) => {
    const one = read(first);
    const other = read(second);
    return (
      !equal(one.numbers, other.numbers) ||
      !equal(one.dates, other.dates) ||
      one.negated !== other.negated ||
      lacks(one, other) ||
      lacks(other, one)
    );
  };
}

/**
 * Similarity of two texts, 0 to 1, by their vectors. Of two that differ in a number, a date, a name or a negation none stands for
 * the other, however alike they read: theirs is `threshold` at most. 0 if a vector is missing.
 */
export function similarityOf(
  scale: SimilarityScale | null,
  { differs, threshold }: { differs: (one: string, other: string) => boolean; threshold: number },
): (one: Comparable, other: Comparable) => number {
  if (!scale) return () => 0;
  const similarity = similarityOn(scale);
  return (one, other) => {
    if (!one.vector || !other.vector || one.vector.length !== other.vector.length) return 0;
    const value = similarity(dot(one.vector, other.vector));
    return value > threshold && differs(one.text, other.text) ? threshold : value;
  };
}

function equal(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((value) => other.has(value));
}
