import { MONTHS, NUMBERS, WEEKDAYS } from './calendar.ts';
import { functionWords } from './stopWords.ts';
import { fold, tokenise } from './tokenise.ts';

/** Terms of the other language that mean about the same, with a weight from 0 to 1. */
export interface Translations {
  translations(term: string): readonly (readonly [string, number])[];
}

interface Count {
  number: string;
  words: readonly string[];
}

/** What must agree for two texts to say the same, however alike they read. */
interface Particulars {
  numbers: Set<string>;
  /** Days of the week and months, as numbers, so that "mardi" is "Tuesday". */
  dates: Set<string>;
  negated: boolean;
  /** Terms of words that are written with a capital inside a sentence. */
  names: Set<string>;
  terms: Set<string>;
  /** Numbers with the words that they may number or count: lot 2, 3 cats. */
  counts: readonly Count[];
}

/** Names of months and days that are other words as well: « mon », "sun", "may", « sept ». */
const AMBIGUOUS = /^(?:mon|sun|sat|may|sept|jun|dec|mar)$/;

const dates = (prefix: string, names: readonly string[]): [string, string][] =>
  names.flatMap((forms, index) =>
    forms
      .split('|')
      .filter((form) => !AMBIGUOUS.test(form))
      .map((form): [string, string] => [form, `${prefix}${index}`]),
  );

