import { chmodSync, copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { AppError } from '../../shared/errors.ts';
import { COPIES, copyDatabase, makeBackupFolder, nextNumber } from '../storage/databaseCopies.ts';
import { takeDataFolder } from '../storage/dataFolder.ts';
import { BACKUP_FOLDER, DATABASE_FILE } from '../storage/folderNames.ts';
import { migrations } from '../storage/migrations/index.ts';
import { lacksRoom } from '../support/diskRoom.ts';
import { PartialFile, syncFile, syncFolder } from '../support/partialFile.ts';
import { knownObsidianVaults } from '../vaults/obsidian/obsidian.ts';

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
    syncFile(incoming);
    const replaced = existsSync(target) ? setAside(dir) : null;
    renameSync(incoming, target);
    syncFolder(dir);
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
    const isFull = lacksRoom(error, dir);
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
  // SQLite would wait for ever for what comes out of a pipe.
  if (!statSync(path).isFile()) throw unusable('it is not a regular file');
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
  const path = join(dir, DATABASE_FILE);
  const backups = join(dir, BACKUP_FOLDER);
  makeBackupFolder(backups);
  const name = join(backups, `before-restore-${nextNumber(backups, COPIES.beforeRestore)}.sqlite`);
  if (!copyWhole(path, name)) {
    // The user may be restoring because the database is damaged, so its files are kept as they are.
    for (const suffix of ['-wal', '']) if (existsSync(path + suffix)) copyFile(path + suffix, name + suffix);
  }
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  return name;
}

/** Returns false if the database is too damaged to be copied otherwise than byte by byte. */
function copyWhole(path: string, target: string): boolean {
  let db: BetterSqlite3.Database | undefined;
  try {
    db = new BetterSqlite3(path);
    copyDatabase(db, target);
    db.pragma('wal_checkpoint(TRUNCATE)');
    return true;
  } catch (error) {
    if (lacksRoom(error, dirname(target))) throw error;
    return false;
  } finally {
    db?.close();
  }
}

function copyFile(source: string, target: string): void {
  const partial = new PartialFile(target);
  try {
    copyFileSync(source, partial.path);
    chmodSync(partial.path, 0o600);
    partial.publish();
  } catch (error) {
    partial.discard();
    throw error;
  }
}
