import { chmodSync, copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { AppError } from '../../shared/errors.ts';
import { nameForDamaged } from '../storage/beforeOpening.ts';
import { openCopy, openDatabase } from '../storage/database.ts';
import { COPIES, copyDatabase, listCopies, makeBackupFolder, nextNumber } from '../storage/databaseCopies.ts';
import { takeDataFolder } from '../storage/dataFolder.ts';
import { deleteSince } from '../storage/erasureLedger.ts';
import { BACKUP_FOLDER, DATABASE_FILE, STATE_FILE } from '../storage/folderNames.ts';
import { readState } from '../storage/folderState.ts';
import { migrations } from '../storage/migrations/index.ts';
import { diskProblemIn } from '../support/diskProblem.ts';
import { writeWhole } from '../support/partialFile.ts';
import { knownObsidianVaults } from '../vaults/obsidian/obsidian.ts';
import { finishErasing } from './erase.ts';
import { keepForgotten } from './keepForgotten.ts';
import { eraseOldReplaced } from './replacedCopies.ts';

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
    // An erasure that a crash interrupted would end at the next start, with what is restored now.
    finishErasing(folder.dir);
    const { replaced } = replaceDatabase(folder.dir, file);
    eraseOldReplaced(folder.dir);
    return { replaced };
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
 * @throws AppError BACKUP_UNUSABLE, DISK_FULL, DISK_FAILED; the old database is still in place then
 */
export function replaceDatabase(dir: string, file: string): Replacement {
  const source = resolve(file);
  const target = join(dir, DATABASE_FILE);
  let replaced: string | null = null;
  try {
    writeWhole(target, (incoming) => {
      const copy = new BetterSqlite3(source, { readonly: true });
      copy.prepare('VACUUM INTO ?').run(incoming);
      copy.close();
      bringUpToDate(incoming, dir);
      replaced = setAside(dir);
      const restored = openCopy(incoming);
      try {
        keepForgotten(restored, dir, replaced);
      } finally {
        restored.close();
      }
    });
    const undo = () => {
      for (const suffix of ['-wal', '-shm']) rmSync(target + suffix, { force: true });
      // The new database stays until the old one takes its place.
      if (replaced === null) rmSync(target, { force: true });
      else copyFile(replaced, target);
      // It has fewer commits than the other may have claimed meanwhile.
      rmSync(join(dir, STATE_FILE), { force: true });
    };
    return { replaced, undo };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const reason = (error as { code?: string }).code ?? (error as Error).name;
    throw new AppError(
      diskProblemIn(dir, error) ?? 'BACKUP_UNUSABLE',
      { path: source, reason },
      { cause: error },
    );
  }
}

/**
 * Sets the database of a data folder aside, so that Souvenir starts with an empty one. Copies stay, and the newest takes a name under
 * which the copies of the new database do not replace it. Nobody may have the database open.
 * @throws AppError DISK_FULL, DATA_FOLDER_UNWRITABLE; what the file system throws
 */
export function startAnew(dir: string): void {
  const replaced = setAside(dir);
  const backups = join(dir, BACKUP_FOLDER);
  const newest = listCopies(backups, COPIES.backup)[0];
  if (newest !== undefined)
    renameSync(
      newest,
      join(backups, `before-restore-${nextNumber(backups, COPIES['before-restore'])}.sqlite`),
    );
  for (const name of [DATABASE_FILE, STATE_FILE]) rmSync(join(dir, name), { force: true });
  const db = openDatabase(dir, undefined, { anew: true });
  try {
    keepForgotten(db, dir, replaced);
  } finally {
    db.close();
  }
}

/**
 * Deletes in a copy what was deleted since it was made, and has it count on from the commits that the data folder has seen: copies
 * and deletions of one folder stay in order whatever is restored. The copy is brought to the present schema.
 */
function bringUpToDate(path: string, dir: string): void {
  const copy = openCopy(path);
  try {
    copy.transaction(() => {
      deleteSince(copy, dir);
      const claimed = readState(dir);
      if (claimed !== null && claimed !== 'unreadable')
        copy.run('UPDATE commits SET count = max(count, ?) + 1', claimed.commits);
    });
  } finally {
    copy.close();
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

/**
 * Copies the present database to `backups` and removes its write-ahead log, which must not stay beside another database. What is too
 * damaged to be copied is kept there as it is.
 * @returns the path of the copy; null if there was no database
 */
function setAside(dir: string): string | null {
  const path = join(dir, DATABASE_FILE);
  const backups = join(dir, BACKUP_FOLDER);
  const found = statSync(path, { throwIfNoEntry: false });
  let name: string | null = null;
  if (found?.isFile() && found.size > 0) {
    makeBackupFolder(backups);
    name = join(backups, `before-restore-${nextNumber(backups, COPIES['before-restore'])}.sqlite`);
    if (!copyWhole(path, name)) {
      name = nameForDamaged(dir, '.sqlite');
      copyFile(path, name);
      if (existsSync(`${path}-wal`)) copyFile(`${path}-wal`, `${name}-wal`);
    }
  } else if (found?.isDirectory()) renameSync(path, nameForDamaged(dir, ''));
  else if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    copyFile(`${path}-wal`, nameForDamaged(dir, '.sqlite-wal'));
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { recursive: true, force: true });
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
    if (diskProblemIn(dirname(target), error) === 'DISK_FULL') throw error;
    return false;
  } finally {
    db?.close();
  }
}

function copyFile(source: string, target: string): void {
  writeWhole(target, (path) => {
    copyFileSync(source, path);
    chmodSync(path, 0o600);
  });
}
