import type { Mark } from '../../shared/contract/retrieval.ts';

/** Beyond this many words the texts are not compared: the table would have a million places. */
const MOST_WORDS = 1_000;

const wordsOf = (text: string): { word: string; start: number; end: number }[] =>
  [...text.matchAll(/[\p{L}\p{N}]+(?:[’'-][\p{L}\p{N}]+)*/gu)].map(({ 0: word, index }) => ({
    word: word.toLocaleLowerCase(),
    start: index,
    end: index + word.length,
  }));

/** The stretches of `text` that `other` does not say at the same place in its sequence of words; case does not count. */
export function differencesIn(text: string, other: string): Mark[] {
  const [ours, theirs] = [wordsOf(text), wordsOf(other)];
  if (ours.length * theirs.length > MOST_WORDS * MOST_WORDS) return [];
  // Longest common subsequence, from the end.
  const common: number[][] = Array.from({ length: ours.length + 1 }, () =>
    Array.from({ length: theirs.length + 1 }, () => 0),
  );
  const at = (row: number, column: number) => common[row]?.[column] ?? 0;
  for (let row = ours.length - 1; row >= 0; row -= 1)
    for (let column = theirs.length - 1; column >= 0; column -= 1)
      (common[row] as number[])[column] =
        ours[row]?.word === theirs[column]?.word
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const marks: Mark[] = [];
  let column = 0;
  for (const [row, { word, start, end }] of ours.entries()) {
    while (column < theirs.length && theirs[column]?.word !== word && at(row, column + 1) === at(row, column))
      column += 1;
    if (theirs[column]?.word === word && at(row, column) === at(row + 1, column + 1) + 1) column += 1;
    else {
      const last = marks.at(-1);
      // Neighbouring words are one stretch.
      if (last && /^\s+$/.test(text.slice(last.end, start))) last.end = end;
      else marks.push({ start, end });
    }
  }
  return marks;
}
