import BetterSqlite3 from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '../../src/core/items/index.ts';
import { SUMMARISE } from '../../src/core/memory/summaries/summaries.ts';
import { rebuildFullText } from '../../src/core/search/lexical/fullTextRepair.ts';
import type { MessageId } from '../../src/shared/ids.ts';
import { hideTable } from '../support/hideTable.ts';
import { FAULTY_SEARCH_WORKER, type Faulty, SearchFaults } from '../support/searchFaults.ts';
import {
  ask,
  createTestApp,
  indexVault,
  lastReply,
  PATIENT_MS,
  type TestApp,
  until,
} from '../support/testApp.ts';

const QUESTION = 'Que dit [[Verger]] des pommiers de la cuisine ?';
const SOURCES = ['facts', 'notes', 'turns', 'summaries', 'attachments'];
const DEADLINE_MS = 700;

let test: TestApp;
let faults: SearchFaults;
let before: Awaited<ReturnType<typeof found>>;

/** One of each kind tells of the apple trees. */
beforeAll(async () => {
  faults = new SearchFaults();
  test = createTestApp(
    {
      'Verger.md': '---\naliases: [Clos]\n---\n# Verger\n\nLes pommiers se taillent en février.',
      'Haie.md': '# Haie\n\nLa haie se taille en automne.',
    },
    undefined,
    { searchWorker: FAULTY_SEARCH_WORKER },
  );
  const { client, services } = test.app;
  await indexVault(test.app, test.vault);
  await client.facts.add({ content: 'Les pommiers de la cuisine sont malades' });
  const data = Buffer.from('Les pommiers ont coûté 640 euros.').toString('base64');
  const { id } = await client.attachments.read({ name: 'devis.md', data });
  await lastReply(await client.chat.runTurn({ text: 'Voici le devis.', attachments: [id] }));
  await client.chat.import({
    conversations: [
      {
        id: 'long',
        title: 'Le verger',
        messages: Array.from({ length: 24 }, (_, n) => ({
          id: `m${n}` as MessageId,
          role: n % 2 === 0 ? 'user' : 'assistant',
          // Only their summary tells of both.
          content: `On a décidé de traiter ${n % 4 < 2 ? 'les pommiers' : 'la cuisine'} le ${n + 1} mai. ${'Encore un mot. '.repeat(20)}`,
          createdAt: Date.now() - (24 - n) * 60_000,
        })),
      },
    ],
  });
  test.app.watch();
  services.jobs.reschedule();
  await until(() => !services.summaries.isDue() && !services.jobs.has(SUMMARISE, ''), 60_000);
  await services.vectors.settled();
  await services.search.whenLoaded();
  before = await found();
});
afterEach(() => faults.none());
afterAll(() => test.dispose());

const found = async () => {
  const { items, skipped } = await test.app.services.search.find({ text: QUESTION, noDeadline: true });
  return {
    skipped,
    kinds: [...new Set(items.map(({ result }) => result.kind))].sort(),
    ids: items.map(({ result }) => result.id),
  };
};

/** Asks within a deadline, and tells what the trace says. */
async function answered(deadlineMs = PATIENT_MS) {
  await test.app.client.app.changeSettings({ timeoutMs: deadlineMs });
  const { turn, reply } = await ask(test.app, QUESTION);
  expect(reply.state).toBe('complete');
  const { traces } = await test.app.client.traces.list({});
  const { skipped, items } = await test.app.client.traces.get({ id: traces[0]?.id as string });
  await test.app.client.chat.remove({ id: turn.conversationId });
  return {
    skipped: skipped.map(({ source, reason }) => [source, reason.code, reason.figures.error ?? null]),
    kinds: new Set(items.map(({ kind }) => kind)),
  };
}

/** Everything is found again, and nothing is skipped. */
async function isBack(): Promise<void> {
  const { search, vectors } = test.app.services;
  await until(async () => {
    const now = await found();
    await vectors.settled();
    await search.whenLoaded();
    return now.skipped.length === 0 && before.ids.every((id) => now.ids.includes(id));
  });
}

it('finds every kind by itself', () => {
  expect(before).toMatchObject({ skipped: [], kinds: ['attachment', 'fact', 'note', 'summary', 'turn'] });
});

/** What can fail, and how many of the sources are ready before it is read. */
const FAULTY: [Faulty, number][] = [
  ['fact', 0],
  ['note', 1],
  ['turn', 2],
  ['summary', 3],
  ['attachment', 4],
  ['terms', 0],
  ['text', 0],
  ['vectors', 0],
  ['names', 1],
];

