import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../src/core/app.ts';
import { readOwnerAddress, takeDataFolder } from '../../src/core/storage/dataFolder.ts';
import { migrate } from '../../src/core/storage/migrate.ts';
import { asUser, giveToUser, isRoot } from '../support/asUser.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

let dir: string;
beforeEach(() => {
  dir = temporaryFolder();
});
afterEach(() => removeFolder(dir));

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('data folder', () => {
  it('is the user’s alone, every file in it too', async () => {
    const dataDir = join(dir, 'data');
    const app = createApp({ dataDir, version: 'test' });
    app.publish({ pid: 1, port: 1, token: 't' });
    expect(modeOf(dataDir)).toBe(0o700);
    for (const name of readdirSync(dataDir))
      expect([name, modeOf(join(dataDir, name))]).toEqual([name, 0o600]);
    await app.close();
  });

  it('has one owner', async () => {
    const app = createApp({ dataDir: dir, version: 'test' });
    expect(() => createApp({ dataDir: dir, version: 'test' })).toThrow(/using/);
    await app.close();
    await createApp({ dataDir: dir, version: 'test' }).close();
  });

  it('is free again after its owner was killed', async () => {
    const source = fileURLToPath(new URL('../../src/core/storage/dataFolder.ts', import.meta.url));
    const script = `const { takeDataFolder } = await import(${JSON.stringify(source)});
      takeDataFolder(${JSON.stringify(dir)}); console.log('taken'); setInterval(() => {}, 1000);`;
    const owner: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => owner.stdout?.once('data', resolve));
    expect(() => takeDataFolder(dir)).toThrow(/using/);
    const ended = new Promise((resolve) => owner.once('exit', resolve));
    owner.kill('SIGKILL');
    await ended;
    takeDataFolder(dir).release();
  });

  const asFolder = (file: string) => {
    rmSync(file, { force: true });
    mkdirSync(join(file, 'inside'), { recursive: true });
  };

  it.each<[string, (lock: string) => void]>([
    ['a folder', asFolder],
    ['beside a folder that has the name of its journal', (lock) => asFolder(`${lock}-journal`)],
    ['garbage', (lock) => writeFileSync(lock, 'garbage'.repeat(1_000))],
    [
      'another database',
      (lock) => new BetterSqlite3(lock).exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x)').close(),
    ],
    ['closed to its user', (lock) => chmodSync(lock, 0)],
  ])('is locked as ever where its lock is %s', (_, damage) => {
    takeDataFolder(dir).release();
    damage(join(dir, 'owner.lock'));
    giveToUser(dir);
    asUser(() => {
      const folder = takeDataFolder(dir);
      expect(() => takeDataFolder(dir)).toThrow(/using/);
      folder.release();
    });
  });

  it.each<[string, (address: string) => void]>([
    ['a folder', asFolder],
    ['garbage', (address) => writeFileSync(address, '{"pid":')],
    ['endless', (address) => writeFileSync(address, Buffer.alloc(5_000_000, ' '))],
    ['closed to its user', (address) => chmodSync(address, 0)],
  ])(
    'has no owner that answers where its address is %s, and the next owner publishes another',
    (_, damage) => {
      const address = { pid: 1, port: 1, token: 't' };
      takeDataFolder(dir).release();
      writeFileSync(join(dir, 'owner.json'), JSON.stringify(address));
      damage(join(dir, 'owner.json'));
      giveToUser(dir);
      asUser(() => {
        expect(readOwnerAddress(dir)).toBeNull();
        const folder = takeDataFolder(dir);
        folder.publish(address);
        expect(readOwnerAddress(dir)).toEqual(address);
        folder.release();
      });
    },
  );

  it('is put in shape when it is taken: rights, folders in the place of files, files in the place of folders', () => {
    mkdirSync(join(dir, 'backups'));
    mkdirSync(join(dir, 'browser', 'Default'), { recursive: true });
    const copy = join(dir, 'backups', 'souvenir-2026-01-01T000000-0001.sqlite');
    for (const file of ['souvenir.sqlite', 'vectors', 'start', 'souvenir.log'])
      writeFileSync(join(dir, file), 'x');
    writeFileSync(copy, 'x');
    for (const name of ['souvenir.log.1', 'souvenir.state', 'souvenir.deleted', 'keys.json'])
      asFolder(join(dir, name));
    for (const path of [copy, join(dir, 'backups'), join(dir, 'souvenir.log'), join(dir, 'browser')])
      chmodSync(path, 0);
    giveToUser(dir);
    asUser(() => takeDataFolder(dir).release());
    expect(readdirSync(dir).toSorted()).toEqual([
      'backups',
      'browser',
      'owner.lock',
      'souvenir.log',
      'souvenir.sqlite',
    ]);
    expect([copy, join(dir, 'souvenir.log')].map(modeOf)).toEqual([0o600, 0o600]);
    expect([join(dir, 'backups'), join(dir, 'browser')].map(modeOf)).toEqual([0o700, 0o700]);
  });

  it.skipIf(!isRoot()).each(['souvenir.state', 'keys.json', 'vectors'])(
    'is refused, and the place named, where another user owns what is kept: %s',
    (name) => {
      takeDataFolder(dir).release();
      const path = join(dir, name);
      if (name === 'vectors') mkdirSync(path);
      else writeFileSync(path, 'x');
      giveToUser(dir);
      chownSync(path, 0, 0);
      chmodSync(path, 0o700);
      const refusal = { code: 'DATA_FOLDER_UNWRITABLE', params: { path } };
      asUser(() => expect(() => takeDataFolder(dir)).toThrow(expect.objectContaining(refusal)));
      giveToUser(dir);
      asUser(() => takeDataFolder(dir).release());
    },
  );

  it('does without another user’s log', () => {
    takeDataFolder(dir).release();
    writeFileSync(join(dir, 'souvenir.log'), 'x');
    giveToUser(dir);
    if (isRoot()) chownSync(join(dir, 'souvenir.log'), 0, 0);
    chmodSync(join(dir, 'souvenir.log'), 0o600);
    asUser(() => takeDataFolder(dir).release());
  });

  it.each([
    ['inside a vault', ['vault', 'data'], /vault/],
    ['in a synced folder', ['Dropbox', 'data'], /synced/],
  ])('is refused %s, through a link too', (_, parts, message) => {
    mkdirSync(join(dir, 'vault', '.obsidian'), { recursive: true });
    mkdirSync(join(dir, 'Dropbox'));
    expect(() => takeDataFolder(join(dir, ...parts))).toThrow(message);
    symlinkSync(join(dir, parts[0] as string), join(dir, 'link'));
    expect(() => takeDataFolder(join(dir, 'link', 'data'))).toThrow(message);
  });

  it('is refused without a name, which would be the folder where the command runs', () => {
    expect(() => takeDataFolder('')).toThrow(expect.objectContaining({ code: 'DATA_FOLDER_UNNAMED' }));
    expect(() => takeDataFolder(' ')).toThrow(expect.objectContaining({ code: 'DATA_FOLDER_UNNAMED' }));
  });

  it('is refused where it holds files of somebody else, and nothing in it changes', () => {
    writeFileSync(join(dir, 'thesis.odt'), 'x');
    chmodSync(dir, 0o755);
    expect(() => takeDataFolder(dir)).toThrow(expect.objectContaining({ code: 'DATA_FOLDER_FOREIGN' }));
    expect(modeOf(dir)).toBe(0o755);
    expect(readdirSync(dir)).toEqual(['thesis.odt']);
  });

  it.each([
    ['a database', ['souvenir.sqlite', 'my own list.txt']],
    ['the lock of an earlier start', ['owner.lock', 'my own list.txt']],
    ['nothing but backups', ['backups']],
    ['nothing but a profile, which the desktop app makes first', ['electron', '.DS_Store']],
  ])('is taken with %s in it', (_, names) => {
    for (const name of names) {
      if (name.includes('.')) writeFileSync(join(dir, name), '');
      else mkdirSync(join(dir, name));
    }
    takeDataFolder(dir).release();
    expect(modeOf(dir)).toBe(0o700);
  });

  it('is refused inside a vault of Obsidian’s own list, even one without a folder .obsidian', () => {
    const vault = join(dir, 'notes');
    mkdirSync(vault);
    expect(() => takeDataFolder(join(vault, 'deep', 'data'), [vault])).toThrow(
      expect.objectContaining({ code: 'DATA_FOLDER_IN_VAULT' }),
    );
    expect(readdirSync(vault)).toEqual([]);
    takeDataFolder(join(dir, 'notes of mine'), [vault]).release();
  });

  it('and a vault never hold each other, whichever comes first', async () => {
    const vault = join(dir, 'notes');
    mkdirSync(vault);
    const dataDir = join(vault, 'data');
    let app = createApp({ dataDir, version: 'test' });
    for (const path of [vault, dataDir]) {
      await expect(app.client.vaults.add({ path })).rejects.toMatchObject({ code: 'VAULT_HOLDS_DATA' });
    }
    expect(await app.client.vaults.list()).toEqual([]);
    // An earlier version let it in.
    app.services.db.run(
      `INSERT INTO vaults (id, name, path, added_at) VALUES ('vault_1', 'notes', ?, 1)`,
      vault,
    );
    await app.close();
    expect(() => createApp({ dataDir, version: 'test' })).toThrow(
      expect.objectContaining({ code: 'DATA_FOLDER_IN_VAULT' }),
    );
    renameSync(dataDir, join(dir, 'data'));
    app = createApp({ dataDir: join(dir, 'data'), version: 'test' });
    expect(await app.client.vaults.list()).toHaveLength(1);
    await app.close();
  });

  it('says what is wrong with a database that is none', () => {
    writeFileSync(
      join(dir, 'souvenir.sqlite'),
      'this is not a database, and long enough to be read as one'.repeat(50),
    );
    expect(() => createApp({ dataDir: dir, version: 'test' })).toThrow(/damaged/);
  });
});

