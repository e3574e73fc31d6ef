import { type App, createApp } from '../../src/core/app.ts';
import { loadWordVectors } from '../../src/core/embedding/wordVectors.ts';
import { KINDS } from '../../src/core/items/index.ts';
import { tokenise } from '../../src/core/support/text/tokenise.ts';
import type { ImportFile } from '../../src/shared/contract/chat.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { readVectors } from '../support/testApp.ts';
import { addFacts } from './consolidation.ts';
import { folderBytes, measureMemory, quantile } from './figures.ts';
import { openPeers } from './peers.ts';

type Print = (name: string, value: number, unit: string, baseline: number) => void;
type Sentence = (words: number) => string;

/** Items that are searched: six in ten are passages of notes, three are turns, one is a fact. With `--million` there are more. */
const SIZES = [1_000, 10_000, 100_000, ...(process.argv.includes('--million') ? [1_000_000] : [])];
/** Other programs are asked at this size, and fewer questions: they take up to a second for one. */
const PEERS_AT = 10_000;
const QUESTIONS_OF_PEERS = 60;
const QUESTIONS = 300;
/** One question in five is a pasted paragraph. */
const LONG_EVERY = 5;
const NEAREST = 20;
const PASSAGES_PER_NOTE = 5;
const TURNS_PER_CONVERSATION = 100;
/** The bare pipeline asks FTS5 for the rarest words alone, without which it reads most of the index. */
const RAREST = 6;

/**
 * A whole retrieval, stage by stage, at three sizes, against a bare pipeline over the same rows: embed the words, scan typed arrays,
 * one FTS5 query of the six rarest words, merge by rank, fetch the best. What the process holds more than idle is set against the
 * bytes of the vectors, all that it has of the machine against what it has idle. Then how both grow with the number of items.
 * @param sentence a made-up sentence of that many words, drawn by Zipf's law
 */
export async function benchRetrieval(print: Print, sentence: Sentence): Promise<void> {
  const slowest: { ours: number; bare: number }[] = [];
  for (const size of SIZES) slowest.push(await benchSize(size, print, sentence));
  const [first, last] = [slowest[0], slowest.at(-1)];
  const [smallest, largest] = [SIZES[0], SIZES.at(-1)];
  if (!first || !last || !smallest || !largest) return;
  const growth = (small: number, large: number) => Math.log(large / small) / Math.log(largest / smallest);
  print('retrieve.growth', growth(first.ours, last.ours), 'exponent', growth(first.bare, last.bare));
}

async function benchSize(
  size: number,
  print: Print,
  sentence: Sentence,
): Promise<{ ours: number; bare: number }> {
  const dataDir = temporaryFolder();
  const vault = temporaryFolder();
  const app = createApp({ dataDir, version: 'bench' });
  try {
    await app.services.search.whenLoaded();
    const idle = await measureMemory();
    await fill(app, { size, vault, sentence });
    await app.services.search.whenLoaded();
    const filled = await measureMemory();
    const bare = await barePipeline(app);
    const questions = Array.from({ length: QUESTIONS }, (_, index) =>
      sentence(index % LONG_EVERY === 0 ? 60 : 8),
    );
    for (const text of questions.slice(0, 20)) {
      await app.services.answerer.preview({ text: `${text} .`, noDeadline: true });
      bare(text);
    }
    const stages: Record<string, number[]> = {};
    const baseline: number[] = [];
    // One after the other, so that both meet the same moments of a busy machine.
    for (const text of questions) {
      const { timingsMs } = await app.services.answerer.preview({ text, noDeadline: true });
      for (const [stage, ms] of Object.entries(timingsMs)) stages[stage] = [...(stages[stage] ?? []), ms];
      const startedAt = performance.now();
      bare(text);
      baseline.push(performance.now() - startedAt);
    }
    for (const [stage, values] of Object.entries(stages)) {
      for (const share of [0.5, 0.95]) {
        const name = `retrieve.${size}.${stage}.p${share * 100}`;
        print(name, quantile(values, share), 'ms', quantile(baseline, share));
      }
    }
    const { embedder } = await readVectors(app);
    const vectorBytes = size * embedder.dimensions * 4;
    if (idle && filled) {
      print(`retrieve.${size}.memory`, (filled.held - idle.held) / 1e6, 'MB', vectorBytes / 1e6);
      print(`retrieve.${size}.resident`, filled.resident / 1e6, 'MB', idle.resident / 1e6);
    } else console.error('memory is measured by `npm run bench` alone');
    print(`retrieve.${size}.disk`, folderBytes(dataDir) / 1e6, 'MB', vectorBytes / 1e6);
    if (size === PEERS_AT) await benchPeers(app, { questions, print, ours: stages.total ?? [] });
    return { ours: quantile(stages.total ?? [], 0.95), bare: quantile(baseline, 0.95) };
  } finally {
    await app.close();
    removeFolder(dataDir);
    removeFolder(vault);
  }
}

