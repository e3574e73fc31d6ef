import { KINDS, type Kind } from '../../items/index.ts';
import { isFunctionTerm, type Token, tokenise } from '../../support/text/tokenise.ts';
import type { FullText } from '../lexical/fullText.ts';
import type { Lexicon } from '../lexical/lexicon.ts';
import type { NoteNames } from '../lexical/names.ts';
import type { RelatedWords } from '../lexical/relatedWords.ts';
import { idf, LENGTH_COUNTS, MOST, saturated, type WeightedTerm } from '../lexical/textScore.ts';
import { CONTENT_WORD_FROM, type Question } from './question.ts';
import { prolongationsOf } from './unfinished.ts';

/** A word that counts as a match of a term, and how much it counts: 0 to 1. */
type Form = readonly [string, number];

/** An index with fewer rows is searched by every term: leaving some out would save nothing. */
const SMALL_INDEX_ROWS = 2_000;
/**
 * A larger one is searched by the rarest terms only. Full scoring of what six terms return costs at most 0.001 of recall, while
 * common words would make FTS5 score most of the index.
 */
const RAREST = 6;
const AT_LEAST = 3;
const COMMON_SHARE = 0.1;
/** Of a term's forms, the term and its strongest translations find rows; all of them score the rows that are found. */
const SEARCHED_FORMS = 3;
/**
 * Every index counts as part of a larger one that holds none of the question's words. Without it, a word that a small vault
 * lacks would weigh several times as much as one that it holds, and nothing there would seem relevant.
 */
const BACKGROUND_ROWS = 500;
/** The share of the rows in its own language that holds a function word, at least. */
const FUNCTION_WORD_ROWS = 0.2;
/** Another name of what a question names counts nearly as much as the name itself. */
const OTHER_NAME_SHARE = 0.8;
const MOST_OTHER_NAMES = 6;

/** Of a shorter word, one edit makes too many others. Up to seven letters one edit is a slip, beyond them two. */
const SHORTEST_RESPELLED = 4;
/** Short names of two people differ by a letter: Paul and Paula, Marie and Maria, Martin and Marvin. */
const SHORTEST_NAME_RESPELLED = 7;
const LONGEST_OF_ONE_EDIT = 7;
const MOST_RESPELLINGS = 3;
/** Of one question: each takes some 4 ms among 250,000 terms, and a pasted page in another language has many. */
const MOST_RESPELLED = 4;

/**
 * What a word that is held once is worth at least, of what it may be worth: once in the body of a passage that is four times as long
 * as the average. Words that it may be the beginning of are worth less together, so that what holds it stands above what holds only these.
 */
const LEAST_OF_A_MATCH = saturated(1 / (1 - LENGTH_COUNTS + LENGTH_COUNTS * 4)) / MOST;

/** What is known of words without the user's own data. */
export interface KnownWords {
  lexicon: Lexicon;
  related: RelatedWords;
}

export interface TermWeigherParts {
  fullText: FullText;
  names: Pick<NoteNames, 'others' | 'kin'>;
  /** Null leaves out translations, related words and other names. */
  words: KnownWords | null;
}

/** A word that is in no row, and terms that are spelled nearly as it and take its place. */
export interface Respelling {
  /** Folded. */
  word: string;
  terms: readonly string[];
  weight: number;
}

/** Terms that words of a question are found by, beside their own. */
export interface StoodFor {
  /** Those of words that are in no row, where others are spelled nearly as they. */
  respelled: readonly Respelling[];
  /** Those of words that the last one may be the beginning of; each with its weight. */
  prolonged: ReadonlyMap<string, number>;
}

/** Gives a question's terms their forms and their idf, as the indexes are now. */
export class TermWeigher {
  readonly #parts: TermWeigherParts;
  /** Every source of one question uses the same terms. */
  readonly #known = new WeakMap<Question, WeightedTerm[]>();
  readonly #stoodFor = new WeakMap<Question, StoodFor>();

  constructor(parts: TermWeigherParts) {
    this.#parts = parts;
  }

