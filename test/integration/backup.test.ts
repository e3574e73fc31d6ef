import { copyFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApp, fixedClock, restoreBackup } from '../../src/core/app.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { ask, createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

let test: TestApp;
let home: string;
beforeEach(async () => {
  home = temporaryFolder();
  test = createTestApp({ 'Jardin.md': '# Jardin\n\nLes tomates se plantent à la mi-mai.' });
  await indexVault(test.app, test.vault);
  await test.app.client.facts.add({ content: 'Léa est allergique aux arachides' });
  await ask(test.app, 'Quand planter les tomates ?');
});
afterEach(async () => {
  await test.dispose();
  removeFolder(home);
});

const contentOf = async (dataDir: string) => {
  const app = createApp({ dataDir, version: 'test' });
  const { client } = app;
  const conversations = await client.chat.list({});
  const content = {
    facts: (await client.facts.list({ all: true })).facts,
    talks: await Promise.all(conversations.map(({ id }) => client.chat.get({ id }))),
    doctor: (await client.app.doctor({ repair: false })).ok,
  };
  await app.close();
  return content;
};

describe('a copy of the database', () => {
  it('made while notes are indexed and questions asked is whole, and restores into an empty folder', async () => {
    const file = join(home, 'copy.sqlite');
    writeNotes(
      test.vault,
      Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`n${n}.md`, `# N${n}\n\nTexte ${n}.`])),
    );
    const indexing = indexVault(test.app, test.vault);
    const asking = ask(test.app, 'Et les haies ?');
    const backup = await test.app.client.data.backUp({ path: file });
    expect(backup).toMatchObject({ path: file, bytes: readFileSync(file).length });
    await Promise.all([indexing, asking]);
    const elsewhere = join(home, 'elsewhere');
    expect(restoreBackup(elsewhere, file)).toEqual({ replaced: null });
    const { facts, talks, doctor } = await contentOf(elsewhere);
    expect(doctor).toBe(true);
    expect(facts.map(({ content }) => content)).toEqual(['Léa est allergique aux arachides']);
    expect(talks.length).toBeGreaterThan(0);
  });

  it('restored over other data gives back what it held, and keeps the other', async () => {
    const { path } = await test.app.client.data.backUp({});
    const before = (await test.app.client.facts.list({ all: true })).facts;
    await test.app.client.facts.add({ content: 'Ajouté plus tard' });
    await test.app.close();
    const { replaced } = restoreBackup(test.dataDir, path);
    const { facts, doctor } = await contentOf(test.dataDir);
    expect([facts, doctor]).toEqual([before, true]);
    const other = join(home, 'other');
    restoreBackup(other, replaced as string);
    expect((await contentOf(other)).facts).toHaveLength(2);
    test.app = createApp({ dataDir: test.dataDir, version: 'test' });
  });

  it('that is damaged, foreign or from a newer version is refused, and nothing changes', async () => {
    const { path } = await test.app.client.data.backUp({});
    await test.app.close();
    const cut = join(home, 'cut.sqlite');
    copyFileSync(path, cut);
    truncateSync(cut, 40_000);
    const text = join(home, 'text.sqlite');
    writeFileSync(text, 'not a database');
    for (const file of [cut, text, join(home, 'nowhere.sqlite')]) {
      expect(() => restoreBackup(test.dataDir, file)).toThrow(
        expect.objectContaining({ code: 'BACKUP_UNUSABLE' }) as Error,
      );
    }
    // A restore that was cut short leaves only a file of its own.
    writeFileSync(join(test.dataDir, 'souvenir.sqlite.restoring'), 'half');
    const { facts, doctor } = await contentOf(test.dataDir);
    expect([facts.length, doctor]).toEqual([1, true]);
    test.app = createApp({ dataDir: test.dataDir, version: 'test' });
  });

  it('is refused where a file stands already, or while the data is in use', async () => {
    const file = join(home, 'there.sqlite');
    writeFileSync(file, 'mine');
    await expect(test.app.client.data.backUp({ path: file })).rejects.toMatchObject({
      code: 'BACKUP_UNUSABLE',
    });
    expect(readFileSync(file, 'utf8')).toBe('mine');
    const { path } = await test.app.client.data.backUp({});
    expect(() => restoreBackup(test.dataDir, path)).toThrow(
      expect.objectContaining({ code: 'DATA_FOLDER_BUSY' }) as Error,
    );
  });

  it('is kept seven times, the oldest go, and none is left half made', async () => {
    mkdirSync(join(test.dataDir, 'backups'), { recursive: true });
    await test.app.close();
    // A clock that stands still: all are of one second.
    test.app = createApp(
      { dataDir: test.dataDir, version: 'test' },
      { clock: fixedClock(1_700_000_000_000) },
    );
    for (let time = 0; time < 12; time += 1) await test.app.client.data.backUp({});
    const { backups } = await test.app.client.data.backups();
    expect(backups).toHaveLength(7);
    expect(readdirSync(join(test.dataDir, 'backups')).some((name) => name.endsWith('.partial'))).toBe(false);
    expect(backups[0]?.path).toMatch(/-0012\.sqlite$/);
  });
});
