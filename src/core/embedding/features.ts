/** Rows of the word-vector table: a power of two. */
export const TABLE_ROWS = 65_536;

const SHORTEST = 3;
const LONGEST = 5;

/** FNV-1a, 32 bits, folded to a row of the table. */
function rowOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash ^ (hash >>> 16)) & (TABLE_ROWS - 1);
}

/**
 * Rows of the table that make up a term's vector: the term itself, and its 3- to 5-grams between word boundaries, so that
 * forms and misspellings of a word lie close, and unknown words lie somewhere. Training and use share this.
 */
export function featuresOf(term: string): number[] {
  const rows = [rowOf(`w:${term}`)];
  const bounded = `<${term}>`;
  for (let length = SHORTEST; length <= LONGEST; length += 1) {
    for (let start = 0; start + length <= bounded.length; start += 1) {
      const gram = bounded.slice(start, start + length);
      if (gram !== bounded) rows.push(rowOf(gram));
    }
  }
  return rows;
}
