import { createApp } from '../../src/core/app.ts';
import { tokenise } from '../../src/core/support/text/tokenise.ts';
import type { ImportFile } from '../../src/shared/contract/chat.ts';
import { seeded } from '../support/seeded.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';

/**
 * Speed, a JSON line for each measure with its baseline from the same run. The text is made from a seed: words drawn by
 * Zipf's law, as in any language.
 */
const TURNS = 6_000;
const QUESTIONS = 2_000;
const NOTES = 2_000;

const random = seeded(7);
const vocabulary = Array.from({ length: 20_000 }, () => word());
const sentence = (length: number) =>
  Array.from({ length }, () => vocabulary[zipf(vocabulary.length)]).join(' ');

const dataDir = temporaryFolder();
const vault = temporaryFolder();
const app = createApp({ dataDir, version: 'bench' });
try {
  await app.client.chat.import(history());
  benchRetrieval();
  await benchIndexing();
} finally {
  await app.close();
  removeFolder(dataDir);
  removeFolder(vault);
}

/** A whole retrieval against one naive FTS5 query that fetches as many rows: every word, joined by OR. */
function benchRetrieval(): void {
  const { retriever, db } = app.services;
  const questions = Array.from({ length: QUESTIONS }, () => sentence(8));
  const ours = questions.map((text) => time(() => retriever.retrieve({ text, noDeadline: true })));
  const naive = questions.map((text) =>
    time(() => {
      const terms = tokenise(text).map((token) => `"${token.term}"`);
      db.all('SELECT rowid FROM turn_fts WHERE turn_fts MATCH ? ORDER BY rank LIMIT 20', terms.join(' OR '));
    }),
  );
  for (const share of [0.5, 0.95]) {
    print(`retrieve.${TURNS}-turns.p${share * 100}`, quantile(ours, share), 'ms', quantile(naive, share));
  }
  print(`retrieve.${TURNS}-turns.mean`, mean(ours), 'ms', mean(naive));
}

/** Indexing a vault anew, against looking through it again when nothing changed. */
async function benchIndexing(): Promise<void> {
  const sections = () =>
    Array.from({ length: 5 }, (_, index) => `## Part ${index}\n\n${sentence(60)}`).join('\n\n');
  writeNotes(
    vault,
    Object.fromEntries(Array.from({ length: NOTES }, (_, index) => [`n${index}.md`, sections()])),
  );
  const seconds = async () => {
    for await (const event of await app.client.vaults.index({ path: vault })) {
      if (event.type === 'report') return event.report.seconds;
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
      messages: Array.from({ length: 200 }, (_, message) => ({
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

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
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
