import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type App, fixedClock, restorableCopies, restoreBackup } from '../../src/core/app.ts';
import { dailyBackup } from '../../src/core/lifecycle/dailyBackup.ts';
import { AppError } from '../../src/shared/errors.ts';
import type { FactId } from '../../src/shared/ids.ts';
import { asUser, giveToUser, isRoot } from '../support/asUser.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { ask, createTestApp, openTestCore, type TestApp } from '../support/testApp.ts';

/** Longer than what was deleted can be restored. */
const AFTER_UNDO_MS = 31 * 86_400_000;

let test: TestApp;
let home: string;
const opened: App[] = [];

beforeEach(() => {
  home = temporaryFolder();
  test = createTestApp();
});
afterEach(async () => {
  for (const app of opened.splice(0)) await app.close();
  await test.dispose();
  removeFolder(home);
});

/** The data folder as a `kill -9` at this moment would leave it. */
function killedNow(): string {
  const dir = join(home, `killed-${readdirSync(home).length}`);
  cpSync(test.dataDir, dir, { recursive: true });
  return dir;
}

function open(dataDir: string): App {
  const app = openTestCore(dataDir);
  opened.push(app);
  return app;
}

const contents = async (app: App) =>
  (await app.client.facts.list({ all: true })).facts.map(({ content }) => content).toSorted();

/** Puts a folder in the place of a file. */
function asFolder(file: string): void {
  rmSync(file, { force: true });
  mkdirSync(file);
}

const database = (dir: string, suffix = '') => join(dir, `souvenir.sqlite${suffix}`);

describe('a database that is gone', () => {
  it.each([
    ['missing', (file: string) => rmSync(file)],
    ['empty', (file: string) => truncateSync(file)],
    ['a folder', asFolder],
  ])(
    'since it is %s is told, nothing takes its place, and the last copy restores it',
    async (what, damage) => {
      await test.app.client.facts.add({ content: 'Léa est allergique aux arachides' });
      const { path } = await test.app.client.data.backUp({});
      await test.app.close();
      damage(database(test.dataDir));
      const code = what === 'a folder' ? 'DATABASE_DAMAGED' : 'DATABASE_MISSING';
      for (let start = 0; start < 2; start += 1) {
        expect(() => open(test.dataDir)).toThrow(expect.objectContaining({ code }));
      }
      expect(readdirSync(join(test.dataDir, 'backups'))).toHaveLength(1);
      restoreBackup(test.dataDir, path);
      test.app = openTestCore(test.dataDir);
      expect(await contents(test.app)).toEqual(['Léa est allergique aux arachides']);
      expect(await test.app.client.app.notices()).toEqual([]);
    },
  );

  it('without any copy is told too, and so is one whose log is left', async () => {
    await test.app.client.facts.add({ content: 'Léa est allergique aux arachides' });
    const killed = killedNow();
    rmSync(database(killed));
    rmSync(join(killed, 'souvenir.state'));
    expect(() => open(killed)).toThrow(expect.objectContaining({ code: 'DATABASE_MISSING' }));
    expect(existsSync(database(killed, '-wal'))).toBe(true);
    await test.app.close();
    rmSync(database(test.dataDir));
    expect(() => open(test.dataDir)).toThrow(expect.objectContaining({ code: 'DATABASE_MISSING' }));
    test.app = open(join(home, 'other'));
  });
});

/** What may become of a file. */
const damages: [string, (file: string) => void][] = [
  ['cut to half', (file) => truncateSync(file, readFileSync(file).length / 2)],
  ['a byte short', (file) => truncateSync(file, readFileSync(file).length - 1)],
  ['empty', (file) => truncateSync(file)],
  ['zeroed', (file) => writeFileSync(file, Buffer.alloc(readFileSync(file).length))],
  ['missing', (file) => rmSync(file)],
  ['a folder', asFolder],
  [
    'flipped in the middle',
    (file) => {
      const bytes = readFileSync(file);
      const at = bytes.length >> 1;
      bytes[at] = (bytes[at] as number) ^ 1;
      writeFileSync(file, bytes);
    },
  ],
];

