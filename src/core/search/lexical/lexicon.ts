import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { resourcePath } from '../../support/resources.ts';

/** Terms of the other language that mean about the same, with a weight from 0 to 1. */
export interface Lexicon {
  translations(term: string): readonly (readonly [string, number])[];
}

const NONE: readonly (readonly [string, number])[] = [];

/**
 * Reads the built-in French and English lexicon: a line for each term, its translations with their weights in hundredths.
 * Lines are parsed when they are asked for.
 */
export function loadLexicon(): Lexicon {
  const text = brotliDecompressSync(readFileSync(resourcePath('lexicon.txt.br'))).toString('utf8');
  const lines = new Map<string, string>();
  for (const line of text.split('\n')) {
    const tab = line.indexOf('\t');
    lines.set(line.slice(0, tab), line.slice(tab + 1));
  }
  const parsed = new Map<string, readonly (readonly [string, number])[]>();
  return {
    translations: (term) => {
      const known = parsed.get(term);
      if (known) return known;
      const line = lines.get(term);
      if (line === undefined) return NONE;
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
