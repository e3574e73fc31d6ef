import { createApp } from '../../src/core/app.ts';
import type { MirroredIndex } from '../../src/core/embedding/vectorMirror.ts';
import { dot, loadWordVectors } from '../../src/core/embedding/wordVectors.ts';
import { KINDS } from '../../src/core/items/index.ts';
import { functionWords } from '../../src/core/support/text/stopWords.ts';
import { tokenise } from '../../src/core/support/text/tokenise.ts';
import type { ImportFile } from '../../src/shared/contract/chat.ts';
import { seeded } from '../support/seeded.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { readVectors } from '../support/testApp.ts';
import { addFacts, benchConsolidation } from './consolidation.ts';
import { benchIndexingGrowth } from './indexing.ts';
import { benchPrompts } from './prompts.ts';
import { benchSummariser } from './summariser.ts';
import { benchToolCalls } from './toolCalls.ts';
import { benchWindow } from './window.ts';

/**
 * Speed, a JSON line for each measure with its baseline from the same run. The text is made from a seed: words drawn by
 * Zipf's law, as in any language. 10,000 memories (4,000 facts, 6,000 turns) and 10,000 passages of notes.
 */
const TURNS = 6_000;
const FACTS = 4_000;
const NOTES = 2_000;
const PASSAGES_PER_NOTE = 5;
const QUESTIONS = 500;
const NEAREST = 20;

const random = seeded(7);
// The most frequent words of a language are its function words.
const vocabulary = [...functionWords, ...Array.from({ length: 20_000 }, () => word())];
const sentence = (length: number) =>
  Array.from({ length }, () => vocabulary[zipf(vocabulary.length)]).join(' ');

const dataDir = temporaryFolder();
const vault = temporaryFolder();
const app = createApp({ dataDir, version: 'bench' });
try {
  await benchIndexing();
  addFacts(app, FACTS, sentence);
  await app.client.chat.import(history());
  await app.services.vectors.settled();
  await benchRetrieval();
  await benchVectors();
} finally {
  await app.close();
  removeFolder(dataDir);
  removeFolder(vault);
}
await benchIndexingGrowth(print);
await benchConsolidation(print, sentence);
await benchToolCalls(print, sentence);
await benchSummariser(print, sentence);
await benchPrompts(print);
await benchWindow(print);

/**
 * A whole retrieval, stage by stage, against a bare pipeline over the same rows: embed the words, scan the vectors, one FTS5
 * query of every word, merge by rank, fetch the best.
 */
async function benchRetrieval(): Promise<void> {
  const { answerer } = app.services;
  const bare = barePipeline(await readVectors(app));
  const questions = Array.from({ length: QUESTIONS }, () => sentence(8));
  for (const text of questions.slice(0, 20)) {
    await answerer.preview({ text: `${text} .`, noDeadline: true });
    bare(text);
  }
  const stages: Record<string, number[]> = {};
  const baseline: number[] = [];
  // One after the other, so that both meet the same moments of a busy machine.
  for (const text of questions) {
    const { timingsMs } = await answerer.preview({ text, noDeadline: true });
    for (const [stage, ms] of Object.entries(timingsMs)) stages[stage] = [...(stages[stage] ?? []), ms];
    baseline.push(time(() => bare(text)));
  }
  for (const [stage, values] of Object.entries(stages)) {
    for (const share of [0.5, 0.95]) {
      print(`retrieve.${stage}.p${share * 100}`, quantile(values, share), 'ms', quantile(baseline, share));
    }
  }
}

function barePipeline(vectors: MirroredIndex): (text: string) => unknown {
  const { db } = app.services;
  const { matrices } = vectors;
  const { dimensions } = matrices;
  const wordVectors = loadWordVectors();
  const ids = KINDS.flatMap((kind) => matrices.ids(kind).map((id) => ({ kind, id })));
  const matrix = new Float32Array(ids.length * dimensions);
  for (const [row, { kind, id }] of ids.entries()) {
    matrix.set(matrices.vector(kind, id) as Float32Array, row * dimensions);
  }
  return (text) => {
    const terms = tokenise(text).map(({ term }) => term);
    const query = wordVectors.text(terms);
    const scores = new Float32Array(ids.length);
    for (let row = 0, at = 0; row < ids.length; row += 1, at += dimensions) {
      let sum = 0;
      for (let d = 0; d < dimensions; d += 1) sum += (query[d] as number) * (matrix[at + d] as number);
      scores[row] = sum;
    }
    const threshold = [...scores].sort((one, other) => other - one)[NEAREST] as number;
    const near = ids.filter((_, row) => (scores[row] as number) > threshold).map(({ id }) => id);
    const matched = db.all<{ id: string }>(
      `SELECT c.id FROM chunk_fts f JOIN chunks c ON c.rowid = f.rowid WHERE chunk_fts MATCH ? ORDER BY rank LIMIT ${NEAREST}`,
      terms.map((term) => `"${term}"`).join(' OR '),
    );
    const merged = new Map<string, number>();
    for (const list of [near, matched.map(({ id }) => id)]) {
      for (const [rank, id] of list.entries()) merged.set(id, (merged.get(id) ?? 0) + 1 / (60 + rank));
    }
    const best = [...merged].sort((one, other) => other[1] - one[1]).slice(0, NEAREST);
    return db.all(
      'SELECT * FROM chunks WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(best.map(([id]) => id)),
    );
  };
}

/** Recall of the 20 nearest against an exact search written here, and time, under filters. The baseline is a plain scan. */
async function benchVectors(): Promise<void> {
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
async function benchIndexing(): Promise<void> {
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

function history(): ImportFile {
  return {
    conversations: Array.from({ length: TURNS / 100 }, (_, conversation) => ({
      id: `c${conversation}` as never,
      channel: 'import',
      title: sentence(4),
      messages: Array.from({ length: 200 }, (_unused, message) => ({
        id: `m${message}` as never,
        role: message % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content: sentence(25),
        createdAt: 1_700_000_000_000 + conversation * 86_400_000 + message * 60_000,
      })),
    })),
  };
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

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
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