describe('a log that is damaged', () => {
  it.each(damages)('(%s) loses nothing without a word', async (_, damage) => {
    for (const name of ['un', 'deux', 'trois', 'quatre']) await test.app.client.facts.add({ content: name });
    const killed = killedNow();
    damage(database(killed, '-wal'));
    let app = open(killed);
    const notices = await app.client.app.notices();
    expect((await contents(app)).length).toBeLessThan(4);
    expect(notices).toMatchObject([{ code: 'changes-lost' }]);
    expect(notices[0]?.params.since).toBeLessThanOrEqual(Number(notices[0]?.params.until));
    // It is told until it was read, and not again.
    await app.close();
    app = open(killed);
    expect(await app.client.app.notices()).toEqual(notices);
    await app.client.app.dismissNotice({ code: 'changes-lost' });
    await app.close();
    expect(await open(killed).client.app.notices()).toEqual([]);
  });

  it.each(damages)('(%s) changes nothing where the database holds all of it', async (_, damage) => {
    for (const name of ['un', 'deux', 'trois', 'quatre']) await test.app.client.facts.add({ content: name });
    test.app.services.db.pragma('wal_checkpoint(PASSIVE)');
    const killed = killedNow();
    damage(database(killed, '-wal'));
    const app = open(killed);
    expect(await contents(app)).toEqual(await contents(test.app));
    expect(await app.client.app.notices()).toEqual([]);
    expect((await app.client.app.doctor({ repair: false })).findings).toEqual([]);
  });

  it('is folded once nobody reads any more, without another write', async () => {
    await test.app.client.facts.add({ content: 'un' });
    const reader = new BetterSqlite3(database(test.dataDir), { readonly: true });
    const rows = reader.prepare('SELECT content FROM facts').iterate();
    rows.next();
    // The log is to be folded after a second.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(readFileSync(database(test.dataDir, '-wal')).length).toBeGreaterThan(0);
    rows.return?.();
    reader.close();
    await expect.poll(() => readFileSync(database(test.dataDir, '-wal')).length, { timeout: 20_000 }).toBe(0);
  });

  it('is folded into the database while nobody writes, so that little is in it', async () => {
    await test.app.client.facts.add({ content: 'un' });
    expect(readFileSync(database(test.dataDir, '-wal')).length).toBeGreaterThan(0);
    await expect.poll(() => readFileSync(database(test.dataDir, '-wal')).length, { timeout: 20_000 }).toBe(0);
    const killed = killedNow();
    rmSync(database(killed, '-wal'));
    expect(await contents(open(killed))).toEqual(['un']);
  });

  it('is not claimed where nothing is missing: a state that says nothing, an index of the log that is damaged', async () => {
    await test.app.client.facts.add({ content: 'un' });
    for (const damage of [
      (dir: string) => writeFileSync(join(dir, 'souvenir.state'), 'x'),
      (dir: string) => rmSync(join(dir, 'souvenir.state')),
      (dir: string) => writeFileSync(database(dir, '-shm'), Buffer.alloc(32_768, 7)),
      (dir: string) => asFolder(database(dir, '-shm')),
      (dir: string) => asFolder(join(dir, 'souvenir.state')),
    ]) {
      const killed = killedNow();
      damage(killed);
      const app = open(killed);
      expect(await contents(app)).toEqual(['un']);
      expect(await app.client.app.notices()).toEqual([]);
    }
  });
});

