import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { AppError } from '../../shared/errors.ts';
import { openDatabase } from '../storage/database.ts';
import { takeDataFolder } from '../storage/dataFolder.ts';
import { BACKUP_FOLDER, DATABASE_FILE } from '../storage/folderNames.ts';
import { migrations } from '../storage/migrations/index.ts';
import { knownObsidianVaults } from '../vaults/obsidian/obsidian.ts';
import { syncToDisk } from './backupFiles.ts';

/**
 * Replaces the database of a data folder by a backup. Nobody may use the folder.
 * @throws AppError BACKUP_UNUSABLE, SCHEMA_NEWER, DATA_FOLDER_BUSY, DISK_FULL
 */
export function restoreBackup(dataDir: string, file: string): { replaced: string | null } {
  checkBackup(file);
  const folder = takeDataFolder(
    dataDir,
    knownObsidianVaults().map(({ path }) => path),
  );
  try {
    return { replaced: replaceDatabase(folder.dir, file).replaced };
  } finally {
    folder.release();
  }
}

export interface Replacement {
  /** Path of the copy of the old database; null if there was none. */
  replaced: string | null;
  /** Restores the old database. */
  undo(): void;
}

/**
 * Replaces the database in `dir`, which nobody may have open, by a checked backup. The old database is first copied to
 * `backups`, and stays whole until the new one takes its name in one atomic step.
 * @throws AppError BACKUP_UNUSABLE, DISK_FULL; the old database is still in place then
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
    syncToDisk(incoming);
    const replaced = existsSync(target) ? setAside(dir) : null;
    renameSync(incoming, target);
    syncToDisk(dir);
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
 * Checks that a file is an intact Souvenir database, of a version that this program knows.
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
    if (version < 1 || (tables as { n: number }).n < 2) throw unusable('it holds no data of Souvenir');
    if (db.pragma('integrity_check(1)', { simple: true }) !== 'ok') throw unusable('it is damaged');
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw unusable('it is damaged', error);
  } finally {
    db?.close();
  }
}

/** Copies the present database to `backups` and removes its write-ahead log, which must not stay beside another database. */
function setAside(dir: string): string {
  const backups = join(dir, BACKUP_FOLDER);
  mkdirSync(backups, { recursive: true, mode: 0o700 });
  let number = 1;
  const name = () => join(backups, `before-restore-${String(number).padStart(4, '0')}.sqlite`);
  while (existsSync(name())) number += 1;
  const path = join(dir, DATABASE_FILE);
  try {
    const db = openDatabase(dir);
    db.run('VACUUM INTO ?', name());
    chmodSync(name(), 0o600);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
  } catch (error) {
    // The user may be restoring because the database cannot be opened, so its files are kept as they are.
    if (!(error instanceof AppError)) throw error;
    for (const suffix of ['', '-wal'])
      if (existsSync(path + suffix)) copyFileSync(path + suffix, name() + suffix);
  }
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  return name();
}
