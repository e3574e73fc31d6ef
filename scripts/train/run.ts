import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { TABLE_ROWS } from '../../src/core/embedding/features.ts';
import { sharedData } from '../../test/support/sharedData.ts';
import { learnLexicon } from './lexicon.ts';
import { inverseCloze, pivotParaphrases, readEveryday, readPairs, wordPairs } from './pairs.ts';
import { trainWordVectors } from './wordVectors.ts';

/**
 * Trains the two built-in assets on the shared sentence pairs and writes them to `resources/`. Seeded: the same data gives the
 * same files. `resources/README.md` lists sources and measured quality.
 */
const DIMENSIONS = 64;
const STEPS = 8_000;

const tatoeba = sharedData('tatoeba/fra-eng.tsv');
const docs = sharedData('python-docs/fra-eng.tsv');
if (!tatoeba || !docs) {
  console.log('the shared data is not on this machine: nothing to train on');
  process.exit(1);
}
const resources = fileURLToPath(new URL('../../resources/', import.meta.url));
mkdirSync(resources, { recursive: true });
const pairs = [...readPairs(tatoeba), ...readPairs(docs)];
const startedAt = performance.now();
const seconds = () => `${Math.round((performance.now() - startedAt) / 1000)} s`;

const lexicon = learnLexicon(pairs, readEveryday());
const lines = [...lexicon]
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .map(
    ([term, translations]) =>
      `${term}\t${translations.map(([to, weight]) => `${to} ${Math.round(weight * 100)}`).join(' ')}`,
  );
writeFileSync(join(resources, 'lexicon.txt.br'), brotliCompressSync(Buffer.from(lines.join('\n'))));
console.log(`lexicon: ${lexicon.size} terms, ${seconds()}`);

// `npm run train -- lexicon` stops here.
if (process.argv.includes('lexicon')) process.exit(0);

const table = trainWordVectors(
  [
    { pairs: pairs.map(({ english, french }) => [english, french]), share: 0.5 },
    { pairs: pivotParaphrases(pairs), share: 0.15 },
    { pairs: inverseCloze(docs), share: 0.15 },
    { pairs: wordPairs(lexicon, readEveryday()), share: 0.2 },
  ],
  {
    dimensions: DIMENSIONS,
    batch: 256,
    steps: STEPS,
    seed: 11,
    onStep: (step, loss) => {
      if (step % 200 === 0) console.log(`step ${step} of ${STEPS}, loss ${loss.toFixed(3)}, ${seconds()}`);
    },
  },
);
// One scale per row, then one byte per value: measured to lose no quality.
const bytes = Buffer.alloc(8 + TABLE_ROWS * 4 + TABLE_ROWS * DIMENSIONS);
bytes.writeUInt32LE(TABLE_ROWS, 0);
bytes.writeUInt32LE(DIMENSIONS, 4);
for (let row = 0; row < TABLE_ROWS; row += 1) {
  const values = table.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS);
  const scale = Math.max(1e-9, ...values.map(Math.abs)) / 127;
  bytes.writeFloatLE(scale, 8 + row * 4);
  for (let d = 0; d < DIMENSIONS; d += 1) {
    bytes.writeInt8(Math.round((values[d] ?? 0) / scale), 8 + TABLE_ROWS * 4 + row * DIMENSIONS + d);
  }
}
writeFileSync(join(resources, 'word-vectors.bin'), bytes);
console.log(`word vectors: ${TABLE_ROWS} × ${DIMENSIONS}, ${seconds()}`);