describe('a definition of a table that is damaged', () => {
  it.each([
    ['an option of a full text', 'turn_fts', 'tokenize', 'tocenize'],
    ['a column', 'facts', 'importance', 'importancg'],
    ['a table', 'settings', 'CREATE TABLE settings', 'CREATE TABLE sedtings'],
    ['the table of the sums', 'row_sums', 'sum', 'swm'],
  ])('(%s) is told as damage, and a copy restores it', async (_, table, from, to) => {
    await test.app.client.facts.add({ content: 'Léa est allergique aux arachides' });
    const { path } = await test.app.client.data.backUp({});
    await test.app.close();
    const db = new BetterSqlite3(database(test.dataDir)).unsafeMode();
    db.pragma('writable_schema = ON');
    const change = 'UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?';
    // The same number of bytes, as after a bit that turned.
    expect(db.prepare(change).run(from, to, table).changes).toBe(1);
    db.close();
    const use = async () => {
      const app = open(test.dataDir);
      await app.client.app.settings();
      await contents(app);
      await ask(app, 'Qui est allergique aux arachides ?');
      await app.client.app.doctor({ repair: false });
    };
    await expect(use()).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' });
    for (const app of opened.splice(0)) await app.close();
    restoreBackup(test.dataDir, path);
    test.app = openTestCore(test.dataDir);
    expect(await contents(test.app)).toEqual(['Léa est allergique aux arachides']);
  });

  it('is not what a wrong statement is taken for', () => {
    expect(() => test.app.services.db.get('SELECT nothing')).toThrow(
      expect.objectContaining({ code: 'SQLITE_ERROR' }),
    );
  });
});

describe('restoring an old copy', () => {
  it('does not bring back what was forgotten or deleted since, even where the database is gone', async () => {
    const { client } = test.app;
    const forgotten = await client.facts.add({ content: 'Forgotten since' });
    const kept = await client.facts.add({ content: 'Kept' });
    const undone = await client.facts.add({ content: 'Forgotten and brought back' });
    const { turn: deleted } = await ask(test.app, 'Quand planter les tomates ?');
    const { turn } = await ask(test.app, 'Quand semer les carottes ?');
    const copy = await client.data.backUp({});
    await client.facts.remove({ ids: [forgotten.id, undone.id] });
    await client.facts.restore({ ids: [undone.id] });
    await client.chat.remove({ id: deleted.conversationId });
    await test.app.close();
    rmSync(database(test.dataDir));
    restoreBackup(test.dataDir, copy.path);
    test.app = openTestCore(test.dataDir);
    const { facts } = await test.app.client.facts.list({});
    expect(facts.map(({ id }) => id).toSorted()).toEqual([kept.id, undone.id].toSorted());
    expect((await test.app.client.chat.list({})).map(({ id }) => id)).toEqual([turn.conversationId]);
  });

  it('keeps what was forgotten before the copy, and imported again before it', async () => {
    const { client } = test.app;
    const fact = await client.facts.add({ content: 'Forgotten, then imported again' });
    const portions = [];
    for await (const portion of await client.data.export()) portions.push(portion);
    await client.facts.remove({ ids: [fact.id] });
    for (const portion of portions) await client.data.import(portion);
    const copy = await client.data.backUp({});
    await client.data.restore({ path: copy.path });
    expect(await contents(test.app)).toEqual(['Forgotten, then imported again']);
  });

  it.each(['deleted', 'erased for good'])(
    'keeps what was %s since the copy, and has been imported again since then',
    async (how) => {
      await test.dispose();
      let now = 1_700_000_000_000;
      test = createTestApp({}, { now: () => now });
      const { client } = test.app;
      const fact = await client.facts.add({ content: 'Forgotten, then imported again' });
      const portions = [];
      for await (const portion of await client.data.export()) portions.push(portion);
      const copy = await client.data.backUp({});
      await client.facts.remove({ ids: [fact.id] });
      if (how === 'erased for good') {
        now += AFTER_UNDO_MS;
        await test.app.services.jobs.settled();
        expect(await contents(test.app)).toEqual([]);
      }
      for (const portion of portions) await client.data.import(portion);
      await client.data.restore({ path: copy.path });
      expect((await client.facts.list({})).facts.map(({ id }) => id)).toEqual([fact.id]);
    },
  );

  it('does not bring back what was erased for good, whatever became of one file of the list of it', async () => {
    await test.dispose();
    let now = 1_700_000_000_000;
    const clock = { now: () => now };
    test = createTestApp({}, clock);
    const { client } = test.app;
    const [first, second, third] = await Promise.all(
      ['un', 'deux', 'trois'].map((content) => client.facts.add({ content })),
    );
    await client.facts.add({ content: 'Kept' });
    const { path } = await client.data.backUp({});
    await client.facts.remove({ ids: [first?.id as FactId] });
    await client.facts.remove({ ids: [second?.id as FactId] });
    now += AFTER_UNDO_MS;
    await test.app.services.jobs.settled();
    await test.app.close();
    const flip = (file: string) => {
      const bytes = readFileSync(file);
      const at = bytes.indexOf('fact_') + 7;
      bytes[at] = (bytes[at] as number) ^ 1;
      writeFileSync(file, bytes);
    };
    for (const name of ['souvenir.deleted', 'souvenir.deleted.copy'])
      for (const damage of [...damages.map(([, work]) => work), flip]) {
        const killed = killedNow();
        damage(join(killed, name));
        for (const round of [1, 2]) {
          const app = openTestCore(killed, { clock });
          if (round === 1) await app.client.facts.remove({ ids: [third?.id as FactId] });
          else await app.client.data.restore({ path: join(killed, 'backups', basename(path)) });
          const { facts } = await app.client.facts.list({});
          expect(facts.map(({ content }) => content)).toEqual(['Kept']);
          await app.close();
        }
      }
    test.app = open(join(home, 'other'));
  });

  it('counts on, so that the next start misses nothing', async () => {
    const copy = await test.app.client.data.backUp({});
    for (const content of ['un', 'deux']) await test.app.client.facts.add({ content });
    await test.app.client.data.restore({ path: copy.path });
    await test.reopen();
    expect(await test.app.client.app.notices()).toEqual([]);
  });
});

