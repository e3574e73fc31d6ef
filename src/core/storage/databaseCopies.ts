import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import type { Copy } from '../../shared/contract/data.ts';
import { AppError } from '../../shared/errors.ts';
import { syncFolder, writeWhole } from '../support/partialFile.ts';
import { isDamage } from './storageError.ts';

/**
 * Names of the kinds of copies. Each ends with a number that grows by one with every copy of its kind, whatever the clock says: the
 * highest is the newest.
 */
export const COPIES: Record<Copy['kind'], RegExp> = {
  /** Made on demand or once a day: the time in UTC. */
  backup: /^souvenir-(\d{4}-\d\d-\d\dT\d{6})-(\d{4,})\.sqlite$/,
  /** The schema that the migration found. */
  'before-migration': /^before-migration-v\d+-(\d{4,})\.sqlite$/,
  'before-restore': /^before-restore-(\d{4,})\.sqlite$/,
};

const numberOf = (path: string): number => Number(/(\d+)\.sqlite$/.exec(path)?.[1] ?? 0);

/** Paths of the copies of one kind, newest first. Files with other names are not ours to list or erase. */
export function listCopies(folder: string, kind: RegExp): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  // Numbers of earlier versions began anew with every second and schema; among equal ones the rest of the name decides.
  const byNumber = (a: string, b: string) =>
    numberOf(b) - numberOf(a) || b.localeCompare(a, 'en', { numeric: true });
  return readdirSync(folder)
    .filter((name) => kind.test(name))
    .sort(byNumber)
    .map((name) => join(folder, name));
}

/** The number that the next copy of a kind ends with. */
export function nextNumber(folder: string, kind: RegExp): string {
  const newest = listCopies(folder, kind)[0];
  return String((newest === undefined ? 0 : numberOf(newest)) + 1).padStart(4, '0');
}

/** Erases all but the newest copies of a kind. Only after a copy was found to be whole. */
export function eraseOldCopies(folder: string, kind: RegExp, kept: number): void {
  for (const path of listCopies(folder, kind).slice(kept)) rmSync(path, { force: true });
}

/** Is it the name of a copy that this program makes in the folder of backups? */
export function isCopy(name: string): boolean {
  return Object.values(COPIES).some((kind) => kind.test(name));
}

/** Makes the folder of backups (0700), so that it lasts. */
export function makeBackupFolder(folder: string): void {
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) syncFolder(dirname(folder));
}

/**
 * Copies a database to a new file, which gets its name once it is whole and on the disk.
 * @throws AppError DATABASE_DAMAGED; what SQLite and the file system throw; there is no new file then
 */
export function copyDatabase(db: BetterSqlite3.Database, target: string): void {
  writeWhole(target, (path) => {
    db.prepare('VACUUM INTO ?').run(path);
    finishCopy(path);
  });
}

/**
 * Checks that a copy is whole, and makes it one file that can be read where nothing can be written. Full texts are not checked: they are
 * derived. Takes about a second for a gigabyte.
 * @throws AppError DATABASE_DAMAGED
 */
export function finishCopy(path: string): void {
  const damaged = (reason: string, cause?: unknown) =>
    new AppError('DATABASE_DAMAGED', { path: basename(path), reason }, { cause });
  let copy: BetterSqlite3.Database | undefined;
  try {
    copy = new BetterSqlite3(path, { fileMustExist: true });
    copy.pragma('journal_mode = DELETE');
    const tables = copy
      .prepare<[], { name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
      )
      .all();
    for (const { name } of tables) {
      const found = copy.pragma(`quick_check('${name.replaceAll("'", "''")}')`, { simple: true });
      if (found !== 'ok') throw damaged(String(found));
    }
  } catch (error) {
    if (isDamage(error)) throw damaged((error as { code: string }).code, error);
    throw error;
  } finally {
    copy?.close();
  }
}
