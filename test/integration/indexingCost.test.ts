import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createTestApp, indexVault, type TestApp, until } from '../support/testApp.ts';

/** Calls that look at the disk, counted by name. */
const disk = vi.hoisted(() => ({ readdir: 0, lstat: 0 }));
vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const counted =
    <F extends 'readdir' | 'lstat'>(name: F) =>
    (...args: unknown[]) => {
      disk[name] += 1;
      return (real[name] as (...all: unknown[]) => unknown)(...args);
    };
  return { ...real, readdir: counted('readdir'), lstat: counted('lstat') };
});

let test: TestApp;
afterEach(() => test.dispose());

const copies = (count: number, text = ''): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}.md`, text]));

/** Runs `work`; gives what it asked of the database and of the disk. */
async function measure(work: () => Promise<unknown>) {
  const { db } = test.app.services;
  const sql = new Set<string>();
  let rows = 0;
  const all = vi.spyOn(db, 'all');
  const get = vi.spyOn(db, 'get');
  disk.readdir = 0;
  disk.lstat = 0;
  await work();
  for (const [text] of [...all.mock.calls, ...get.mock.calls]) sql.add(text);
  for (const { value } of all.mock.results) rows += (value as unknown[]).length;
  const statements = all.mock.calls.length + get.mock.calls.length;
  all.mockRestore();
  get.mockRestore();
  return { sql, rows, statements, ...disk };
}

/** The steps of SQLite's plan for a statement. */
const planOf = (sql: string): string[] =>
  test.app.services.db
    .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll(/@\w+|\?/g, 'NULL')}`)
    .map(({ detail }) => detail);

describe('the cost of indexing', () => {
  it.each([
    ['empty notes', ''],
    ['notes with the same text', '# Modèle\n\nToujours le même texte.'],
  ])('is bounded for each of many %s', async (_name, text) => {
    const count = 200;
    test = createTestApp(copies(count, text));
    const cost = await measure(() => indexVault(test.app, test.vault));
    expect(test.app.services.notes.counts()).toMatchObject({ indexed: count, pending: 0 });
    expect(cost.rows).toBeLessThan(12 * count);
    expect(cost.statements).toBeLessThan(12 * count);
    expect(cost.lstat).toBeLessThan(12 * count);
    // The root, a few times for the walk and to see that it is there.
    expect(cost.readdir).toBeLessThan(10);
  });

  it('reads no note row by a scan of the vault, whatever is looked up', async () => {
    test = createTestApp(copies(60));
    const { sql } = await measure(() => indexVault(test.app, test.vault));
    const byHash = [...sql].filter((text) => /\bcontent_hash = /.test(text) && text.startsWith('SELECT'));
    expect(byHash.length).toBeGreaterThan(0);
    for (const text of byHash) {
      expect(planOf(text)).toEqual([
        expect.stringContaining('notes_by_hash (vault_id=? AND content_hash=?)'),
      ]);
    }
    const counts = [...sql].filter((text) => /chunk_count\) AS/.test(text));
    expect(counts.length).toBeGreaterThan(0);
    for (const text of counts) {
      expect(planOf(text).filter((step) => /\bn(otes)?\b/.test(step))).toEqual([
        expect.stringContaining('COVERING INDEX'),
      ]);
    }
  });

  it('does not grow with the vault when a note’s links are resolved', async () => {
    test = createTestApp({ 'a.md': 'Voir [[b]].', 'b.md': 'Voir [[a]].' });
    await indexVault(test.app, test.vault);
    const note = test.app.services.notes.list({ filter: 'all', query: 'b', offset: 0, limit: 1 }).notes[0];
    const { sql } = await measure(() => test.app.client.notes.get({ id: note?.id as string }));
    for (const text of sql) {
      const steps = planOf(text);
      expect(
        steps.filter((step) => /SCAN n(otes)?\b|SEARCH n(otes)? USING INDEX \S+ \(vault_id=\?\)/.test(step)),
      ).toEqual([]);
    }
  });

  it('reads a folder once, however many of its notes are gone', async () => {
    test = createTestApp({
      ...copies(100, 'Le même.'),
      'reste.md': 'Autre chose.',
      'aussi.md': 'Encore autre chose.',
    });
    await indexVault(test.app, test.vault);
    // Were nine tenths of them gone at once, the user would be asked.
    for (const path of Object.keys(copies(80))) rmSync(join(test.vault, path));
    const { readdir } = await measure(() => indexVault(test.app, test.vault));
    expect(test.app.services.notes.counts().indexed).toBe(22);
    expect(readdir).toBeLessThan(10);
  });
});

describe('identical notes', () => {
  const idsByPath = () =>
    new Map(
      test.app.services.notes
        .list({ filter: 'all', query: '', offset: 0, limit: 500 })
        .notes.map(({ path, id }) => [path, id]),
    );

  it('keep their ids when the folder that holds them is renamed', async () => {
    const notes = Object.fromEntries(
      Object.entries(copies(80, 'Le même.')).map(([path, text]) => [`A/${path}`, text]),
    );
    test = createTestApp({ ...notes, 'autre.md': 'Autre chose.' });
    await indexVault(test.app, test.vault);
    const before = [...idsByPath().values()].sort();
    renameSync(join(test.vault, 'A'), join(test.vault, 'B'));
    expect(await indexVault(test.app, test.vault)).toMatchObject({ embedded: 0 });
    expect([...idsByPath().values()].sort()).toEqual(before);
    expect(idsByPath().has('B/n79.md')).toBe(true);
  });

  it('keep their ids when one of them is renamed while the vault is watched', async () => {
    test = createTestApp(copies(40, 'Le même.'));
    await indexVault(test.app, test.vault);
    test.app.watch();
    await until(() => test.app.services.vaults.list()[0]?.progress.state === 'idle');
    const before = idsByPath();
    renameSync(join(test.vault, 'n30.md'), join(test.vault, 'renommée.md'));
    await until(() => idsByPath().has('renommée.md') && !idsByPath().has('n30.md'));
    expect(idsByPath().get('renommée.md')).toBe(before.get('n30.md'));
    expect(test.app.services.notes.counts().indexed).toBe(40);
  });
});
