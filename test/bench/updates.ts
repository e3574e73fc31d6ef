import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type App, createApp } from '../../src/core/app.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { indexVault } from '../support/testApp.ts';
import { folderBytes, quantile } from './figures.ts';

type Print = (name: string, value: number, unit: string, baseline: number) => void;
type Sentence = (words: number) => string;

const NOTES = 20_000;
const PASSAGES_PER_NOTE = 5;
const UPDATES = 5_000;
/** Notes that are written while the ones before are still being indexed. */
const AT_ONCE = 50;
const SAVES = 60;
const QUESTIONS = 100;
/** How often it is asked whether a note can be found. */
const LOOK_EVERY_MS = 5;
const PATIENCE_MS = 60_000;
/** What is promised of a save. */
const SAVE_MS = 250;

interface Measured {
  saves: number[];
  queries: number[];
  bytes: number;
}

/**
 * How long it takes from a save until the note can be found by its words, among 100,000 passages; the baseline is what is promised.
 * Then what 5,000 updates of single notes leave: time of a save and of a question, and bytes on the disk, against those of an index
 * that is built anew from the same notes.
 */
export async function benchUpdates(print: Print, sentence: Sentence): Promise<void> {
  const vault = temporaryFolder();
  const dataDir = temporaryFolder();
  const anew = temporaryFolder();
  try {
    const note = () =>
      Array.from({ length: PASSAGES_PER_NOTE }, () => `## ${sentence(3)}\n\n${sentence(60)}`).join('\n\n');
    writeNotes(vault, Object.fromEntries(Array.from({ length: NOTES }, (_, at) => [`n${at}.md`, note()])));
    const questions = Array.from({ length: QUESTIONS }, () => sentence(8));
    const after = await withApp(dataDir, vault, async (app) => {
      const saves = await save(app, { vault, note, mark: 'first' });
      for (const share of [0.5, 0.95]) {
        print(`save.${NOTES * PASSAGES_PER_NOTE}.p${share * 100}`, quantile(saves, share), 'ms', SAVE_MS);
      }
      for (let from = 0; from < UPDATES; from += AT_ONCE) {
        const words = Array.from({ length: AT_ONCE }, (_, at) => wordOf('update', from + at));
        for (const [at, word] of words.entries()) {
          writeFileSync(join(vault, `n${from + at}.md`), `${note()}\n\n${word}`);
        }
        for (const word of words) await untilFound(app, word);
      }
      return measure(app, { dataDir, vault, note, questions, mark: 'after' });
    });
    const fresh = await withApp(anew, vault, (app) =>
      measure(app, { dataDir: anew, vault, note, questions, mark: 'fresh' }),
    );
    for (const share of [0.5, 0.95]) {
      const of = (values: readonly number[]) => quantile(values, share);
      print(`updates.${UPDATES}.save.p${share * 100}`, of(after.saves), 'ms', of(fresh.saves));
      print(`updates.${UPDATES}.query.p${share * 100}`, of(after.queries), 'ms', of(fresh.queries));
    }
    print(`updates.${UPDATES}.disk`, after.bytes / 1e6, 'MB', fresh.bytes / 1e6);
  } finally {
    for (const folder of [vault, dataDir, anew]) removeFolder(folder);
  }
}

async function withApp<T>(dataDir: string, vault: string, work: (app: App) => Promise<T>): Promise<T> {
  const app = createApp({ dataDir, version: 'bench' });
  try {
    app.watch();
    await indexVault(app, vault);
    await app.services.vectors.settled();
    await app.services.search.whenLoaded();
    return await work(app);
  } finally {
    await app.close();
  }
}

interface Saving {
  vault: string;
  note(): string;
  /** Makes the words of these saves differ from those of others. */
  mark: string;
}

async function measure(
  app: App,
  { dataDir, questions, ...saving }: Saving & { dataDir: string; questions: readonly string[] },
): Promise<Measured> {
  const saves = await save(app, saving);
  await app.services.vectors.settled();
  const queries: number[] = [];
  for (const text of questions) {
    const { timingsMs } = await app.services.answerer.preview({ text, noDeadline: true });
    queries.push(timingsMs.total);
  }
  return { saves, queries, bytes: folderBytes(dataDir) };
}

/** Milliseconds from each save until the note is found. */
async function save(app: App, { vault, note, mark }: Saving): Promise<number[]> {
  // The first one waits for the watcher.
  const times: number[] = [];
  for (let at = 0; at <= SAVES; at += 1) {
    const word = wordOf(mark, at);
    const text = `${note()}\n\n${word}`;
    const startedAt = performance.now();
    writeFileSync(join(vault, `n${NOTES - 1 - at}.md`), text);
    await untilFound(app, word);
    if (at > 0) times.push(performance.now() - startedAt);
  }
  return times;
}

/** A word that no other note holds. */
const wordOf = (mark: string, at: number): string => `${mark}x${at}x`;

async function untilFound(app: App, word: string): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  const request = { text: word, mode: 'text' as const, limit: 1, kinds: ['note' as const] };
  while ((await app.services.search.search(request)).length === 0) {
    if (performance.now() > giveUpAt) throw new Error(`a note was not found within ${PATIENCE_MS} ms`);
    await delay(LOOK_EVERY_MS);
  }
}
