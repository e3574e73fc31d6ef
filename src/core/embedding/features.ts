/** Rows of the word-vector table: a power of two. */
export const TABLE_ROWS = 65_536;

const SHORTEST = 3;
const LONGEST = 5;

/**
 * A row of the table by the 32-bit FNV-1a hash of a text from `start` until before `end`
 * (http://www.isthe.com/chongo/tech/comp/fnv/), folded to 16 bits.
 */
function rowOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let index = start; index < end; index += 1) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash ^ (hash >>> 16)) & (TABLE_ROWS - 1);
}

/**
 * Rows of the table whose mean is a term's vector: that of the term itself and those of its 3- to 5-grams, word boundaries
 * included, as in fastText (Bojanowski et al., 2017). So forms and misspellings of a word have similar vectors, and unknown words have
 * one at all. Training and use both read this.
 */
export function featuresOf(term: string): number[] {
  const whole = `w:${term}`;
  const rows = [rowOf(whole, 0, whole.length)];
  const bounded = `<${term}>`;
  // A gram is shorter than the bounded term.
  for (let length = SHORTEST; length <= Math.min(LONGEST, bounded.length - 1); length += 1) {
    for (let start = 0; start + length <= bounded.length; start += 1) {
      rows.push(rowOf(bounded, start, start + length));
    }
  }
  return rows;
}
