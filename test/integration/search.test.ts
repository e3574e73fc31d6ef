import { existsSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type EngineParts, type FindTask, openEngine } from '../../src/core/search/engine.ts';
import { byScore, type Findings, SOURCE_NAMES } from '../../src/core/search/findings.ts';
import { TermIndex } from '../../src/core/search/lexical/termIndex.ts';
import { SearchThread } from '../../src/core/search/searchThread.ts';
import { openForReading } from '../../src/core/storage/database.ts';
import type { FactId } from '../../src/shared/ids.ts';
import { defaultSettings } from '../../src/shared/settings.ts';
import { FAULTY_SEARCH_WORKER, SearchFaults } from '../support/searchFaults.ts';
import {
  ask,
  createTestApp,
  indexVault,
  lastReply,
  readVectors,
  storedVector,
  type TestApp,
  until,
} from '../support/testApp.ts';

let test: TestApp;
afterEach(() => test.dispose());

const NOTES = {
  'Jardin.md':
    '# Jardin\n\nLes tomates se plantent à la mi-mai.\n\n## Haies\n\nTailler les haies en automne.',
  'Sister.md': '# Sister\n\nMy sister lives in a small house near the sea.',
  'Chaudière.md': '# Chaudière\n\nMartin entretient la chaudière chaque septembre.',
};
const CUPBOARDS = ['du salon', 'de la cave', 'du bureau', 'de la grange', 'du couloir'];

function addFacts(count: number, from = 0): void {
  const { db, factStore } = test.app.services;
  db.transaction(() => {
    for (let index = from; index < from + count; index += 1) {
      factStore.insert({
        id: `fact_${index}` as FactId,
        content: `Le dossier ${index} est rangé dans l’armoire ${CUPBOARDS[index % CUPBOARDS.length]}`,
        kind: 'fact',
        subjects: [],
        importance: 0.5,
        source: 'manual',
        channel: null,
        turnId: null,
        expiresAt: null,
        createdAt: 1_700_000_000_000 + index,
      });
    }
  });
}

const textSearch = async (text: string) =>
  (await test.app.client.retrieval.search({ text, mode: 'text' })).results.map(({ excerpt }) => excerpt);
const find = (text: string) => test.app.services.search.find({ text, noDeadline: true });
const ids = ({ items }: Findings) => items.map(({ result }) => result.id);