const DATES = new Map([
  ...dates('day', WEEKDAYS),
  ...dates('month', MONTHS),
  ...dates('when', ['hier|yesterday', "aujourd'hui|today", 'demain|tomorrow']),
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

/** The day of the week, the month or the day that a folded word names; undefined for any other word. */
export const dateOf = (word: string): string | undefined =>
  DATES.get(word) ?? DATES.get(word.replace(/s$/, ''));

/** "5 May", "May 5th", "of May": the month, not the verb. */
function monthOfMay(text: string, start: number, end: number): string | undefined {
  if (text.slice(start, end) !== 'May') return undefined;
  const isMonth = /(?:\d(?:st|nd|rd|th)?|\b(?:of|in|early|late)) $/.test(text.slice(0, start));
  return isMonth || /^ \d/.test(text.slice(end)) ? DATES.get('mai') : undefined;
}

function readParticulars(text: string): Particulars {
  const particulars: Particulars = {
    numbers: new Set(),
    dates: new Set(),
    negated: false,
    names: new Set(),
    terms: new Set(),
    counts: countsIn(text),
  };
  for (const { term, word, start, end } of tokenise(text)) {
    particulars.terms.add(term);
    const raw = text.slice(start, end);
    const date = dateOf(word) ?? DATES.get(fold(raw)) ?? monthOfMay(text, start, end);
    const counted = COUNTED.get(word);
    if (counted !== undefined) particulars.numbers.add(counted);
    else if (/\d/.test(word)) for (const number of numbersOf(word)) particulars.numbers.add(number);
    else if (date !== undefined) particulars.dates.add(date);
    else if (ENGLISH_CONTRACTION.test(raw) || (NEGATIONS.has(word) && text[end] !== '-')) {
      // "a no-go" is a word of its own.
      particulars.negated = true;
    } else if (/^\p{Lu}/u.test(raw) && !startsSentence(text, start)) particulars.names.add(term);
  }
  return particulars;
}

/** Numbers with what stands right beside them, with nothing but spaces between. */
function countsIn(text: string): Count[] {
  const tokens = tokenise(text);
  return tokens.flatMap(({ word, start, end }, index) => {
    const number = COUNTED.get(word) ?? (/^\d+$/.test(word) ? word : undefined);
    if (number === undefined) return [];
    const words = [tokens[index - 1], tokens[index + 1]].flatMap((beside) => {
      if (!beside || beside.word.length < 3 || /\d/.test(beside.word)) return [];
      if (functionWords.has(beside.word) || dateOf(beside.word) !== undefined) return [];
      const between = text.slice(Math.min(end, beside.end), Math.max(start, beside.start));
      return between.trim() === '' ? [beside.term] : [];
    });
    return words.length > 0 ? [{ number, words }] : [];
  });
}

/** Numbers in words, but for those that are other words as well: « une », « neuf ». */
const COUNTED = new Map(
  Object.entries(NUMBERS)
    .filter(([word, number]) => number > 1 && word !== 'neuf')
    .map(([word, number]) => [word, String(number)]),
);

/** A number with its unit or ending: "14h", "10h30", "4pm", "1er", "12th". */
const NUMBER = /^(\d+)(?:h|am|pm|er|e|eme|nd|rd|st|th)(\d*)$/;

/** The numbers of a word: "14h" is 14, however it is spaced. A code is one number, letters and all. */
export function numbersOf(word: string): string[] {
  const [, first, second] = NUMBER.exec(word) ?? [];
  if (first === undefined) return [word];
  return second ? [first, second] : [first];
}

const startsSentence = (text: string, start: number): boolean => {
  const before = text.slice(Math.max(0, start - 3), start).trimEnd();
  return before === '' || /[.!?…:\n«"“>]$/.test(before);
};

/**
 * Compares what two texts say in particular: numbers, dates, names, and whether they say no. A name counts as shared where the other
 * text has the word in any place, or a translation of it.
 */
export class Particularity {
  readonly #lexicon: Translations | null;
  readonly #known = new Map<string, Particulars>();

  constructor(lexicon: Translations | null) {
    this.#lexicon = lexicon;
  }

  /**
   * Do two texts differ in a number, a date, a name or a negation? Such texts may be nearly one vector, and say opposite things:
   * "David habite à Toulouse", "David habite à Ordizan".
   */
  differs(one: string, other: string): boolean {
    return this.disagrees(one, other) || this.adds(one, other) || this.adds(other, one);
  }

  /** Has `one` a number, a date or a name that `other` has not? */
  adds(one: string, other: string): boolean {
    return this.addsTime(one, other) || this.#lacks(this.#read(one), this.#read(other));
  }

  /** Do both have numbers, dates or names that the other has not, or does only one of them say no? */
  disagrees(one: string, other: string): boolean {
    return this.disagreesInTime(one, other) || this.negates(one, other) || this.disagreesInNames(one, other);
  }

  /** In what both say otherwise; empty if they do not disagree. */
  disagreements(one: string, other: string): ('number' | 'date' | 'name' | 'negation')[] {
    const [ours, theirs] = [this.#read(one), this.#read(other)];
    return [
      ...(apart(ours.numbers, theirs.numbers) || areMixed(ours, theirs) ? (['number'] as const) : []),
      ...(apart(ours.dates, theirs.dates) ? (['date'] as const) : []),
      ...(this.disagreesInNames(one, other) ? (['name'] as const) : []),
      ...(this.negates(one, other) ? (['negation'] as const) : []),
    ];
  }

  /** Does only one of them say no? */
  negates(one: string, other: string): boolean {
    return this.#read(one).negated !== this.#read(other).negated;
  }

  /** Do both have numbers, or both have dates, that the other has not? */
  disagreesInTime(one: string, other: string): boolean {
    const [ours, theirs] = [this.#read(one), this.#read(other)];
    return apart(ours.numbers, theirs.numbers) || apart(ours.dates, theirs.dates) || areMixed(ours, theirs);
  }

  /** Do they number or count some thing otherwise, with numbers that both have: lot 1 of site 2, lot 2 of site 1? */
  mixesNumbers(one: string, other: string): boolean {
    return areMixed(this.#read(one), this.#read(other));
  }

  /** Do both have names that the other has not? */
  disagreesInNames(one: string, other: string): boolean {
    const [ours, theirs] = [this.#read(one), this.#read(other)];
    return this.#lacks(ours, theirs) && this.#lacks(theirs, ours);
  }

  /** Has `one` a number or a date that `other` has not? */
  addsTime(one: string, other: string): boolean {
    const [ours, theirs] = [this.#read(one), this.#read(other)];
    return exceeds(ours.numbers, theirs.numbers) || exceeds(ours.dates, theirs.dates);
  }

  /** Do both have the same number or date? */
  sharesTime(one: string, other: string): boolean {
    const [ours, theirs] = [this.#read(one), this.#read(other)];
    return meet(ours.numbers, theirs.numbers) || meet(ours.dates, theirs.dates);
  }

  /** Has `one` a name that `other` has not? */
  #lacks(one: Particulars, other: Particulars): boolean {
    return [...one.names].some(
      (name) =>
        !other.terms.has(name) &&
        !(this.#lexicon?.translations(name) ?? []).some(([translation]) => other.terms.has(translation)),
    );
  }

  #read(text: string): Particulars {
    const found = this.#known.get(text);
    if (found) return found;
    const particulars = readParticulars(text);
    if (this.#known.size >= 500) this.#known.clear();
    this.#known.set(text, particulars);
    return particulars;
  }
}

/** Has `one` something that `other` has not? */
const exceeds = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...one].some((value) => !other.has(value));

const apart = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  exceeds(one, other) && exceeds(other, one);

function areMixed(one: Particulars, other: Particulars): boolean {
  const words = new Set(one.counts.flatMap((count) => count.words));
  return [...words].some((word) => {
    const [ours, theirs] = [numbersBeside(word, one, other), numbersBeside(word, other, one)];
    if (ours.size === 0 || theirs.size === 0 || meet(ours, theirs)) return false;
    return meet(ours, other.numbers) || meet(theirs, one.numbers);
  });
}

/** The numbers of a word, without those that another word counts in both texts: in "my son 7 years, 25 kg" no number is the son's. */
function numbersBeside(word: string, { counts }: Particulars, other: Particulars): Set<string> {
  const isOfAnother = ({ number, words }: Count) =>
    words.some(
      (beside) =>
        beside !== word && other.counts.some((one) => one.number === number && one.words.includes(beside)),
    );
  return new Set(
    counts.flatMap((count) => (count.words.includes(word) && !isOfAnother(count) ? [count.number] : [])),
  );
}

const meet = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...one].some((value) => other.has(value));
