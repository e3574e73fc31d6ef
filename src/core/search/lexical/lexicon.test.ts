import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { resourcePath } from '../../support/resources.ts';
import { loadLexicon } from './lexicon.ts';

it('finds every term of the lexicon, and no other', () => {
  const { translations } = loadLexicon();
  const text = brotliDecompressSync(readFileSync(resourcePath('lexicon.txt.br'))).toString('utf8');
  const wrong = text.split('\n').filter((line) => {
    const [term = '', written] = line.split('\t');
    const read = translations(term).map(
      ([translation, weight]) => `${translation} ${Math.round(weight * 100)}`,
    );
    return read.join(' ') !== written || translations(`${term}\u0001`).length > 0;
  });
  expect(wrong).toEqual([]);
  for (const term of ['', '\u0001', '\uffff']) expect(translations(term)).toEqual([]);
});