  /** The idf is taken over the rows of all kinds together, so that scores of different kinds compare. */
  weigh(question: Question, now: number): WeightedTerm[] {
    const weighed = this.#known.get(question);
    if (weighed) return weighed;
    const { fullText, names, words } = this.#parts;
    const rows = KINDS.reduce((sum, kind) => sum + fullText.statistics(kind).rows, 0);
    const frequencyOf = (term: string) =>
      KINDS.reduce((sum, kind) => sum + fullText.documentFrequency(kind, term), 0);
    const named = words
      ? formsOfOtherNames(
          question,
          fullText.attempts.run(
            'names',
            () => [...names.others(question.names, now), ...names.kin(question.names)],
            [],
          ),
        )
      : new Map<string, Form[]>();
    const terms: WeightedTerm[] = [];
    const respelled: Respelling[] = [];
    const inPhrase = new Set(question.phrases.flatMap((phrase) => phrase.split(' ')));
    const { unfinished } = question;
    const prolonged = unfinished
      ? prolongationsOf(unfinished, fullText, frequencyOf).map((other): Form => [other, 1])
      : [];
    for (const [term, weight] of question.weights) {
      const isHere = frequencyOf(term) > 0;
      const known = weight < CONTENT_WORD_FROM ? NOTHING_KNOWN : readKnown(words, term);
      const isHeld = ([other]: Form) => frequencyOf(other) > 0;
      const [related, translations] = [known.related.filter(isHeld), known.translations.filter(isHeld)];
      const forms: Form[] = [[term, 1], ...(named.get(term) ?? []), ...related, ...translations];
      const begun = term === unfinished?.term ? prolonged : [];
      if (!isHere) forms.push(...begun);
      const frequency = highestFrequency(forms, frequencyOf);
      // A word that is known is spelled as it should be, and one in quotation marks is meant.
      if (
        frequency === 0 &&
        weight >= CONTENT_WORD_FROM &&
        known.translations.length + known.related.length === 0 &&
        !inPhrase.has(term) &&
        respelled.length < MOST_RESPELLED
      ) {
        const { word, near } = this.#spelledLike(term, question, frequencyOf);
        const [best] = near;
        if (best !== undefined) {
          respelled.push({ word, terms: near.map(([other]) => other), weight });
          const found = highestFrequency(near, frequencyOf);
          terms.push({
            term: best[0],
            weight,
            forms: near,
            idf: idfAmong(rows, { frequency: found, weight }),
          });
          continue;
        }
      }
      // A function word of a language in which nothing is written here is not something that was asked for.
      if (frequency === 0 && weight < CONTENT_WORD_FROM) continue;
      terms.push({
        isForeign: !isHere && translations.length > 0 && related.length + begun.length === 0,
        // MaxSim compares this one.
        term: isHere ? term : (begun[0]?.[0] ?? term),
        weight,
        forms,
        isBegun: begun.length > 0 && !isHere,
        idf: idfAmong(rows, { frequency, weight }),
      });
      const [longer] = begun;
      if (!isHere || !longer) continue;
      const most = Math.max(frequency, highestFrequency(begun, frequencyOf));
      terms.push({
        term: longer[0],
        weight: weight * LEAST_OF_A_MATCH,
        forms: begun,
        isBegun: true,
        idf: idfAmong(rows, { frequency: most, weight }),
      });
    }
    this.#known.set(question, terms);
    this.#stoodFor.set(question, {
      respelled,
      prolonged: new Map(
        prolonged.map(([other]) => [other, question.weights.get(unfinished?.term ?? '') ?? 0]),
      ),
    });
    return terms;
  }

  /** Is this a word that nothing holds and the lexicon does not know, so that it may be a slip? */
  isUnknown({ term }: Pick<Token, 'term'>): boolean {
    const { fullText, words } = this.#parts;
    const { related, translations } = readKnown(words, term);
    return (
      related.length + translations.length === 0 &&
      KINDS.every((kind) => fullText.documentFrequency(kind, term) === 0)
    );
  }

  /** What words of a question are found by, beside their own terms. */
  stoodFor(question: Question, now: number): StoodFor {
    this.weigh(question, now);
    return this.#stoodFor.get(question) as StoodFor;
  }

  /** The terms that take the fewest edits to be made of the word of a term, the most frequent first. */
  #spelledLike(
    term: string,
    { text, surelyNames }: Question,
    frequencyOf: (term: string) => number,
  ): { word: string; near: Form[] } {
    const { word = term } = tokenise(text).find((token) => token.term === term) ?? {};
    const shortest = surelyNames.has(word) ? SHORTEST_NAME_RESPELLED : SHORTEST_RESPELLED;
    if (word.length < shortest || /\P{L}/u.test(word)) return { word, near: [] };
    const most = word.length > LONGEST_OF_ONE_EDIT ? 2 : 1;
    const all = this.#parts.fullText
      .spelledLike(term, most)
      .filter(({ term: other }) => !isFunctionTerm(other) && !/\P{L}/u.test(other) && frequencyOf(other) > 0);
    const fewest = Math.min(...all.map(({ edits }) => edits));
    const near = all
      .filter(({ edits }) => edits === fewest)
      .sort(
        (one, other) => frequencyOf(other.term) - frequencyOf(one.term) || (one.term < other.term ? -1 : 1),
      )
      .slice(0, MOST_RESPELLINGS)
      // The share of its letters that are as they were written.
      .map(({ term: other, edits }): Form => [other, 1 - edits / word.length]);
    return { word, near };
  }
}

