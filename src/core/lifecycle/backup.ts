import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { AppError } from '../../shared/errors.ts';
import { DATABASE_FILE, type Db, openDatabase } from '../storage/database.ts';
import { takeDataFolder } from '../storage/dataFolder.ts';
import { migrations } from '../storage/migrations/index.ts';
import type { Clock } from '../support/clock.ts';

export interface Backup {
  path: string;
  bytes: number;
  /** Milliseconds since 1970. */
  madeAt: number;
}

const FOLDER = 'backups';
const OURS = /^souvenir-.*\.sqlite$/;
const KEPT = 7;
const DAY_MS = 86_400_000;

export type Backups = ReturnType<typeof createBackups>;

/** Copies of the database, made while it is in use. Vectors are not in them: they follow from it. */
export function createBackups(ports: { db: Db; dataDir: string; clock: Clock }) {
  const { db, clock } = ports;
  const dir = join(ports.dataDir, FOLDER);

  const list = (): Backup[] =>
    statSync(dir, { throwIfNoEntry: false })?.isDirectory()
      ? readdirSync(dir)
          .filter((name) => OURS.test(name))
          .sort()
          .reverse()
          .map((name) => {
            const path = join(dir, name);
            const { size, mtimeMs } = statSync(path);
            return { path, bytes: size, madeAt: Math.round(mtimeMs) };
          })
      : [];

  /**
   * Makes a copy, at `target` or among the ones that are kept, of which the oldest go. A copy that is cut short never bears its
   * name.
   * @throws AppError BACKUP_UNUSABLE where `target` exists or cannot be written, DISK_FULL
   */
  const copy = async (target?: string): Promise<Backup> => {
    const path = target === undefined ? newPath() : resolve(target);
    if (existsSync(path))
      throw new AppError('BACKUP_UNUSABLE', { path, reason: 'a file of this name exists' });
    const partial = `${path}.partial`;
    try {
      if (target === undefined) mkdirSync(dir, { recursive: true, mode: 0o700 });
      rmSync(partial, { force: true });
      await db.backup(partial);
      chmodSync(partial, 0o600);
      sync(partial);
      renameSync(partial, path);
    } catch (error) {
      if (existsSync(partial)) rmSync(partial, { force: true });
      if (error instanceof AppError) throw error;
      const reason = (error as { code?: string }).code ?? (error as Error).name;
      throw new AppError(
        reason === 'ENOSPC' ? 'DISK_FULL' : 'BACKUP_UNUSABLE',
        { path, reason },
        { cause: error },
      );
    }
    if (target === undefined) for (const old of list().slice(KEPT)) rmSync(old.path, { force: true });
    return { path, bytes: statSync(path).size, madeAt: clock.now() };
  };

  const newPath = (): string => {
    const stamp = new Date(clock.now())
      .toISOString()
      .replace(/\.\d+Z$/, '')
      .replaceAll(':', '');
    // One more than the latest of this second, so that the order of names is the order of time.
    const latest = list()
      .map(({ path }) => basename(path, '.sqlite'))
      .find((name) => name.startsWith(`souvenir-${stamp}-`))
      ?.slice(-4);
    return join(dir, `souvenir-${stamp}-${String(Number(latest ?? 0) + 1).padStart(4, '0')}.sqlite`);
  };

  let failure: AppError | null = null;
  const make = async (target?: string): Promise<Backup> => {
    try {
      const made = await copy(target);
      failure = null;
      return made;
    } catch (error) {
      if (error instanceof AppError) failure = error;
      throw error;
    }
  };

  return {
    list,
    make,
    /** Why the last copy could not be made; null where it was. */
    failure: (): AppError | null => failure,
    /** Is the latest of the kept ones older than a day, or is there none? */
    due: (): boolean => clock.now() - (list()[0]?.madeAt ?? 0) > DAY_MS,
  };
}

/**
 * Puts a copy in the place of the database of a data folder that nobody uses.
 * @throws AppError BACKUP_UNUSABLE, SCHEMA_NEWER, DATA_FOLDER_BUSY, DISK_FULL
 */
