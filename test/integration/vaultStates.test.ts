import {
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { createTestApp, indexVault, type TestApp, until } from '../support/testApp.ts';

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

/** More than may be lost unasked: 20. */
const many = Object.fromEntries(
  Array.from({ length: 30 }, (_, index) => [
    `Dossier/n${index}.md`,
    `# Note ${index}\n\nmot${index} noisette`,
  ]),
);
const vault = async () =>
  (await test.app.client.vaults.list())[0] as NonNullable<Awaited<ReturnType<typeof list>>[0]>;
const list = () => test.app.client.vaults.list();
const indexed = () => test.app.services.notes.counts().indexed;

/** A vault of `notes` that is indexed. */
async function indexedVault(notes: Record<string, string>): Promise<void> {
  test = createTestApp(notes);
  await indexVault(test.app, test.vault);
}

/** Moves everything of the vault elsewhere; what is returned puts it back. */
function takeAway(): () => void {
  const away = temporaryFolder();
  const move = (from: string, to: string) => {
    for (const name of readdirSync(from)) renameSync(join(from, name), join(to, name));
  };
  move(test.vault, away);
  return () => {
    move(away, test.vault);
    removeFolder(away);
  };
}

describe('a vault that lost nearly all its notes at once', () => {
  it('is unavailable, answers from its index, and is taken up again when they come back', async () => {
    await indexedVault(many);
    const putBack = takeAway();
    writeNotes(test.vault, { '.keep': '', 'LISEZ-MOI.md': 'Ce disque n’est pas monté.' });
    await expect(indexVault(test.app, test.vault)).rejects.toMatchObject({
      code: 'VAULT_LOST',
      data: { params: { lost: 30, known: 30 } },
    });
    expect((await vault()).progress).toMatchObject({
      state: 'unavailable',
      obstacle: { reason: 'lost', lost: 30, known: 30 },
      indexed: 30,
    });
    expect(await find('mot7')).toEqual(['Dossier/n7.md']);
    expect(await find('disque')).toEqual([]);
    const { findings } = await test.app.client.app.doctor({ repair: true });
    expect(findings).toMatchObject([{ code: 'vault-unavailable' }]);
    rmSync(join(test.vault, 'LISEZ-MOI.md'));
    putBack();
    expect(await indexVault(test.app, test.vault)).toMatchObject({ notes: 30, unchanged: 30, embedded: 0 });
    expect((await vault()).progress).toMatchObject({ state: 'idle', obstacle: null });
  });

  it.each([
    ['a file is left', ['.keep']],
    ['nothing is left', []],
  ])('loses them in the index, too, once the user confirms, where %s', async (_, left) => {
    await indexedVault(many);
    const putBack = takeAway();
    for (const name of left) writeFileSync(join(test.vault, name), '');
    await expect(indexVault(test.app, test.vault)).rejects.toMatchObject({ code: 'VAULT_LOST' });
    await test.app.client.vaults.confirm({ id: (await vault()).id });
    await until(async () => indexed() === 0 && (await vault()).progress.state === 'idle');
    expect((await vault()).progress.obstacle).toBeNull();
    // What was confirmed once does not hold for the next time.
    putBack();
    await indexVault(test.app, test.vault);
    takeAway();
    await expect(indexVault(test.app, test.vault)).rejects.toMatchObject({ code: 'VAULT_LOST' });
  });

  it('is unavailable when they go while it is watched, and says so until then', async () => {
    await indexedVault({ ...many, 'reste.md': 'une note' });
    test.app.watch();
    await until(async () => (await vault()).progress.state === 'idle');
    renameSync(join(test.vault, 'Dossier'), `${test.vault}-ailleurs`);
    await until(async () => (await vault()).progress.state === 'unavailable');
    expect((await vault()).progress.obstacle).toEqual({ reason: 'lost', lost: 30, known: 31 });
    expect(indexed()).toBe(31);
    renameSync(`${test.vault}-ailleurs`, join(test.vault, 'Dossier'));
    await indexVault(test.app, test.vault);
    await until(async () => (await vault()).progress.state === 'idle');
    expect(indexed()).toBe(31);
  });

  it.each(['Autre dossier', 'Dossier/Plus bas'])(
    'is not asked about when they were moved to %s',
    async (to) => {
      await indexedVault(many);
      const names = readdirSync(join(test.vault, 'Dossier'));
      mkdirSync(join(test.vault, to), { recursive: true });
      for (const name of names) renameSync(join(test.vault, 'Dossier', name), join(test.vault, to, name));
      expect(await indexVault(test.app, test.vault)).toMatchObject({ notes: 30, unchanged: 30 });
    },
  );

  it('is not asked about when they are left out, nor when they were few, nor when some are left', async () => {
    await indexedVault({ ...many, 'a.md': 'un', 'b.md': 'deux', 'c.md': 'trois', 'd.md': 'quatre' });
    await test.app.client.vaults.setIgnorePatterns({ id: (await vault()).id, patterns: ['Dossier/'] });
    await until(() => indexed() === 4);
    for (const name of ['a.md', 'b.md', 'c.md']) rmSync(join(test.vault, name));
    expect(await indexVault(test.app, test.vault)).toMatchObject({ notes: 1 });
    await test.app.client.vaults.setIgnorePatterns({ id: (await vault()).id, patterns: [] });
    await until(() => indexed() === 31);
    for (let index = 0; index < 26; index += 1) rmSync(join(test.vault, `Dossier/n${index}.md`));
    expect(await indexVault(test.app, test.vault)).toMatchObject({ notes: 5 });
  });
});

describe('a vault whose folder is not the one that was read', () => {
  it('is unavailable when another folder with few of its notes stands there, however small it is', async () => {
    await indexedVault({ 'a.md': 'noisette', 'b.md': 'amande', 'c.md': 'cajou' });
    renameSync(test.vault, `${test.vault}-ailleurs`);
    mkdirSync(test.vault);
    writeNotes(test.vault, { 'autre.md': 'pistache' });
    await expect(indexVault(test.app, test.vault)).rejects.toMatchObject({ code: 'VAULT_LOST' });
    expect(await find('pistache')).toEqual([]);
    expect(await find('amande')).toEqual(['b.md']);
    rmSync(test.vault, { recursive: true });
    renameSync(`${test.vault}-ailleurs`, test.vault);
    expect(await indexVault(test.app, test.vault)).toMatchObject({ notes: 3, embedded: 0 });
  });

  it('goes on when the notes are all there, as after a copy to another disk', async () => {
    await indexedVault({ 'a.md': 'noisette', 'b.md': 'amande' });
    renameSync(test.vault, `${test.vault}-ailleurs`);
    mkdirSync(test.vault);
    writeNotes(test.vault, { 'a.md': 'noisette', 'b.md': 'amande' });
    expect(await indexVault(test.app, test.vault)).toMatchObject({ notes: 2, embedded: 0 });
    removeFolder(`${test.vault}-ailleurs`);
  });

  it('is not listed when it became a link, until the user confirms where it leads', async () => {
    await indexedVault({ 'a.md': 'noisette' });
    const moved = `${realpathSync(test.vault)}-ailleurs`;
    renameSync(test.vault, moved);
    writeNotes(moved, { 'b.md': 'pistache' });
    symlinkSync(moved, test.vault);
    await expect(indexVault(test.app, test.vault)).rejects.toMatchObject({ code: 'VAULT_MOVED' });
    expect(await list()).toHaveLength(1);
    const { id, progress } = await vault();
    expect(progress).toMatchObject({ state: 'unavailable', obstacle: { reason: 'moved', target: moved } });
    expect(await find('pistache')).toEqual([]);
    await expect(test.app.client.vaults.previewIgnore({ id, patterns: ['b.md'] })).rejects.toMatchObject({
      code: 'VAULT_UNAVAILABLE',
    });
    expect(await test.app.client.vaults.confirm({ id })).toMatchObject({ id, path: moved });
    await until(async () => (await find('pistache')).length === 1);
    expect((await vault()).progress).toMatchObject({ obstacle: null, indexed: 2 });
    expect(basename((await vault()).path)).toBe(basename(moved));
    rmSync(test.vault);
    removeFolder(moved);
  });
});
