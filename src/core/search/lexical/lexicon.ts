import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { resourcePath } from '../../support/resources.ts';
import type { Translations } from '../../support/text/particulars.ts';

export type Lexicon = Translations;

const NONE: readonly (readonly [string, number])[] = [];

/**
 * The built-in French and English lexicon: a line for each term, its translations with their weights in hundredths. The file is
 * read at the first question, and a line is parsed when its term is asked for.
 */
export function loadLexicon(): Lexicon {
  let lines: string | undefined;
  const parsed = new Map<string, readonly (readonly [string, number])[]>();
  return {
    translations: (term) => {
      const known = parsed.get(term);
      if (known) return known;
      lines ??= readLines();
      const line = findLine(lines, term);
      if (line === null) return NONE;
      const parts = line.split(' ');
      const result = Array.from(
        { length: parts.length / 2 },
        (_, index) => [parts[2 * index] ?? '', Number(parts[2 * index + 1]) / 100] as const,
      );
      parsed.set(term, result);
      return result;
    },
  };
}

/** The lines of the lexicon, in the order of their terms' code units. */
const readLines = () => brotliDecompressSync(readFileSync(resourcePath('lexicon.txt.br'))).toString('utf8');

/** What follows a term in its line, by bisection: a map of all terms would take longer to build than all that is ever asked. */
function findLine(lines: string, term: string): string | null {
  let from = 0;
  let to = lines.length;
  while (from < to) {
    const start = lines.lastIndexOf('\n', ((from + to) >> 1) - 1) + 1;
    const tab = lines.indexOf('\t', start);
    const end = lines.indexOf('\n', tab);
    const found = lines.slice(start, tab);
    if (found === term) return lines.slice(tab + 1, end < 0 ? lines.length : end);
    if (found < term) from = end < 0 ? lines.length : end + 1;
    else to = start;
  }
  return null;
}
