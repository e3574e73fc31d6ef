import { parseArgs } from 'node:util';
import { type App, createApp } from '../../src/core/app.ts';
import { dot } from '../../src/core/embedding/wordVectors.ts';
import { functionWords } from '../../src/core/support/text/stopWords.ts';
import { seeded } from '../support/seeded.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { readVectors } from '../support/testApp.ts';
import { benchConsolidation } from './consolidation.ts';
import { quantile } from './figures.ts';
import { benchIndexingGrowth } from './indexing.ts';
import { benchPrompts } from './prompts.ts';
import { benchRetrieval } from './retrieval.ts';
import { benchSummariser } from './summariser.ts';
import { benchToolCalls } from './toolCalls.ts';
import { benchUpdates } from './updates.ts';
import { benchWindow } from './window.ts';

/**
 * Speed, a JSON line for each measure with its baseline from the same run. The text is made from a seed: words drawn by
 * Zipf's law, as in any language. `--only retrieval` runs one part alone.
 */
const NOTES = 2_000;
const PASSAGES_PER_NOTE = 5;
const NEAREST = 20;

const random = seeded(7);
// The most frequent words of a language are its function words.
const vocabulary = [...functionWords, ...Array.from({ length: 20_000 }, () => word())];
const sentence = (length: number) =>
  Array.from({ length }, () => vocabulary[zipf(vocabulary.length)]).join(' ');

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  index: benchIndex,
  retrieval: () => benchRetrieval(print, sentence),
  updates: () => benchUpdates(print, sentence),
  growth: () => benchIndexingGrowth(print),
  consolidation: () => benchConsolidation(print, sentence),
  tools: () => benchToolCalls(print, sentence),
  summariser: () => benchSummariser(print, sentence),
  prompts: () => benchPrompts(print),
  window: () => benchWindow(print),
};
const { values } = parseArgs({ options: { only: { type: 'string' }, million: { type: 'boolean' } } });
if (values.only !== undefined && !(values.only in PARTS))
  throw new Error(`--only is one of ${Object.keys(PARTS).join(', ')}`);
for (const [name, bench] of Object.entries(PARTS)) {
  if (values.only === undefined || values.only === name) await bench();
}

async function benchIndex(): Promise<void> {
  const dataDir = temporaryFolder();
  const vault = temporaryFolder();
  const app = createApp({ dataDir, version: 'bench' });
  try {
    await benchIndexing(app, vault);
    await app.services.vectors.settled();
    await benchVectors(app);
  } finally {
    await app.close();
    removeFolder(dataDir);
    removeFolder(vault);
  }
}

/** Recall of the 20 nearest against an exact search written here, and time, under filters. The baseline is a plain scan. */
async function benchVectors(app: App): Promise<void> {
  const { matrices: vectors, embedder } = await readVectors(app);
  const ids = vectors.ids('note');
  for (const share of [0.01, 0.1, 1]) {
    const accepted = new Set(ids.filter((_, index) => index % Math.round(1 / share) === 0));
    const accept = share === 1 ? undefined : (id: string) => accepted.has(id);
    let found = 0;
    let wanted = 0;
    const ours: number[] = [];
    const exact: number[] = [];
    for (let question = 0; question < 100; question += 1) {
      const query = await embedder.embedQuery(sentence(8));
      let nearest: string[] = [];
      ours.push(
        time(() => {
          nearest = vectors.nearest('note', query, { limit: NEAREST, accept }).map(({ id }) => id);
        }),
      );
      let right: { id: string; cosine: number }[] = [];
      exact.push(
        time(() => {
          right = [...accepted]
            .map((id) => ({ id, cosine: dot(query, vectors.vector('note', id) as Float32Array) }))
            .sort((one, other) => other.cosine - one.cosine)
            .slice(0, NEAREST)
            .filter(({ cosine }) => cosine > 0);
        }),
      );
      const set = new Set(nearest);
      found += right.filter(({ id }) => set.has(id)).length;
      wanted += right.length;
    }
    print(`vectors.recall@20.filter-${share * 100}%`, found / wanted, 'share', 1);
    print(`vectors.nearest.filter-${share * 100}%.p95`, quantile(ours, 0.95), 'ms', quantile(exact, 0.95));
  }
}

/** Indexing a vault anew, vectors included, against looking through it again when nothing changed. */
async function benchIndexing(app: App, vault: string): Promise<void> {
  const sections = () =>
    Array.from({ length: PASSAGES_PER_NOTE }, (_, index) => `## Part ${index}\n\n${sentence(60)}`).join(
      '\n\n',
    );
  writeNotes(
    vault,
    Object.fromEntries(Array.from({ length: NOTES }, (_, index) => [`n${index}.md`, sections()])),
  );
  const seconds = async () => {
    const startedAt = performance.now();
    for await (const event of await app.client.vaults.index({ path: vault })) {
      if (event.type === 'report') return (performance.now() - startedAt) / 1_000;
    }
    return Number.NaN;
  };
  const first = await seconds();
  print(`index.${NOTES}-notes`, first, 's', await seconds());
}

function print(name: string, value: number, unit: string, baseline: number): void {
  const round = (number: number) => Number(number.toFixed(3));
  console.log(
    JSON.stringify({
      name,
      value: round(value),
      unit,
      baseline: round(baseline),
      ratio: round(value / baseline),
    }),
  );
}

function time(work: () => void): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

function word(): string {
  const letters = 'etaoinsrhldcumfpgwybvkxjqz';
  return Array.from(
    { length: 4 + Math.floor(random() * 6) },
    () => letters[Math.floor(random() ** 2 * letters.length)],
  ).join('');
}

/** An index below `size`, small ones often: rank r with a weight of about 1/r. */
function zipf(size: number): number {
  return Math.min(size - 1, Math.floor(size ** random()) - 1);
}