describe('migrate', () => {
  const one = { version: 1, name: 'one', sql: 'CREATE TABLE a (x); INSERT INTO a VALUES (1);' };
  const two = { version: 2, name: 'two', sql: 'ALTER TABLE a ADD COLUMN y;' };
  const open = () => new BetterSqlite3(join(dir, 'm.sqlite'));
  const version = (db: BetterSqlite3.Database) => db.pragma('user_version', { simple: true });

  it('runs what is due, in order, after a copy', () => {
    const db = open();
    expect(migrate(db, [one], join(dir, 'b'))).toBeNull();
    const backup = migrate(db, [one, two], join(dir, 'b'));
    expect(version(db)).toBe(2);
    const copy = new BetterSqlite3(backup as string, { readonly: true });
    expect(version(copy)).toBe(1);
    expect(copy.prepare('SELECT x FROM a').pluck().get()).toBe(1);
    copy.close();
    db.close();
  });

  it('leaves the database as it was where a migration fails', () => {
    const db = open();
    migrate(db, [one], join(dir, 'b'));
    const broken = { version: 2, name: 'broken', sql: 'CREATE TABLE c (x); SELECT nonsense;' };
    expect(() => migrate(db, [one, broken], join(dir, 'b'))).toThrow();
    expect(version(db)).toBe(1);
    expect(db.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'c'").pluck().get()).toBe(0);
    db.close();
  });

  it('refuses a newer schema and changes nothing', () => {
    const db = open();
    migrate(db, [one, two], join(dir, 'b'));
    expect(() => migrate(db, [one], join(dir, 'b'))).toThrow(/newer/);
    expect(version(db)).toBe(2);
    db.close();
  });

  it('keeps five copies', () => {
    const db = open();
    const steps = Array.from({ length: 9 }, (_, index) => ({
      version: index + 1,
      name: `s${index}`,
      sql: `CREATE TABLE t${index} (x);`,
    }));
    for (let count = 1; count <= steps.length; count += 1) migrate(db, steps.slice(0, count), join(dir, 'b'));
    expect(readdirSync(join(dir, 'b'))).toHaveLength(5);
    db.close();
  });
});
