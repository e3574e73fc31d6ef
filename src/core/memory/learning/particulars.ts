import { NUMBERS } from '../../support/text/calendar.ts';
import { detectLanguage } from '../../support/text/language.ts';
import { functionWords } from '../../support/text/stopWords.ts';
import { termOf, tokenise } from '../../support/text/tokenise.ts';
import { readWords, type Word } from '../extraction/words.ts';

/** A word of a proposed fact that must have been said. */
export interface Particular {
  word: Word;
  folded: string;
  isName: boolean;
  isNumber: boolean;
}

/** Folded words by which a model speaks of the user. */
export const THE_USER = /^(?:user|users|utilisateur|utilisatrice|speaker|moi|me)$/;
/** Shortest beginning that two forms of a word share, and longest ending in which they differ: "déménage", « déménagement ». */
const COMMON = 5;
const ENDING = 4;

/** The particulars of a sentence: its words without function words, and without those by which a model speaks of the user. */
export function particularsOf(content: string): Particular[] {
  return wordsOf(content).flatMap((word, index) => {
    const { plain } = word;
    if (!/[\p{L}\p{N}]/u.test(plain) || THE_USER.test(plain)) return [];
    const isNumber = /\d/.test(plain);
    const isName = word.isCapital && (index > 0 || !functionWords.has(plain));
    const says = isNumber || !functionWords.has(plain) || (isName && index > 0);
    return says && (plain.length > 1 || isNumber) && plain !== "'s"
      ? [{ word, folded: plain, isName, isNumber }]
      : [];
  });
}

/** Does a text hold a particular, in whatever form, place and tense? */
export function holds(terms: ReadonlySet<string>, { folded, isName, isNumber }: Particular): boolean {
  return terms.has(folded) || (!isName && !isNumber && terms.has(termOf(folded)));
}

/** Folded words and terms of a text, for `holds`. */
export function termsIn(text: string): Set<string> {
  return new Set([
    ...tokenise(text).flatMap(({ word, term }) => [word, term]),
    ...wordsOf(text).map(({ plain }) => plain),
  ]);
}

/** The words of a text in its own language. */
export function wordsOf(text: string): Word[] {
  return readWords(text, { start: 0, end: text.length }, detectLanguage(text, 'fr'));
}

/** Is a word of the user the same as a particular, or for what is no name a form of it? */
export function isSame({ word, folded, isName, isNumber }: Particular, said: Word): boolean {
  if (folded === said.plain) return true;
  if (isNumber || /^\d/.test(said.plain)) return numberOf(folded) === numberOf(said.plain);
  if (isName || said.isCapital || word.isCapital) return false;
  if (termOf(folded) === termOf(said.plain)) return true;
  const [short, long] = folded.length <= said.plain.length ? [folded, said.plain] : [said.plain, folded];
  let common = 0;
  while (common < short.length && short[common] === long[common]) common += 1;
  return common >= COMMON && long.length - common <= ENDING;
}

/** "14h", "14" and « quatorze » where it is a small number. */
function numberOf(plain: string): string {
  return String(
    NUMBERS[plain] ?? /^(\d+)(?:h|am|pm|er|e|eme|nd|rd|st|th|ans|an)?$/.exec(plain)?.[1] ?? plain,
  );
}
