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
  let lines: Map<string, string> | undefined;
  const parsed = new Map<string, readonly (readonly [string, number])[]>();
  return {
    translations: (term) => {
      const known = parsed.get(term);
      if (known) return known;
      lines ??= readLines();
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

function readLines(): Map<string, string> {
  const text = brotliDecompressSync(readFileSync(resourcePath('lexicon.txt.br'))).toString('utf8');
  const lines = new Map<string, string>();
  for (const line of text.split('\n')) {
    const tab = line.indexOf('\t');
    lines.set(line.slice(0, tab), line.slice(tab + 1));
  }
  return lines;
}