describe('copies that can be restored', () => {
  it('are listed, the newest first, with what they were made for', async () => {
    const { client } = test.app;
    expect(await client.data.copies()).toEqual([]);
    const { path } = await client.data.backUp({});
    await client.data.restore({ path });
    expect((await client.data.copies()).map(({ kind }) => kind).toSorted()).toEqual([
      'backup',
      'before-restore',
    ]);
    expect(await client.data.copies()).toEqual(restorableCopies(test.dataDir));
  });

  const replaced = async () =>
    (await test.app.client.data.copies()).filter(({ kind }) => kind === 'before-restore');
  /** Restores a copy more often than copies are kept. */
  const restoreOften = async (path: string) => {
    for (let time = 0; time < 8; time += 1) await test.app.client.data.restore({ path });
  };

  it('and were made before a restore are seven at most, unless one alone holds something', async () => {
    const { client } = test.app;
    await client.facts.add({ content: 'Le thé est dans le placard' });
    const { path } = await client.data.backUp({});
    await restoreOften(path);
    expect(await replaced()).toHaveLength(7);

    const { id } = await client.facts.add({ content: 'La clé est sous le pot' });
    for await (const _ of await client.chat.runTurn({ text: 'Où est la clé ?' }));
    await client.data.restore({ path });
    const only = (await replaced()).toSorted((one, other) => one.path.localeCompare(other.path)).at(-1);
    await restoreOften(path);
    // By the command, too.
    await test.app.close();
    restoreBackup(test.dataDir, path);
    await test.reopen();
    expect(await replaced()).toHaveLength(8);
    expect((await replaced()).map((copy) => copy.path)).toContain(only?.path);

    // What it holds is back, and in newer copies: it need not be kept any more.
    await test.app.client.data.restore({ path: only?.path as string });
    expect((await test.app.client.facts.list({})).facts.map((fact) => fact.id)).toContain(id);
    await test.app.client.data.restore({ path });
    expect((await replaced()).map((copy) => copy.path)).not.toContain(only?.path);
    expect(await replaced()).toHaveLength(7);
  });

  it('and hold what was deleted since are not kept for that', async () => {
    const { client } = test.app;
    const { path } = await client.data.backUp({});
    const { id } = await client.facts.add({ content: 'Un secret' });
    for await (const _ of await client.chat.runTurn({ text: 'Un autre secret ?' }));
    await client.data.restore({ path });
    const [holding] = await replaced();
    await client.data.restore({ path: holding?.path as string });
    await client.facts.remove({ ids: [id] });
    for (const conversation of await client.chat.list({})) await client.chat.remove({ id: conversation.id });
    await restoreOften(path);
    expect(await replaced()).toHaveLength(7);
    expect((await replaced()).map((copy) => copy.path)).not.toContain(holding?.path);
  });
});