export function restoreBackup(dataDir: string, file: string): { replaced: string | null } {
  checkBackup(file);
  const folder = takeDataFolder(dataDir);
  try {
    return { replaced: replaceDatabase(folder.dir, file).replaced };
  } finally {
    folder.release();
  }
}

export interface Replacement {
  /** Where the database that was there is kept; null where there was none. */
  replaced: string | null;
  /** Puts it back. */
  undo(): void;
}

/**
 * Puts a checked copy in the place of the database of `dir`, which nobody has open. What was there is copied to `backups` first, and
 * stays whole until the new one takes its name in one step.
 * @throws AppError BACKUP_UNUSABLE, DISK_FULL; then the old one is in its place
 */
export function replaceDatabase(dir: string, file: string): Replacement {
  const source = resolve(file);
  const target = join(dir, DATABASE_FILE);
  const incoming = `${target}.restoring`;
  try {
    rmSync(incoming, { force: true });
    const copy = new BetterSqlite3(source, { readonly: true });
    copy.prepare('VACUUM INTO ?').run(incoming);
    copy.close();
    chmodSync(incoming, 0o600);
    sync(incoming);
    const replaced = existsSync(target) ? setAside(dir) : null;
    renameSync(incoming, target);
    sync(dir);
    const undo = () => {
      for (const suffix of ['-wal', '-shm']) rmSync(target + suffix, { force: true });
      if (replaced === null) rmSync(target, { force: true });
      else copyFileSync(replaced, target);
    };
    return { replaced, undo };
  } catch (error) {
    rmSync(incoming, { force: true });
    if (error instanceof AppError) throw error;
    const reason = (error as { code?: string }).code ?? (error as Error).name;
    const isFull = reason === 'ENOSPC' || reason === 'SQLITE_FULL';
    throw new AppError(isFull ? 'DISK_FULL' : 'BACKUP_UNUSABLE', { path: source, reason }, { cause: error });
  }
}

/**
 * Is a file a whole database of ours, of a version that we know?
 * @throws AppError BACKUP_UNUSABLE, SCHEMA_NEWER
 */
export function checkBackup(file: string): void {
  const path = resolve(file);
  const unusable = (reason: string, cause?: unknown) =>
    new AppError('BACKUP_UNUSABLE', { path, reason }, { cause });
  if (!existsSync(path)) throw unusable('there is no such file');
  let db: BetterSqlite3.Database | undefined;
  try {
    db = new BetterSqlite3(path, { readonly: true });
    const version = db.pragma('user_version', { simple: true }) as number;
    const known = migrations.at(-1)?.version ?? 0;
    if (version > known) throw new AppError('SCHEMA_NEWER', { path, found: version, known });
    const tables = db
      .prepare("SELECT count(*) AS n FROM sqlite_master WHERE name IN ('turns', 'messages')")
      .get();
    if (version < 1 || (tables as { n: number }).n < 2) throw unusable('it is no data of Souvenir');
    if (db.pragma('integrity_check(1)', { simple: true }) !== 'ok') throw unusable('it is damaged');
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw unusable('it is damaged', error);
  } finally {
    db?.close();
  }
}

/** Copies the database that is there, and folds its log into it, so that nothing of it is left beside the new one. */
function setAside(dir: string): string {
  const backups = join(dir, FOLDER);
  mkdirSync(backups, { recursive: true, mode: 0o700 });
  let number = 1;
  const name = () => join(backups, `before-restore-${String(number).padStart(4, '0')}.sqlite`);
  while (existsSync(name())) number += 1;
  const path = join(dir, DATABASE_FILE);
  try {
    const db = openDatabase(dir);
    db.run('VACUUM INTO ?', name());
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
  } catch (error) {
    // What cannot be opened is kept as it is: it may be why a copy is restored.
    if (!(error instanceof AppError)) throw error;
    for (const suffix of ['', '-wal'])
      if (existsSync(path + suffix)) copyFileSync(path + suffix, name() + suffix);
  }
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  return name();
}

function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  if (process.platform !== 'win32' && path !== dirname(path)) {
    const folder = openSync(dirname(path), 'r');
    fsyncSync(folder);
    closeSync(folder);
  }
}