/** How long a whole retrieval takes, and as the baseline what another program takes to search the same items. */
async function benchPeers(
  app: App,
  { questions, print, ours }: { questions: readonly string[]; print: Print; ours: readonly number[] },
): Promise<void> {
  const peers = await openPeers(app);
  if (peers.length === 0) console.error('other programs are not installed: npm ci --prefix test/bench/peers');
  const { embedder } = await readVectors(app);
  for (const peer of peers) {
    const theirs: number[] = [];
    for (const text of questions.slice(0, QUESTIONS_OF_PEERS)) {
      const vector = await embedder.embedQuery(text);
      const startedAt = performance.now();
      await peer.search(text, vector);
      theirs.push(performance.now() - startedAt);
    }
    peer.close();
    for (const share of [0.5, 0.95]) {
      const name = `retrieve.${PEERS_AT}.against-${peer.name}.p${share * 100}`;
      print(name, quantile(ours, share), 'ms', quantile(theirs, share));
    }
  }
}

interface Filling {
  size: number;
  vault: string;
  sentence: Sentence;
}

async function fill(app: App, { size, vault, sentence }: Filling): Promise<void> {
  writeNotes(
    vault,
    Object.fromEntries(
      Array.from({ length: (size * 0.6) / PASSAGES_PER_NOTE }, (_, index) => [
        `n${index}.md`,
        index % 10 === 0 ? templatedPage(sentence) : page(sentence),
      ]),
    ),
  );
  for await (const event of await app.client.vaults.index({ path: vault }))
    if (event.type === 'report') break;
  addFacts(app, size * 0.1, sentence);
  await app.client.chat.import(history(size * 0.3, sentence));
  await app.services.vectors.settled();
}

const page = (sentence: Sentence): string =>
  Array.from({ length: PASSAGES_PER_NOTE }, (_, part) => `## ${sentence(3)} ${part}\n\n${sentence(60)}`).join(
    '\n\n',
  );

/** Pages made from one template share their headings and half of their words. */
const templatedPage = (sentence: Sentence): string =>
  ['Participants', 'Agenda', 'Décisions', 'Actions', 'Next meeting']
    .map(
      (heading) => `## ${heading}\n\nTo be filled in before the weekly meeting: ${heading}. ${sentence(30)}`,
    )
    .join('\n\n');

function history(turns: number, sentence: Sentence): ImportFile {
  return {
    conversations: Array.from({ length: turns / TURNS_PER_CONVERSATION }, (_, conversation) => ({
      id: `c${conversation}` as never,
      channel: 'import',
      title: sentence(4),
      messages: Array.from({ length: TURNS_PER_CONVERSATION * 2 }, (_unused, message) => ({
        id: `m${conversation}_${message}` as never,
        role: message % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content: sentence(25),
        createdAt: 1_700_000_000_000 + conversation * 86_400_000 + message * 60_000,
      })),
    })),
  };
}

async function barePipeline(app: App): Promise<(text: string) => unknown> {
  const { db } = app.services;
  const { matrices } = await readVectors(app);
  const { dimensions } = matrices;
  const wordVectors = loadWordVectors();
  const ids = KINDS.flatMap((kind) => matrices.ids(kind).map((id) => ({ kind, id })));
  const matrix = new Float32Array(ids.length * dimensions);
  for (const [row, { kind, id }] of ids.entries()) {
    matrix.set(matrices.vector(kind, id) as Float32Array, row * dimensions);
  }
  return (text) => {
    const terms = [...new Set(tokenise(text).map(({ term }) => term))];
    const query = wordVectors.text(terms);
    const scores = new Float32Array(ids.length);
    for (let row = 0, at = 0; row < ids.length; row += 1, at += dimensions) {
      let sum = 0;
      for (let d = 0; d < dimensions; d += 1) sum += (query[d] as number) * (matrix[at + d] as number);
      scores[row] = sum;
    }
    const threshold = scores.slice().sort().at(-NEAREST) as number;
    const near = ids.filter((_, row) => (scores[row] as number) >= threshold).map(({ id }) => id);
    const rarest = db
      .all<{ term: string }>(
        'SELECT term FROM chunk_vocabulary WHERE term IN (SELECT value FROM json_each(?)) ORDER BY doc LIMIT ?',
        JSON.stringify(terms),
        RAREST,
      )
      .map(({ term }) => `"${term}"`);
    const matched = db.all<{ id: string }>(
      `SELECT c.id FROM chunk_fts f JOIN chunks c ON c.rowid = f.rowid WHERE chunk_fts MATCH ? ORDER BY rank LIMIT ${NEAREST}`,
      rarest.join(' OR '),
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
