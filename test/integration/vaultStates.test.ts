import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

let test: TestApp;
afterEach(() => test.dispose());

const rows = () =>
  test.app.services.notes
    .list({ filter: 'problems', query: '', offset: 0, limit: 500 })
    .notes.map(({ path, status, reason, detail }) => ({ path, status, reason, detail }));

const find = async (text: string) => {
  const { results } = await test.app.client.retrieval.search({
    text,
    mode: 'text',
    kinds: ['note'],
    limit: 10,
  });
  return results.map((result) => result.path);
};

describe('a place in a vault that cannot be looked at', () => {
  it('is told among the notes and by the doctor while the rest goes on, and is gone once it can be', async () => {
    test = createTestApp({ 'a.md': 'noisette' });
    const name = Buffer.concat([Buffer.from(`${test.vault}/`), Buffer.from('caf\xe9.md', 'latin1')]);
    writeFileSync(name, 'arabica');
    const deep = (first: string) =>
      join(test.vault, first, ...Array.from({ length: 11 }, () => 'd'.repeat(200)));
    for (const first of ['un', 'deux']) mkdirSync(deep(first), { recursive: true });
    writeFileSync(join(deep('deux'), 'b.md'), 'amande');
    renameSync(join(test.vault, 'deux'), join(deep('un'), 'deux'));

    const report = await indexVault(test.app, test.vault);
    expect(report).toMatchObject({ notes: 1 });
    expect(report.failed).toHaveLength(2);
    expect(rows()).toMatchObject([
      { path: 'caf\\xE9.md', status: 'failed', reason: 'name-invalid', detail: null },
      { status: 'failed', reason: 'folder-unreadable', detail: 'ENAMETOOLONG' },
    ]);
    const { findings } = await test.app.client.app.doctor({ repair: false });
    expect(findings.map(({ code }) => code).sort()).toEqual(['folder-unreadable', 'name-invalid']);
    expect((await test.app.client.app.stats()).notes).toMatchObject({ indexed: 1, failed: 2 });

    renameSync(name, join(test.vault, 'café.md'));
    renameSync(join(deep('un'), 'deux'), join(test.vault, 'deux'));
    expect(await indexVault(test.app, test.vault)).toMatchObject({ notes: 3, failed: [] });
    expect(rows()).toEqual([]);
    expect(await find('amande')).toHaveLength(1);
    expect(await find('arabica')).toEqual(['café.md']);
    expect(await test.app.client.app.doctor({ repair: false })).toMatchObject({ ok: true });
  });
});

describe("a vault's own filters that cannot be read", () => {
  it('are told with the vault', async () => {
    test = createTestApp({
      '.obsidian/app.json': JSON.stringify({ userIgnoreFilters: ['/(?=x)y/', '/(a+)+$/', 'Archives/'] }),
      'Archives/x.md': 'noisette',
      'a.md': 'noisette',
    });
    await indexVault(test.app, test.vault);
    expect(await find('noisette')).toEqual(['a.md']);
    expect((await test.app.client.vaults.list())[0]?.problems).toEqual([
      { code: 'filter-unsupported', what: '/(?=x)y/' },
    ]);
  });
});