describe('erasing everything', () => {
  /** Files of a folder that hold a text, in whatever they are written. */
  const filesWith = (dir: string, text: string) =>
    readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => {
      const file = join(dir, name);
      return statSync(file).isFile() && readFileSync(file).includes(text);
    });
  const WORD = 'arachides';

  /** Puts the word everywhere that Souvenir, its browser or a crash might. */
  const plant = async () => {
    const { client } = test.app;
    const fact = await client.facts.add({ content: `Léa est allergique aux ${WORD}` });
    await ask(test.app, `Qui est allergique aux ${WORD} ?`);
    await client.facts.remove({ ids: [fact.id] });
    const { path } = await client.data.backUp({});
    await client.data.restore({ path });
    await test.app.services.vectors.settled();
    for (const name of [
      'souvenir.sqlite.restoring',
      'souvenir.sqlite.0a1b2c3d.partial',
      'souvenir.sqlite.0a1b2c3d.partial-journal',
      'souvenir.sqlite-wal.aside',
      'souvenir.log.1',
      'keys.json',
      'backups/souvenir-2026-01-01T000000-0009.sqlite.0a1b2c3d.partial',
      'backups/damaged-0001.sqlite-wal',
      'browser/Default/History',
    ]) {
      mkdirSync(dirname(join(test.dataDir, name)), { recursive: true });
      writeFileSync(join(test.dataDir, name), WORD);
    }
  };

  it('that was cut short is finished before a copy is restored, which stays', async () => {
    const { client } = test.app;
    await client.facts.add({ content: 'Ce qui est gardé ailleurs' });
    const path = join(home, 'copy.sqlite');
    await client.data.backUp({ path });
    const inside = (await client.data.backUp({})).path;
    await test.app.close();
    writeFileSync(join(test.dataDir, 'souvenir.erasing'), '');
    expect(() => restoreBackup(test.dataDir, inside)).toThrow(
      expect.objectContaining({ code: 'BACKUP_UNUSABLE' }),
    );
    expect(existsSync(inside)).toBe(false);
    writeFileSync(join(test.dataDir, 'souvenir.erasing'), '');
    restoreBackup(test.dataDir, path);
    await test.reopen();
    expect((await test.app.client.facts.list({})).facts).toHaveLength(1);
  });

  it('leaves no byte of what was said, in no file of the data folder, and nobody else’s file is touched', async () => {
    await plant();
    writeFileSync(join(test.dataDir, 'list of mine.txt'), 'somebody else’s');
    expect(filesWith(test.dataDir, WORD).length).toBeGreaterThan(10);
    await test.app.client.data.erase();
    expect(filesWith(test.dataDir, WORD)).toEqual([]);
    expect(existsSync(join(test.dataDir, 'browser'))).toBe(false);
    expect(existsSync(join(test.dataDir, 'list of mine.txt'))).toBe(true);
    await test.app.close();
    expect(filesWith(test.dataDir, WORD)).toEqual([]);
    test.app = openTestCore(test.dataDir);
    expect(await test.app.client.app.notices()).toEqual([]);
    expect(await contents(test.app)).toEqual([]);
  });

  it('that a crash interrupts is ended by the next start', async () => {
    await plant();
    const killed = killedNow();
    writeFileSync(join(killed, 'souvenir.erasing'), '');
    rmSync(database(killed));
    const app = open(killed);
    expect(filesWith(killed, WORD)).toEqual([]);
    expect(existsSync(join(killed, 'souvenir.erasing'))).toBe(false);
    expect(await contents(app)).toEqual([]);
  });
});

describe.skipIf(!isRoot())('an erasure that a crash interrupts, and another user’s start', () => {
  it('is ended by the next start of the user', async () => {
    await test.app.client.facts.add({ content: 'Léa est allergique aux arachides' });
    const killed = killedNow();
    writeFileSync(join(killed, 'souvenir.erasing'), '');
    giveToUser(home);
    for (const name of ['souvenir.erasing', 'souvenir.log']) {
      writeFileSync(join(killed, name), '', { flag: 'a' });
      chownSync(join(killed, name), 0, 0);
    }
    await asUser(async () => {
      const app = open(killed);
      expect(existsSync(join(killed, 'souvenir.erasing'))).toBe(false);
      expect(await contents(app)).toEqual([]);
      await app.client.facts.add({ content: 'Anew' });
      await app.client.data.erase();
      expect(await contents(app)).toEqual([]);
    });
  });
});