/** Words by which FTS5 finds rows of one kind for some terms: the rare ones, which find what matters most, and all of them. */
export function searchWords(
  fullText: FullText,
  kind: Kind,
  terms: readonly WeightedTerm[],
): { rare: string[]; all: string[] } {
  const { rows } = fullText.statistics(kind);
  const frequencyOf = (term: string) => fullText.documentFrequency(kind, term);
  // Function words find rows only if the question has nothing else, in this index or in another.
  const hasContent = terms.some(({ weight }) => weight >= CONTENT_WORD_FROM);
  const known = terms
    .filter(({ weight }) => weight >= CONTENT_WORD_FROM || !hasContent)
    .map(({ term, forms, isBegun }) => ({
      term,
      words: forms
        .map(([form]) => form)
        .filter((form) => frequencyOf(form) > 0)
        .slice(0, isBegun ? forms.length : SEARCHED_FORMS),
      frequency: highestFrequency(forms, frequencyOf),
    }))
    .filter(({ frequency }) => frequency > 0);
  const wordsOf = (some: typeof known) => [...new Set(some.flatMap(({ words }) => words))];
  const all = wordsOf(known);
  if (rows <= SMALL_INDEX_ROWS) return { rare: all, all };
  known.sort((one, other) => one.frequency - other.frequency || (one.term < other.term ? -1 : 1));
  const rare = wordsOf(
    known.filter(
      ({ frequency }, place) => place < AT_LEAST || (place < RAREST && frequency <= rows * COMMON_SHARE),
    ),
  );
  return { rare, all };
}

const NOTHING_KNOWN: { related: readonly Form[]; translations: readonly Form[] } = {
  related: [],
  translations: [],
};

const readKnown = (words: KnownWords | null, term: string): typeof NOTHING_KNOWN =>
  words
    ? { related: words.related.related(term), translations: words.lexicon.translations(term) }
    : NOTHING_KNOWN;

/** A term is as rare as its most frequent form, by how much that form counts. */
function highestFrequency(forms: readonly Form[], frequencyOf: (term: string) => number): number {
  return Math.max(...forms.map(([form, share]) => share * frequencyOf(form)));
}

/** French function words are rare in English notes, but tell no more there than elsewhere. */
function idfAmong(rows: number, { frequency, weight }: { frequency: number; weight: number }): number {
  const all = Math.max(BACKGROUND_ROWS, rows, frequency);
  return idf(all, weight < CONTENT_WORD_FROM ? Math.max(frequency, all * FUNCTION_WORD_ROWS) : frequency);
}

/** "dev" is Mickael, and my brother David: for the words of each name in the question, the words of the other names of the same thing. */
function formsOfOtherNames(
  question: Question,
  otherNames: ReturnType<NoteNames['others']>,
): Map<string, Form[]> {
  const forms = new Map<string, Form[]>();
  for (const [name, others] of Map.groupBy(otherNames, (one) => one.name)) {
    // A name that many things share ("index") has no other name.
    if (others.length > MOST_OTHER_NAMES) continue;
    const added = others.flatMap(({ other }) =>
      tokenise(other).map(({ term }): Form => [term, OTHER_NAME_SHARE]),
    );
    for (const { term } of tokenise(name)) {
      if ((question.weights.get(term) ?? 0) < CONTENT_WORD_FROM) continue;
      forms.set(term, [...(forms.get(term) ?? []), ...added]);
    }
  }
  return forms;
}
