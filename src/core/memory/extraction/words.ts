import type { Language } from '../../../shared/errors.ts';
import { fold } from '../../support/text/tokenise.ts';
import { meantBy } from './spelling.ts';

/** Stands for each character that is not the user's own words; line breaks stay, so that places stay what they were. */
export const FOREIGN = '\uFFFC';

/** A word or a sign of a text: what it means to the rules, and where it stands, in UTF-16 code units, end excluded. */
export interface Word {
  /** Folded, spelt right, apostrophes resolved: "J’habite" is "j" and "habite", "don't" is "do" and "not". Signs are themselves. */
  plain: string;
  start: number;
  end: number;
  isCapital: boolean;
  /** A hyphen joins it to the word before. */
  isJoined: boolean;
  /** The language of its sentence. */
  language: Language;
}

/** Addresses, numbers with their signs ("12/03", "10h30", "4.5", "12th"), words, signs. Every repetition is bounded or consumed. */
const PIECE =
  /[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{2,24}){1,3}|\+?\p{N}+(?:[.,/:hH]\p{N}+)*(?:\p{L}{1,4}(?!\p{L}))?|[\p{L}\p{M}\p{N}_]+|\uFFFC[\uFFFC ]*|[^\s\p{L}\p{N}]/gu;
const APOSTROPHE = /^['’ʼ`´]$/;
const ELIDED = /^(?:c|d|j|l|m|n|s|t|qu|jusqu|lorsqu|puisqu|quoiqu|presqu)$/;
const KEPT_SIGN = /^[,;:()–—=[\]]$/;
const ENDINGS: Readonly<Record<string, string>> = {
  s: "'s",
  m: 'am',
  re: 'are',
  ve: 'have',
  ll: 'will',
  d: 'would',
};
const LETTERS = /^[\p{L}\p{M}\p{N}_]/u;

/** The words of a stretch of `text`. */
export function readWords(text: string, span: { start: number; end: number }, language: Language): Word[] {
  const pieces = [...text.slice(span.start, span.end).matchAll(PIECE)].map((match) => ({
    raw: match[0],
    start: span.start + match.index,
    end: span.start + match.index + match[0].length,
  }));
  const words: Word[] = [];
  for (let index = 0; index < pieces.length; index += 1) {
    const piece = pieces[index] as (typeof pieces)[number];
    const before = pieces[index - 1];
    const next = pieces[index + 1];
    const touchesBefore = before?.end === piece.start && LETTERS.test(before.raw);
    const touchesNext = next?.start === piece.end && LETTERS.test(next.raw);
    if (piece.raw.startsWith(FOREIGN)) {
      words.push(sign(FOREIGN, piece, language));
      continue;
    }
    if (APOSTROPHE.test(piece.raw)) {
      const last = words.at(-1);
      if (!touchesBefore || !touchesNext || !last || ELIDED.test(last.plain)) continue;
      joinAfterApostrophe(last, next, words);
      index += 1;
      continue;
    }
    if (piece.raw === '-') {
      if (!touchesBefore || !touchesNext) words.push(sign('–', piece, language));
      continue;
    }
    if (!LETTERS.test(piece.raw) && piece.raw[0] !== '+' && !piece.raw.includes('@')) {
      if (KEPT_SIGN.test(piece.raw)) words.push(sign(piece.raw === '—' ? '–' : piece.raw, piece, language));
      continue;
    }
    const isJoined = before?.raw === '-' && before.end === piece.start;
    const isCapital = /^\p{Lu}/u.test(piece.raw);
    for (const plain of meantBy(fold(piece.raw), language))
      words.push({ plain, start: piece.start, end: piece.end, isCapital, isJoined, language });
  }
  return words;
}

function sign(plain: string, { start, end }: { start: number; end: number }, language: Language): Word {
  return { plain, start, end, isCapital: false, isJoined: false, language };
}

/** "don't", "I'm", "Ana's", "aujourd'hui", "O'Brien": the word before an apostrophe takes what follows, or is followed by it. */
function joinAfterApostrophe(last: Word, next: { raw: string; start: number; end: number }, words: Word[]) {
  const ending = fold(next.raw);
  if (ending === 't' && last.plain.endsWith('n')) {
    last.plain = last.plain === 'can' ? 'can' : last.plain === 'won' ? 'will' : last.plain.slice(0, -1);
    last.end = next.end;
    words.push({ ...last, plain: 'not', isCapital: false, isJoined: true });
    return;
  }
  const meaning = ENDINGS[ending];
  if (meaning) {
    words.push({
      ...last,
      plain: meaning,
      start: next.start - 1,
      end: next.end,
      isCapital: false,
      isJoined: true,
    });
    return;
  }
  last.plain = last.plain === 'aujourdhui' ? last.plain : last.plain + ending;
  last.end = next.end;
}

/** The plain words joined by spaces, for patterns; `at` gives the index of the word at an offset of that text. */
export function plainText(words: readonly Word[]): { text: string; at(offset: number): number } {
  const offsets: number[] = [];
  let length = 0;
  for (const { plain } of words) {
    offsets.push(length);
    length += plain.length + 1;
  }
  return {
    text: words.map(({ plain }) => plain).join(' '),
    at(offset) {
      let low = 0;
      let high = offsets.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((offsets[middle] as number) < offset) low = middle + 1;
        else high = middle;
      }
      return low;
    },
  };
}

/** The words as they stand in the text, from the first to the last. */
export function asWritten(text: string, words: readonly Word[]): string {
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last) return '';
  const slice = text.slice(first.start, last.end);
  // A quotation that begins in it ends in it.
  const isOpen = slice.lastIndexOf('«') > slice.lastIndexOf('»');
  const closing = isOpen ? /^[.!?…\s]{0,3}»/.exec(text.slice(last.end)) : null;
  return slice + (closing?.[0] ?? '');
}