describe('a host that can show a window', () => {
  const openDamaged = (dataDir: string) => {
    const app = openTestCore(dataDir, { opensDamaged: true });
    opened.push(app);
    return app;
  };
  /** A data folder whose database is damaged, with one backup that holds a fact. */
  const damagedFolder = async () => {
    await test.app.client.facts.add({ content: 'Léa est allergique aux arachides' });
    const { path } = await test.app.client.data.backUp({});
    const killed = killedNow();
    for (const suffix of ['-wal', '-shm']) rmSync(database(killed, suffix), { force: true });
    writeFileSync(database(killed), 'broken'.repeat(1_000));
    return { killed, copy: join(killed, 'backups', basename(path)) };
  };

  it('opens on damaged data, says so, and answers nothing but what replaces it', async () => {
    const { killed, copy } = await damagedFolder();
    const app = openDamaged(killed);
    app.watch();
    expect(app.damage?.code).toBe('DATABASE_DAMAGED');
    const { client } = app;
    expect((await client.app.hello({ protocol: 1 })).damage?.code).toBe('DATABASE_DAMAGED');
    for (const call of [client.facts.list({}), client.app.settings(), client.data.backUp({})])
      await expect(call).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' });
    expect((await client.data.copies()).map(({ path }) => path)).toEqual([copy]);
    const told: string[] = [];
    app.services.events.listen(({ type }) => told.push(type));
    await client.data.restore({ path: copy });
    expect(told).toContain('reset');
    expect(app.damage).toBeNull();
    expect((await client.app.hello({ protocol: 1 })).damage).toBeNull();
    expect(await contents(app)).toEqual(['Léa est allergique aux arachides']);
    await expect(client.data.startAnew()).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  it('stays on it where a copy cannot be used', async () => {
    const { killed, copy } = await damagedFolder();
    writeFileSync(copy, 'broken too');
    const app = openDamaged(killed);
    await expect(app.client.data.restore({ path: copy })).rejects.toMatchObject({ code: 'BACKUP_UNUSABLE' });
    expect(app.damage?.code).toBe('DATABASE_DAMAGED');
    expect(readFileSync(database(killed), 'utf8')).toContain('broken');
  });

  it('begins anew where the user wants that, and keeps the damaged files and the copies', async () => {
    const { killed, copy } = await damagedFolder();
    const bytes = readFileSync(copy);
    const app = openDamaged(killed);
    await app.client.data.startAnew();
    expect(await contents(app)).toEqual([]);
    const kept = readdirSync(join(killed, 'backups'));
    expect(kept.toSorted()).toEqual(['before-restore-0001.sqlite', 'damaged-0001.sqlite']);
    // Under its new name it makes no room for the copies of the new database.
    expect(readFileSync(join(killed, 'backups', 'before-restore-0001.sqlite'))).toEqual(bytes);
    await app.close();
    expect(await contents(open(killed))).toEqual([]);
  });

  it('erases everything where the data is damaged', async () => {
    const { killed } = await damagedFolder();
    const app = openDamaged(killed);
    await app.client.data.erase();
    expect(existsSync(join(killed, 'backups'))).toBe(false);
    expect(await contents(app)).toEqual([]);
  });
});

describe('the daily backup', () => {
  it('that finds the database damaged says so, and fails', async () => {
    const damage = new AppError('DATABASE_DAMAGED', { path: 'p', reason: 'page 7' });
    const backups = { dueAt: () => 0, make: () => Promise.reject(damage) };
    const told: AppError[] = [];
    const { handler } = dailyBackup(backups, fixedClock(1), (error) => told.push(error));
    const run = { subject: '', attempt: 1, signal: new AbortController().signal, commit: () => undefined };
    await expect(Promise.resolve(handler(run))).rejects.toBe(damage);
    expect(told).toEqual([damage]);
  });
});
