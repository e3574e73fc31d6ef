/**
 * BM25 as the textbooks have it (k1 1.2, b 0.75), over lower-case words without diacritics: the baseline. It shares
 * nothing with the product.
 */
export function createPlainBm25(documents: readonly string[]): (question: string) => number[] {
  const words = (text: string) =>
    text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const postings = new Map<string, Map<number, number>>();
  const lengths = documents.map((text, index) => {
    const list = words(text);
    for (const word of list) {
      const rows = postings.get(word) ?? new Map<number, number>();
      rows.set(index, (rows.get(index) ?? 0) + 1);
      postings.set(word, rows);
    }
    return list.length;
  });
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  return (question) => {
    const scores = new Float64Array(documents.length);
    for (const word of new Set(words(question))) {
      const rows = postings.get(word);
      if (!rows) continue;
      const idf = Math.log(1 + (documents.length - rows.size + 0.5) / (rows.size + 0.5));
      for (const [index, frequency] of rows) {
        const length = 0.25 + (0.75 * (lengths[index] ?? 0)) / average;
        scores[index] = (scores[index] ?? 0) + (idf * frequency * 2.2) / (frequency + 1.2 * length);
      }
    }
    return [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  };
}
