import { FOREIGN } from './words.ts';

/** A sentence, in UTF-16 code units, end excluded. */
export interface Sentence {
  start: number;
  end: number;
  isQuestion: boolean;
  /** Part of it is not the user's own words. */
  isForeign: boolean;
}

/** Beyond this many characters nobody states one thing plainly. */
const LONGEST = 600;

/** A full stop ends no sentence inside a word, a number or an address, nor after a title or an abbreviation. */
const ABBREVIATION =
  /(?:^|[\s(])(?:M|MM|Mme|Mmes|Mlle|Dr|Pr|Me|St|Ste|Mr|Mrs|Ms|Prof|Rev|op|Fr|Sr|Capt|Lt|Col|Sgt|no|n°|av|bd|p\. ?ex|etc|e\.g|i\.e|tél|vs|\p{Lu})$/u;

/** Signs before a space, a line break, or a picture, which people put between sentences. */
const END =
  /[.!?…]+(?=["»”')\]]{0,3}(?:\s|$|\p{Extended_Pictographic}))|\n|(?=\P{N})\p{Emoji_Presentation}+/gu;

/**
 * The sentences of a message whose foreign words are masked. Someone who types begins few of them with a capital, so that any full
 * stop, question mark or exclamation mark before a space ends one, and so does a line.
 */
export function readSentences(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  const push = (end: number, mark: string) => {
    const body = text.slice(start, end);
    const trimmed = body.trim();
    if (trimmed !== '' && trimmed.length <= LONGEST) {
      const from = start + body.length - body.trimStart().length;
      sentences.push({
        start: from,
        end: from + trimmed.length,
        isQuestion: mark.includes('?'),
        isForeign: trimmed.includes(FOREIGN),
      });
    }
  };
  for (const match of text.matchAll(END)) {
    if (match.index < start) continue;
    if (match[0] === '.' && ABBREVIATION.test(text.slice(Math.max(start, match.index - 8), match.index))) {
      continue;
    }
    push(match.index, match[0]);
    start = match.index + match[0].length;
  }
  push(text.length, '');
  return sentences;
}
