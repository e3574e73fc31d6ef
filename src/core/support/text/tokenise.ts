import { stemmer as stemEnglish } from '@orama/stemmers/english';
import { stemmer as stemFrench } from '@orama/stemmers/french';
import { detached } from './detached.ts';
import { functionWords } from './stopWords.ts';

/** One word of a text: its index term and its position, in UTF-16 code units, end excluded. */
export interface Token {
  term: string;
  /** The folded word before stemming; function words are recognised by it. */
  word: string;
  start: number;
  end: number;
}

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}_]*/gu;
const APOSTROPHE = /['’ʼ]/;
/** Elided words before an apostrophe, and the rare words that contain one. */
const ELIDED = /^(?:c|d|j|l|m|n|s|t|qu|jusqu|lorsqu|puisqu|quoiqu|presqu|quelqu)$/i;
const WHOLE_WITH_APOSTROPHE = /^(?:aujourd|prud|entr)$/i;
/** English endings after an apostrophe: "don't", "it's", "we're". */
const ENGLISH_ENDING = /^(?:s|t|re|ve|ll|d|m)$/i;
const MAX_WORD = 64;

/** Lower case without diacritics or ligatures. The result may be shorter or longer than `text`. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/œ/g, 'oe')
    .replace(/æ/g, 'ae')
    .replace(/ß/g, 'ss');
}

/**
 * Third person plural ("plantent", "utilisent"), which Snowball's French stemmer leaves as it is. Applies only after five
 * letters, so that "client" and "parent" stay separate words, and never to "-ment".
 */
const PLURAL_VERB = /^.{4,}[^m]ent$/;

/** Raised when the tokeniser gives other terms for the same text: stored terms are then written again. */
export const TOKENISER_VERSION = 2;

/**
 * Neither a letter nor a digit, so that no stem ends in it; not ASCII, so that FTS5's tokeniser treats it as part of the word.
 */
const FUNCTION_WORD_MARK = '·';

/**
 * The index term of a folded word. Function words keep their form, with a mark: "not" is not a form of "note", nor "sur" of
 * "sure".
 */
export function termOf(word: string): string {
  return functionWords.has(word) ? word + FUNCTION_WORD_MARK : stem(word);
}

/** Is this the term of a function word? */
export const isFunctionTerm = (term: string): boolean => term.endsWith(FUNCTION_WORD_MARK);

const STEM_CACHE_SIZE = 100_000;
const stems = new Map<string, string>();

/**
 * The index term of a folded word: its English Snowball stem, then the French stem of that. On folded words this chain maps the
 * forms of both languages to one term (measured against keeping both stems: docs/decisions/0003-text-retrieval.md).
 */
export function stem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stemmed = /\d/.test(word) || word.length < 3 ? word : stemFrench(stemEnglish(word)) || word;
  const result = PLURAL_VERB.test(stemmed) ? stemmed.slice(0, -3) : stemmed;
  if (stems.size >= STEM_CACHE_SIZE) stems.clear();
  stems.set(word, result);
  return result;
}

/**
 * Splits a text into its words, in order: folded, elisions split ("l'été" gives "l" and "ete"), stemmed. The same function
 * serves indexing, querying and excerpts, so that a match in one is a match in all.
 */
export function tokenise(text: string): Token[] {
  const tokens: Token[] = [];
  WORD.lastIndex = 0;
  for (let match = WORD.exec(text); match !== null; match = WORD.exec(text)) {
    let end = match.index + match[0].length;
    let raw = match[0];
    if (APOSTROPHE.test(text[end] ?? '') && /\p{L}/u.test(text[end + 1] ?? '')) {
      const next = /^[\p{L}\p{M}\p{N}_]+/u.exec(text.slice(end + 1, end + 1 + MAX_WORD))?.[0] ?? '';
      if (WHOLE_WITH_APOSTROPHE.test(raw)) {
        raw += next;
        end += 1 + next.length;
      } else if (!ELIDED.test(raw) && ENGLISH_ENDING.test(next)) {
        end += 1 + next.length;
        if (/n$/i.test(raw) && /^t$/i.test(next)) raw = raw.slice(0, -1);
      }
      WORD.lastIndex = end;
    }
    const { term, word } = readWord(raw.length > MAX_WORD ? raw.slice(0, MAX_WORD) : raw);
    if (word === '') continue;
    tokens.push({ term, word, start: match.index, end });
  }
  return tokens;
}

const WORD_CACHE_SIZE = 50_000;
const words = new Map<string, Pick<Token, 'term' | 'word'>>();

/** A word as it is written, folded and stemmed; few words make up most of a text. */
function readWord(raw: string): Pick<Token, 'term' | 'word'> {
  const known = words.get(raw);
  if (known) return known;
  // Compatibility forms may fold to spaces and signs, which would break a space-joined list of terms.
  const word = fold(raw).replace(/[^\p{L}\p{N}_]+/gu, '');
  const read = { term: word === '' ? '' : termOf(word), word };
  if (words.size >= WORD_CACHE_SIZE) words.clear();
  words.set(detached(raw), read);
  return read;
}

/** The terms of a text, in order, joined by spaces: the form that the full-text index stores. */
export function termStream(text: string): string {
  return tokenise(text)
    .map((token) => token.term)
    .join(' ');
}

/** Number of terms in a space-joined list. */
export function countTerms(stream: string): number {
  return stream === '' ? 0 : stream.split(' ').length;
}

/** The folded letters and digits of a text, with one space in place of whatever else stands between them. */
export const lettersOf = (text: string): string => fold(text).replace(/[^\p{L}\p{N}]+/gu, ' ');

/** The folded words of a text joined by single spaces, unstemmed; names are compared in this form. */
export function foldedWords(text: string): string {
  return tokenise(text)
    .map(({ word }) => word)
    .join(' ');
}
