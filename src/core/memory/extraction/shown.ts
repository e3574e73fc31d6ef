import { wordVectorsOfThread } from '../../embedding/wordVectors.ts';
import { tokenise } from '../../support/text/tokenise.ts';
import { plainText, type Word } from './words.ts';

/** What a clause shows that speaks for or against keeping it. */
export interface Shown {
  /** Named evidence, and its words and runs of words. */
  evidence: readonly string[];
  /** What the clause means, then what its message means: a unit vector each. */
  meaning: Float32Array;
}

/** The meaning of a text, as a unit vector; all zeros if it has no words. */
export const meaningOf = (text: string): Float32Array =>
  wordVectorsOfThread().text(tokenise(text).map(({ term }) => term));

/** The meanings of a clause and of its message behind one another. */
export function joinMeanings(clause: Float32Array, message: Float32Array): Float32Array {
  const joined = new Float32Array(clause.length + message.length);
  joined.set(clause);
  joined.set(message, clause.length);
  return joined;
}

/** Words of a clause, pairs of them, and how it begins, each by a name. Of numbers only that they are ones. */
export function wordingOf(words: readonly Word[]): string[] {
  const plains = plainText(words)
    .text.split(' ')
    .filter((plain) => /[\p{L}\p{N}]/u.test(plain))
    .map((plain) => plain.replace(/\d+/g, '0'));
  return [
    ...new Set([
      ...plains.map((word) => `word ${word}`),
      ...plains.slice(1).map((word, at) => `pair ${plains[at]} ${word}`),
      `opens ${plains.slice(0, 2).join(' ')}`,
      `opens ${plains.slice(0, 3).join(' ')}`,
    ]),
  ];
}