describe('a turn is answered, its trace tells what failed, and it is back afterwards, when', () => {
  it.each([
    ['facts', 'fact'],
    ['notes', 'note'],
    ['turns', 'turn'],
    ['summaries', 'summary'],
    ['attachments', 'attachment'],
  ] as const)('the source of %s breaks: the others give what they have', async (source, kind) => {
    faults.breaks(kind);
    const { skipped, kinds } = await answered();
    expect(skipped).toEqual([[source, 'failed', 'INTERNAL']]);
    expect([...kinds].sort()).toEqual(KINDS.filter((one) => one !== kind).sort());
    faults.none();
    await isBack();
  });

  it.each(['terms', 'vectors', 'names'] as const)(
    'the %s break: every source goes on without',
    async (part) => {
      faults.breaks(part);
      const { skipped, kinds } = await answered();
      expect(skipped).toEqual([[part, 'failed', 'INTERNAL']]);
      expect(kinds).toEqual(new Set(KINDS));
      faults.none();
      await isBack();
    },
  );

  it.each(FAULTY)('the search thread ends while it reads %s', async (part, ready) => {
    if (part === 'text') faults.breaks('terms');
    const { starts } = faults;
    faults.ends(part);
    const { skipped } = await answered();
    const ended = SOURCES.map((source) => [source, 'failed', 'SEARCH_UNAVAILABLE']);
    // What it gave in its last moment may be lost with it.
    expect(skipped).toEqual(expect.arrayContaining(ended.slice(ready)));
    expect([...ended, ['terms', 'failed', 'INTERNAL']]).toEqual(expect.arrayContaining(skipped));
    faults.none();
    await isBack();
    expect(faults.starts).toBeGreaterThan(starts);
  });

  it.each(FAULTY)(
    'reading %s takes too long: what was ready is given, and what was not if nothing was',
    async (part, ready) => {
      if (part === 'text') faults.breaks('terms');
      faults.delays(part, DEADLINE_MS * 2);
      const { skipped, kinds } = await answered(DEADLINE_MS);
      expect(skipped.filter(([source]) => source !== 'terms')).toEqual(
        ready === 0 ? [] : SOURCES.slice(ready).map((source) => [source, 'late', null]),
      );
      if (ready === 0) expect(kinds).toEqual(new Set(KINDS));
      faults.none();
      await isBack();
    },
  );

  it('the full text is damaged on the disk: words are found in memory, and without that by their meaning', async () => {
    const { db } = test.app.services;
    const beside = new BetterSqlite3(db.path);
    beside.unsafeMode().exec("UPDATE chunk_fts_data SET block = x'ffffffffffffffff' WHERE id > 1");
    beside.close();
    expect(await answered()).toMatchObject({ skipped: [] });
    faults.breaks('terms');
    const { skipped, kinds } = await answered();
    expect(skipped).toEqual(
      expect.arrayContaining([
        ['terms', 'failed', 'INTERNAL'],
        ['text', 'failed', 'DATABASE_DAMAGED'],
      ]),
    );
    expect(kinds).toEqual(new Set(KINDS));
    faults.none();
    rebuildFullText(db, 'note');
    await isBack();
  });

  it('the names of notes cannot be read', async () => {
    const show = hideTable(test.dataDir, 'note_names');
    const { skipped, kinds } = await answered();
    show();
    expect(skipped).toEqual([['names', 'failed', 'DATABASE_DAMAGED']]);
    expect(kinds).toEqual(new Set(KINDS));
    await isBack();
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e30])('vectors hold %s', async (value) => {
    const { search, vectors } = test.app.services;
    const { dimensions } = vectors.serving()?.embedder ?? { dimensions: 0 };
    const kept = await Promise.all(
      before.ids.map(async (id, place) => {
        const { kind } = (await search.find({ text: QUESTION, noDeadline: true })).items[place]?.result ?? {};
        return { kind, id };
      }),
    );
    const rows = kept.flatMap(({ kind, id }) =>
      kind === undefined ? [] : [{ kind, id, vector: new Float32Array(dimensions).fill(value) }],
    );
    const { vectors: stored } = await search.find({ text: '?', vectorsOf: rows, noDeadline: true });
    search.mirror.put(rows);
    const { kinds } = await answered();
    // Turns that damage makes near may stand for the summary of all of them.
    expect(new Set([...kinds, 'summary'])).toEqual(new Set(KINDS));
    search.mirror.put(
      rows.flatMap((row, place) => {
        const vector = stored[place];
        return vector ? [{ ...row, vector }] : [];
      }),
    );
    await isBack();
  });

  it('headings of passages are no JSON', async () => {
    const { db } = test.app.services;
    const headings = db.all<{ rowid: number; heading: string }>('SELECT rowid, heading FROM chunks');
    db.run("UPDATE chunks SET heading = '{'");
    const { skipped, kinds } = await answered();
    expect([skipped, kinds]).toEqual([[], new Set(KINDS)]);
    for (const { rowid, heading } of headings)
      db.run('UPDATE chunks SET heading = ? WHERE rowid = ?', heading, rowid);
    await isBack();
  });
});
