/** Spans of a text that end at a sentence or a line, in UTF-16 code units; together they cover the text. */
export function splitSentences(text: string): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = [];
  // A full stop ends a sentence only before a space and a capital, a digit or a quote. So "M. Dupont" may split, but "3.5" and
  // "data.gouv.fr" never do.
  const boundary = /(?:[.!?…]+["»”')\]]*(?=\s+["«“'([]?[\p{Lu}\p{N}])\s+)|\n+/gu;
  let start = 0;
  for (const match of text.matchAll(boundary)) {
    const end = match.index + match[0].length;
    spans.push({ start, end });
    start = end;
  }
  if (start < text.length) spans.push({ start, end: text.length });
  return spans;
}
