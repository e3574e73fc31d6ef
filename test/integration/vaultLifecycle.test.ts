import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Vault } from '../../src/shared/contract/vaults.ts';
import type { VaultId } from '../../src/shared/ids.ts';
import { writeNotes } from '../support/temporary.ts';
import { createTestApp, indexVault, type TestApp, until } from '../support/testApp.ts';

const NOTES = 400;
const notes = Object.fromEntries(
  Array.from({ length: NOTES }, (_, index) => [`n${index}.md`, `# Note ${index}\n\nTexte ${index}.`]),
);

let test: TestApp;
afterEach(() => test.dispose());

const progress = async () => (await test.app.client.vaults.list())[0]?.progress;

/** A watched vault that is being indexed, with some of its notes done and some not. */
async function inTheMiddle(): Promise<VaultId> {
  test = createTestApp(notes);
  test.app.watch();
  const { id } = await test.app.client.vaults.add({ path: test.vault });
  await until(async () => ((await progress())?.indexed ?? 0) > 0);
  expect((await progress())?.indexed).toBeLessThan(NOTES);
  return id;
}

const isComplete = async () => {
  const now = await progress();
  return now?.state === 'idle' && now.indexed === NOTES && now.pending === 0;
};

describe('a vault that is removed while it is being indexed', () => {
  it('is indexed to the end when the removal is undone before its indexer has closed', async () => {
    const id = await inTheMiddle();
    const removed = test.app.client.vaults.remove({ id });
    await test.app.client.vaults.restore({ id });
    await removed;
    await until(isComplete);
    writeNotes(test.vault, { 'après.md': 'Une note de plus.' });
    await until(async () => (await progress())?.indexed === NOTES + 1);
  });

  it('is indexed to the end when it is removed and restored several times at once', async () => {
    const id = await inTheMiddle();
    const removals: Promise<unknown>[] = [];
    for (let round = 0; round < 4; round += 1) {
      removals.push(test.app.client.vaults.remove({ id }));
      if (round % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await test.app.client.vaults.restore({ id });
    }
    await Promise.all(removals);
    await until(isComplete);
  });

  it('is not worked on when the last word was to remove it', async () => {
    const id = await inTheMiddle();
    const removals = [test.app.client.vaults.remove({ id })];
    await test.app.client.vaults.restore({ id });
    removals.push(test.app.client.vaults.remove({ id }));
    await Promise.all(removals);
    expect(test.app.services.vaults.indexing()).toBe(false);
    const rows = () =>
      test.app.services.db.get<{ n: number }>("SELECT count(*) AS n FROM notes WHERE status = 'indexed'")?.n;
    const before = rows();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(rows()).toBe(before);
    expect(await test.app.client.vaults.list()).toEqual([]);
  });

  it('is indexed to the end when it is added again by its path', async () => {
    const id = await inTheMiddle();
    const removed = test.app.client.vaults.remove({ id });
    expect((await test.app.client.vaults.add({ path: test.vault })).id).toBe(id);
    await removed;
    await until(isComplete);
  });

  it('stays paused through removal and restoration, and catches up when it is resumed', async () => {
    const id = await inTheMiddle();
    await test.app.client.vaults.pause({ id });
    const removed = test.app.client.vaults.remove({ id });
    await test.app.client.vaults.restore({ id });
    await removed;
    expect((await progress())?.state).toBe('paused');
    const { indexed } = (await progress()) ?? {};
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await progress()).toMatchObject({ state: 'paused', indexed });
    await test.app.client.vaults.resume({ id });
    await until(isComplete);
  });

  it('ends an index call with NOT_FOUND', async () => {
    const id = await inTheMiddle();
    const events = (await test.app.client.vaults.index({ path: test.vault }))[Symbol.asyncIterator]();
    await events.next();
    void test.app.client.vaults.remove({ id });
    const readToTheEnd = async () => {
      while (!(await events.next()).done);
    };
    await expect(readToTheEnd()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('closing the app while a vault is being indexed', () => {
  it.each([0, 20, 60])(
    'ends %i ms after a removal and its undoing, and the next start completes it',
    async (ms) => {
      const id = await inTheMiddle();
      const removed = test.app.client.vaults.remove({ id });
      await test.app.client.vaults.restore({ id });
      await new Promise((resolve) => setTimeout(resolve, ms));
      await test.reopen();
      await removed;
      test.app.watch();
      await until(isComplete);
    },
  );

  it('ends whoever waits for the index, and refuses who comes later', async () => {
    const id = await inTheMiddle();
    const { vaults } = test.app.services;
    const indexer = vaults.indexer(id);
    const waiting = indexer.reconcile();
    const ended = expect(waiting).rejects.toThrow();
    await test.app.close();
    await ended;
    await expect(indexer.reconcile()).rejects.toThrow();
    await test.reopen();
  });
});

describe('a paused vault', () => {
  it('is indexed once when that is asked for, and stays paused', async () => {
    test = createTestApp({ 'a.md': 'Une note.' });
    const { id } = await test.app.client.vaults.add({ path: test.vault });
    await test.app.client.vaults.pause({ id });
    expect(await indexVault(test.app, test.vault)).toMatchObject({ notes: 1 });
    expect((await progress())?.state).toBe('paused');
  });

  it('may lag behind its folder: the doctor compares it again once it is resumed', async () => {
    test = createTestApp({ 'a.md': 'Une note.', 'b.md': 'Une autre.', 'c.md': 'La dernière.' });
    const { client } = test.app;
    await indexVault(test.app, test.vault);
    const { id } = (await client.vaults.list())[0] as Vault;
    await client.vaults.pause({ id });
    writeNotes(test.vault, { 'a.md': 'Une note récrite.', 'nouvelle.md': 'Encore une.' });
    rmSync(join(test.vault, 'b.md'));
    for (const repair of [false, true])
      expect(await client.app.doctor({ repair })).toMatchObject({ ok: true, findings: [] });
    const listed = (await client.notes.list({})).notes.map(({ path }) => path);
    expect(listed.toSorted()).toEqual(['a.md', 'b.md', 'c.md']);
    rmSync(test.vault, { recursive: true });
    expect(await client.app.doctor({})).toMatchObject({ ok: true });
    await client.vaults.resume({ id });
    const { findings } = await client.app.doctor({});
    expect(findings.map(({ code }) => code)).toEqual(['vault-unavailable']);
  });

  it('says that it is paused, whatever it was doing when the pause came', async () => {
    for (let ms = 0; ms < 30; ms += 6) {
      test = createTestApp(notes);
      test.app.watch();
      const { id } = await test.app.client.vaults.add({ path: test.vault });
      await new Promise((resolve) => setTimeout(resolve, ms));
      await test.app.client.vaults.pause({ id });
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect((await progress())?.state).toBe('paused');
      if (ms < 24) await test.dispose();
    }
  });
});

describe('restoring a vault', () => {
  it('is refused when another vault took up its folder meanwhile', async () => {
    test = createTestApp({ 'Dossier/a.md': 'Une note.' });
    const { id } = await test.app.client.vaults.add({ path: join(test.vault, 'Dossier') });
    await test.app.client.vaults.remove({ id });
    await test.app.client.vaults.add({ path: test.vault });
    await expect(test.app.client.vaults.restore({ id })).rejects.toMatchObject({ code: 'VAULT_NESTED' });
    await expect(test.app.client.vaults.add({ path: join(test.vault, 'Dossier') })).rejects.toMatchObject({
      code: 'VAULT_NESTED',
    });
  });
});

describe('a removed vault whose time is over', () => {
  it('is erased some notes at a time, so that the core can answer in between', async () => {
    let now = 1_700_000_000_000;
    test = createTestApp(notes, { now: () => now });
    await indexVault(test.app, test.vault);
    const { client, services } = test.app;
    const id = (await client.vaults.list())[0]?.id as VaultId;
    await client.vaults.remove({ id });
    now += 31 * 86_400_000;
    const run = vi.spyOn(services.db, 'run');
    await services.jobs.settled();
    const changes = run.mock.results.map(({ value }) => (value as { changes: number }).changes);
    const erased = changes.filter((_, index) =>
      /^DELETE FROM (notes|vaults)\b/.test(String(run.mock.calls[index]?.[0])),
    );
    expect(Math.max(...erased)).toBeLessThanOrEqual(200);
    expect(erased.reduce((sum, rows) => sum + rows, 0)).toBe(NOTES + 1);
    for (const table of ['vaults', 'notes', 'chunks', 'chunk_fts', 'links']) {
      expect(services.db.get(`SELECT count(*) AS n FROM ${table}`), table).toEqual({ n: 0 });
    }
  });
});

describe('a vault that is restored while it is being erased', () => {
  it('stays, and is indexed to the end again', async () => {
    test = createTestApp(notes);
    await indexVault(test.app, test.vault);
    const { client, services } = test.app;
    const id = (await client.vaults.list())[0]?.id as VaultId;
    await client.vaults.remove({ id });
    const erasing = services.vaults.purgeRemoved(Number.POSITIVE_INFINITY, new AbortController().signal);
    await client.vaults.restore({ id });
    await erasing;
    expect((await progress())?.indexed).toBe(NOTES - 200);
    expect(await indexVault(test.app, test.vault)).toMatchObject({ notes: NOTES, failed: [] });
    expect(await client.app.doctor({ repair: false })).toMatchObject({ ok: true });
  });
});

describe('a vault that came back', () => {
  it('is watched again, so that a change is seen at once', async () => {
    test = createTestApp({ 'a.md': 'noisette' });
    await indexVault(test.app, test.vault);
    test.app.watch();
    await until(async () => (await progress())?.state === 'idle');
    renameSync(test.vault, `${test.vault}-away`);
    await until(async () => (await progress())?.state === 'unavailable');
    mkdirSync(test.vault);
    writeNotes(test.vault, { 'a.md': 'noisette' });
    await indexVault(test.app, test.vault);
    await until(async () => (await progress())?.state === 'idle');
    writeNotes(test.vault, { 'b.md': 'cajou' });
    await until(async () => (await progress())?.indexed === 2);
    renameSync(`${test.vault}-away`, join(test.vault, 'away'));
  });
});
