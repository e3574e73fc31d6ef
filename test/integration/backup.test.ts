import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  watch,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixedClock, restoreBackup } from '../../src/core/app.ts';
import { checkBackup } from '../../src/core/lifecycle/restore.ts';
import { migrate } from '../../src/core/storage/migrate.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { ask, createTestApp, indexVault, openTestCore, type TestApp, until } from '../support/testApp.ts';

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

const backupFolder = () => join(test.dataDir, 'backups');
const isHalfMade = (name: string) => name.includes('.partial');

const contentOf = async (dataDir: string) => {
  const app = openTestCore(dataDir);
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
    test.app = openTestCore(test.dataDir);
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
    test.app = openTestCore(test.dataDir);
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
    test.app = openTestCore(test.dataDir, { clock: fixedClock(1_700_000_000_000) });
    for (let time = 0; time < 12; time += 1) await test.app.client.data.backUp({});
    const { backups } = await test.app.client.data.backups();
    expect(backups).toHaveLength(7);
    expect(readdirSync(join(test.dataDir, 'backups')).some((name) => name.endsWith('.partial'))).toBe(false);
    expect(backups[0]?.path).toMatch(/-0012\.sqlite$/);
  });

  it('asked for many times at once is each time whole by the time that it is told, and readable by nobody else', async () => {
    const same = join(home, 'same.sqlite');
    const made = await Promise.allSettled([
      ...Array.from({ length: 6 }, () => test.app.client.data.backUp({})),
      ...Array.from({ length: 2 }, async (_, n) => {
        const backup = await test.app.client.data.backUp({ path: join(home, `copy-${n}.sqlite`) });
        restoreBackup(join(home, `restored-${n}`), backup.path);
        return backup;
      }),
      test.app.client.data.backUp({ path: same }),
      test.app.client.data.backUp({ path: same }),
    ]);
    const paths = made.flatMap((one) => (one.status === 'fulfilled' ? one.value.path : []));
    expect(new Set(paths).size).toBe(9);
    expect(made.at(-1)).toMatchObject({ reason: { code: 'BACKUP_UNUSABLE' } });
    for (const path of paths) {
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(() => checkBackup(path)).not.toThrow();
    }
    expect([...readdirSync(home), ...readdirSync(backupFolder())].filter(isHalfMade)).toEqual([]);
  });

  it('is readable by nobody else while it is made', async () => {
    const path = join(home, 'copy.sqlite');
    const modes: number[] = [];
    const watcher = watch(home, (_, name) => {
      const stats = name === null ? undefined : statSync(join(home, name), { throwIfNoEntry: false });
      if (stats) modes.push(stats.mode & 0o777);
    });
    await test.app.client.data.backUp({ path });
    await until(() => modes.length > 0);
    watcher.close();
    expect(new Set(modes)).toEqual(new Set([0o600]));
  });

  it('made after the clock was ahead is kept, and those of the wrong time go first', async () => {
    let now = Date.UTC(2031, 0, 1);
    await test.app.close();
    const open = () => openTestCore(test.dataDir, { clock: { now: () => now } });
    test.app = open();
    for (let time = 0; time < 7; time += 1) await test.app.client.data.backUp({});
    now = Date.UTC(2026, 5, 1);
    const kept: string[] = [];
    for (let time = 0; time < 3; time += 1) {
      now += 3_600_000;
      kept.unshift((await test.app.client.data.backUp({})).path);
      const { backups } = await test.app.client.data.backups();
      expect(backups.slice(0, kept.length).map(({ path }) => path)).toEqual(kept);
      expect(backups).toHaveLength(7);
    }
    expect(test.app.services.backups.dueAt()).toBe(now + 86_400_000);
  });

  it('of a damaged database fails, and the older ones stay', async () => {
    for (let time = 0; time < 7; time += 1) await test.app.client.data.backUp({});
    const { backups } = await test.app.client.data.backups();
    const { db } = test.app.services;
    const sql = "SELECT rootpage AS page FROM sqlite_schema WHERE name = 'memory_retrieval_items'";
    const { page } = db.get<{ page: number }>(sql) as { page: number };
    const [{ page_size: size }] = db.pragma('page_size') as [{ page_size: number }];
    await test.reopen(() => {
      const file = openSync(db.path, 'r+');
      writeSync(file, Buffer.alloc(200, 0xff), 0, 200, (page - 1) * size);
      closeSync(file);
    });
    await expect(test.app.client.data.backUp({})).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' });
    expect((await test.app.client.data.backups()).backups).toEqual(backups);
    expect(readdirSync(backupFolder()).filter(isHalfMade)).toEqual([]);
    await test.app.close();
    restoreBackup(test.dataDir, backups[0]?.path as string);
    test.app = openTestCore(test.dataDir);
  });

  it('that a kill left half made is removed at the next start, and nothing else', async () => {
    await test.app.client.data.backUp({});
    const ours = [
      'souvenir-2026-03-01T101500-0001.sqlite.partial',
      'souvenir-2026-03-01T101500-0002.sqlite.0a1b2c3d.partial',
      'souvenir-2026-03-01T101500-0002.sqlite.0a1b2c3d.partial-journal',
      'before-migration-v8-0001.sqlite.0a1b2c3d.partial',
      'before-restore-0001.sqlite.0a1b2c3d.partial',
    ];
    const theirs = ['mine.partial', 'souvenir.sqlite.0a1b2c3d.partial', 'before-restore-0001.sqlite'];
    await test.reopen(() => {
      for (const name of [...ours, ...theirs]) writeFileSync(join(backupFolder(), name), 'half');
    });
    const left = readdirSync(backupFolder());
    expect(left).toEqual(expect.arrayContaining(theirs));
    expect(left.filter((name) => ours.includes(name))).toEqual([]);
  });
});

describe('the copy before a migration', () => {
  it('stays when others were made of newer versions, and the oldest goes', async () => {
    const raw = new BetterSqlite3(join(home, 'm.sqlite'));
    const folder = join(home, 'copies');
    const made: string[] = [];
    for (const version of [12, 11, 10, 9, 8, 2]) {
      raw.pragma(`user_version = ${version}`);
      const next = { version: version + 1, name: 'next', sql: `CREATE TABLE next${version} (a)` };
      made.push(migrate(raw, [next], folder) as string);
      expect(existsSync(made.at(-1) as string)).toBe(true);
    }
    raw.close();
    expect(made.map((path) => existsSync(path))).toEqual([false, true, true, true, true, true]);
    for (const path of made.slice(1)) expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});