/** How often the event loop turns until `work` is done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const ended = () => {
    isDone = true;
  };
  void work.then(ended, ended);
  let turns = 0;
  while (!isDone) {
    await setImmediate();
    turns += 1;
  }
  await work;
  return turns;
}

describe('a search', () => {
  it('finds a word as soon as it is committed, although it was asked for in vain just before', async () => {
    test = createTestApp();
    addFacts(1_200);
    expect(await textSearch('chrysalide')).toEqual([]);
    await test.app.client.facts.add({ content: 'La chrysalide est dans la serre' });
    expect(await textSearch('chrysalide')).toEqual(['La chrysalide est dans la serre']);
  });

  it('finds what is in use behind many that say the same and are not', async () => {
    test = createTestApp();
    addFacts(400);
    const { services, client } = test.app;
    services.db.run(
      "UPDATE facts SET content = 'Le dossier est rangé dans l’armoire du salon', body_terms = (SELECT body_terms FROM facts WHERE id = 'fact_0')",
    );
    await services.search.whenLoaded();
    const current = 'fact_399' as FactId;
    const others = Array.from({ length: 399 }, (_, index) => `fact_${index}` as FactId);
    await client.facts.remove({ ids: others });
    expect(ids(await find('Où est rangé le dossier du salon ?'))).toEqual([current]);
    await client.facts.restore({ ids: others });
    expect(ids(await find('Où est rangé le dossier du salon ?')).length).toBeGreaterThanOrEqual(20);
  });

  it('finds no turn of a deleted conversation, and each of them again once it is restored', async () => {
    test = createTestApp();
    const { services, client } = test.app;
    await services.search.whenLoaded();
    const { turn } = await ask(test.app, 'La ruche bleue est près du verger.');
    await ask(test.app, 'La ruche verte est près du verger.');
    const turns = async () =>
      (await find('Où est la ruche du verger ?')).items.filter(({ result }) => result.kind === 'turn').length;
    expect(await turns()).toBe(2);
    await client.chat.remove({ id: turn.conversationId });
    expect(await turns()).toBe(1);
    await client.chat.restore({ id: turn.conversationId });
    expect(await turns()).toBe(2);
  });

  it('sees every commit and every vector that was written before it', async () => {
    test = createTestApp();
    const { client, services } = test.app;
    for (let round = 0; round < 20; round += 1) {
      const { id } = await client.facts.add({ content: `Le code numéro ${round} est caché` });
      expect(await textSearch(`code numéro ${round}`)).toContain(`Le code numéro ${round} est caché`);
      await services.vectors.settled();
      expect(await storedVector(test.app, { kind: 'fact', id })).not.toBeNull();
      await client.facts.remove({ ids: [id] });
      expect(await textSearch(`code numéro ${round}`)).not.toContain(`Le code numéro ${round} est caché`);
      await services.vectors.settled();
      expect(await storedVector(test.app, { kind: 'fact', id })).toBeNull();
    }
  });

  it('leaves the event loop of the core to others while it runs', async () => {
    test = createTestApp();
    addFacts(4_000);
    const { search } = test.app.services;
    await search.whenReady();
    const { length } = await textSearch('Où est le dossier 12 ?');
    expect(length).toBeGreaterThan(0);
    const question = 'Dans quelle armoire est rangé le dossier du salon, de la cave ou du bureau ?';
    const turns = await turnsDuring(search.search({ text: question, mode: 'text', limit: 100 }));
    expect(turns).toBeGreaterThan(20);
    expect(await turnsDuring(find(question))).toBeGreaterThan(20);
  });

  it('gives what it gives in the thread of the core, on the same data', async () => {
    test = createTestApp(NOTES);
    await indexVault(test.app, test.vault);
    addFacts(60);
    await ask(test.app, 'Je m’appelle Nadia. Souviens-toi que la voiture est chez le garagiste.');
    await ask(test.app, 'Quand planter les tomates ?');
    // Both count the rows that there are now: statistics may lag behind by a few rows.
    const app = await test.reopen();
    await app.services.vectors.settled();
    const vectors = await readVectors(app);
    const db = openForReading(app.services.db.path);
    const index: EngineParts['index'] = () => vectors;
    await app.services.search.whenLoaded();
    const terms = new TermIndex(db);
    while (!terms.load());
    const engine = openEngine(db, index, { terms });
    const now = app.services.clock.now();
    for (const text of [
      'Quand planter les tomates ?',
      'Où habite ma sœur ?',
      'What did we talk about yesterday?',
      'Où est le dossier 12 ?',
      'Relis [[Jardin]]. Et qui entretient la chaudière ?',
    ]) {
      const values = await vectors.embedder.embedQuery(text);
      const task: FindTask = {
        text,
        now,
        settings: defaultSettings,
        limit: defaultSettings.candidatesPerSource,
        conversationId: undefined,
        channel: undefined,
        exceptTurn: undefined,
        vectorsOf: [],
        query: { fingerprint: vectors.fingerprint, values, contextual: vectors.embedder.contextual },
        sources: SOURCE_NAMES,
        deadline: null,
      };
      const expected = [...engine.find(task)].flatMap((found) => ('items' in found ? found.items : []));
      const { items, scale, skipped } = await find(text);
      expect(skipped).toEqual([]);
      expect(scale).toEqual(vectors.scale);
      expect(items.length).toBeGreaterThan(0);
      expect(items).toEqual(expected.sort(byScore).map(({ finding }) => finding));
      const searched = { text, now, filter: {}, limit: 20, query: task.query };
      for (const mode of ['text', 'semantic', 'hybrid'] as const) {
        const { results } = await app.client.retrieval.search({ text, mode, limit: 20 });
        expect(results).toEqual(engine.search({ ...searched, mode }));
      }
    }
    db.close();
  });
});

describe('the index of terms', () => {
  it('holds what was written after it was loaded: facts, turns, titles, notes, branches, and what was taken away', async () => {
    test = createTestApp(NOTES);
    const { client, services } = test.app;
    await services.search.whenLoaded();
    await services.vectors.whenReady();
    const words = ['tomates', 'haies', 'chaudière', 'Nadia', 'violon', 'ruche', 'dossier', 'moto'];
    const isCurrent = async () => {
      const db = openForReading(services.db.path);
      try {
        const terms = new TermIndex(db);
        while (!terms.load());
        const engine = openEngine(db, () => null, { terms });
        for (const text of words) {
          const search = { text, mode: 'text' as const, limit: 20 };
          const here = engine.search({
            ...search,
            filter: {},
            now: services.clock.now(),
            query: null,
          });
          expect(await services.search.search(search), text).toEqual(here);
        }
      } finally {
        db.close();
      }
    };
    await indexVault(test.app, test.vault);
    await isCurrent();
    const { turn } = await ask(test.app, 'Je joue du violon, et ma moto est bleue.');
    await isCurrent();
    await client.chat.change({ id: turn.conversationId, title: 'La ruche de Nadia' });
    await isCurrent();
    await lastReply(await client.chat.edit({ turnId: turn.id, text: 'Ma moto est verte.' }));
    await isCurrent();
    await client.chat.showBranch({ turnId: turn.id });
    await isCurrent();
    const { id } = await client.facts.add({ content: 'La ruche est près des haies' });
    await isCurrent();
    await client.facts.edit({ id, content: 'La ruche est près du dossier' });
    await isCurrent();
    await client.facts.remove({ ids: [id] });
    await isCurrent();
    writeFileSync(join(test.vault, 'Jardin.md'), '# La moto\n\nElle est dans le jardin.');
    rmSync(join(test.vault, 'Chaudière.md'));
    await indexVault(test.app, test.vault);
    await isCurrent();
    await client.chat.remove({ id: turn.conversationId });
    await isCurrent();
  });
});

describe('a search thread', () => {
  const withNotes = async (faulty = true) => {
    const faults = new SearchFaults();
    test = createTestApp(NOTES, undefined, faulty ? { searchWorker: FAULTY_SEARCH_WORKER } : {});
    await indexVault(test.app, test.vault);
    await test.app.client.facts.add({ content: 'Les tomates de Martin sont jaunes' });
    await test.app.services.vectors.settled();
    await test.app.services.search.whenReady();
    return faults;
  };

  it('that ends in the middle of a question leaves the turn an answer, and is replaced with all of its vectors', async () => {
    const faults = await withNotes();
    const before = await find('Quand planter les tomates ?');
    expect(before.skipped).toEqual([]);
    faults.ends('note');
    const { reply } = await ask(test.app, 'De quelle couleur sont les tomates de Martin ?');
    expect(reply.state).toBe('complete');
    const { traces } = await test.app.client.traces.list({});
    const trace = await test.app.client.traces.get({ id: traces[0]?.id as string });
    const reason = { code: 'failed', figures: { error: 'SEARCH_UNAVAILABLE' } };
    expect(trace.skipped).toEqual([
      { source: 'notes', reason },
      { source: 'turns', reason },
      { source: 'summaries', reason },
      { source: 'attachments', reason },
    ]);
    // What was ready before is given.
    expect(reply.citations.map(({ kind }) => kind)).toEqual(['fact']);
    const after = await until(async () => {
      const found = await find('Quand planter les tomates ?');
      return found.skipped.length === 0 ? found : null;
    });
    expect(ids(after)).toEqual(expect.arrayContaining(ids(before)));
    for (const { result, vector } of before.items) {
      const now = after.items.find((item) => item.result.id === result.id);
      expect(now?.vector).toEqual(vector);
    }
    expect(faults.starts).toBe(2);
  });

  it('that ends in the middle of a search says so, and answers the next one', async () => {
    const faults = await withNotes();
    faults.ends('note');
    const search = () => test.app.client.retrieval.search({ text: 'tomates', mode: 'text', kinds: ['note'] });
    await expect(search()).rejects.toMatchObject({ code: 'SEARCH_UNAVAILABLE' });
    expect((await search()).results).toMatchObject([{ path: 'Jardin.md' }]);
  });

  it('is started again once for each call, however often it fails', async () => {
    const faults = await withNotes();
    const search = () => test.app.client.retrieval.search({ text: 'tomates', mode: 'text', kinds: ['note'] });
    for (let failure = 1; failure <= 3; failure += 1) {
      faults.ends('note');
      await expect(search()).rejects.toMatchObject({ code: 'SEARCH_UNAVAILABLE' });
    }
    faults.none();
    expect((await search()).results).toHaveLength(1);
    expect(faults.starts).toBe(4);
  });

  it('writes to the vectors that change while it is replaced', async () => {
    const faults = await withNotes();
    const { client, services } = test.app;
    faults.ends('note');
    const ended = find('Quand planter les tomates ?');
    const { id } = await client.facts.add({ content: 'Le portail a pour code 4812' });
    await ended;
    await services.vectors.settled();
    await until(async () => (await find('tomates')).skipped.length === 0);
    expect(await storedVector(test.app, { kind: 'fact', id })).not.toBeNull();
    const { matrices } = await readVectors(test.app);
    for (const fact of matrices.ids('fact')) {
      expect(await storedVector(test.app, { kind: 'fact', id: fact })).toEqual(matrices.vector('fact', fact));
    }
  });

  it.each([
    ['by a caller that waits', undefined],
    ['by a caller that gives up', 100],
  ])('that is stuck is found out %s, and replaced', async (_, patienceMs) => {
    const faults = await withNotes();
    const thread = new SearchThread({
      entry: FAULTY_SEARCH_WORKER,
      databasePath: test.app.services.db.path,
      log: test.app.log,
      onOpened: () => undefined,
      stuckAfterMs: 400,
    });
    const task = {
      text: 'tomates',
      now: test.app.services.clock.now(),
      mode: 'text' as const,
      filter: {},
      limit: 10,
      query: null,
    };
    const search = (signal?: AbortSignal) =>
      thread.call((calls, both) => calls.search(task, { signal: both }), signal);
    await thread.open();
    const { starts } = faults;
    faults.delays('note', 60_000);
    const signal = patienceMs === undefined ? undefined : AbortSignal.timeout(patienceMs);
    await expect(search(signal)).rejects.toMatchObject(
      signal ? { name: 'TimeoutError' } : { code: 'SEARCH_UNAVAILABLE' },
    );
    faults.none();
    await until(() => faults.starts > starts);
    expect(await search()).toMatchObject({ results: expect.arrayContaining([]) as unknown[] });
    expect(faults.starts).toBe(starts + 1);
    await thread.close();
  });

  it('that is busy does not hold up other work of the core', async () => {
    const faults = await withNotes();
    faults.delays('note', 400);
    const events: string[] = [];
    const searching = find('Quand planter les tomates ?').then(() => events.push('found'));
    for await (const event of await test.app.client.vaults.index({ path: test.vault }))
      events.push(event.type);
    await searching;
    expect(events.indexOf('report')).toBeLessThan(events.indexOf('found'));
  });

  it('lets a search end before it closes, and closes the database with it', async () => {
    const faults = await withNotes();
    faults.delays('note', 200);
    const running = test.app.services.search.search({ text: 'tomates', mode: 'text', limit: 10 });
    await setImmediate();
    const closing = test.app.close();
    expect((await running).length).toBeGreaterThan(0);
    await closing;
    expect(existsSync(join(test.dataDir, 'souvenir.sqlite-wal'))).toBe(false);
  });

  it('reads the data that was put in place of what it had open, and holds no file of the old', async () => {
    await withNotes(false);
    const { client } = test.app;
    const copy = await client.data.backUp({});
    await client.facts.add({ content: 'La chrysalide est dans la serre' });
    expect(await textSearch('chrysalide')).toHaveLength(1);
    await client.data.restore({ path: copy.path });
    expect(await textSearch('chrysalide')).toEqual([]);
    expect((await find('Quand planter les tomates ?')).items.length).toBeGreaterThan(0);
    if (!existsSync('/proc/self/fd')) return;
    const open = readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return [readlinkSync(join('/proc/self/fd', fd))];
      } catch {
        // Closed since the folder was read.
        return [];
      }
    });
    expect(open.filter((path) => path.includes(test.dataDir) && path.endsWith('(deleted)'))).toEqual([]);
  });
});
