import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../support/logger.ts';
import { readCounts } from './commitCounter.ts';
import { BACKUP_FOLDER, DATABASE_FILE, VECTOR_FOLDER } from './folderNames.ts';
import type { DatabaseState } from './folderState.ts';

/** Damaged files that are kept for whoever wants to save something from them; older ones are erased. */
const DAMAGED_KEPT = 3;

const entry = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

/**
 * Refuses a data folder that has had a database and has none: SQLite would make an empty one, and remove the log of the other.
 * @param state what `readState` found
 * @throws AppError DATABASE_MISSING, DATABASE_DAMAGED if something else has its name
 */
export function refuseMissing(dir: string, state: DatabaseState | 'unreadable' | null): void {
  const path = join(dir, DATABASE_FILE);
  const found = entry(path);
  if (found && !found.isFile()) throw new AppError('DATABASE_DAMAGED', { path, reason: 'not a file' });
  if (found && found.size > 0) return;
  const holds = (folder: string, isOurs: (name: string) => boolean) =>
    entry(join(dir, folder))?.isDirectory() === true && readdirSync(join(dir, folder)).some(isOurs);
  const hadData =
    state !== null ||
    (entry(`${path}-wal`)?.size ?? 0) > 0 ||
    holds(VECTOR_FOLDER, () => true) ||
    holds(BACKUP_FOLDER, (name) => name.endsWith('.sqlite'));
  if (hadData) throw new AppError('DATABASE_MISSING', { path });
}

/**
 * Makes the database's log ready to be opened. SQLite reads a log up to its first damaged frame, and says nothing of the rest. Of
 * a log that the database already holds, it would so lay old pages over newer ones: then the database is better off without
 * it. A damaged log is kept under `backups`.
 */
export function mendLog(dir: string, state: DatabaseState | null, log?: Logger): void {
  const path = join(dir, DATABASE_FILE);
  const wal = `${path}-wal`;
  const aside = `${wal}.aside`;
  // A crash came between the two renames below.
  if (existsSync(aside)) renameSync(aside, wal);
  for (const file of [path, wal, `${path}-shm`]) {
    const found = entry(file);
    if (found?.isFile()) chmodSync(file, 0o600);
    // The index of the log is derived from it. A folder in place of the log says that the log is gone.
    else if (found) rmSync(file, { recursive: true });
  }
  if (!state || (entry(wal)?.size ?? 0) === 0) return;
  const withLog = countsIn(path, log);
  if (withLog && (withLog.lineage !== state.lineage || withLog.commits >= state.commits)) return;

  renameSync(wal, aside);
  rmSync(`${path}-shm`, { force: true });
  const alone = countsIn(path, log, { checked: true });
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  const isBetter = alone?.lineage === state.lineage && alone.commits > (withLog?.commits ?? -1);
  log?.warn(
    { claimed: state.commits, withLog: withLog?.commits ?? null, alone: alone?.commits ?? null, isBetter },
    'the log of the database is damaged',
  );
  const kept = nameForDamaged(dir, '.sqlite-wal');
  if (isBetter) renameSync(aside, kept);
  else {
    copyFileSync(aside, kept);
    renameSync(aside, wal);
  }
}

/** A free name under `backups` for a file that is damaged; of several such files, the oldest are erased. */
export function nameForDamaged(dir: string, suffix: string): string {
  const folder = join(dir, BACKUP_FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = readdirSync(folder)
    .filter((name) => name.startsWith('damaged-') && name.endsWith(suffix))
    .sort();
  for (const name of names.slice(0, -DAMAGED_KEPT + 1)) rmSync(join(folder, name), { recursive: true });
  const last = Number(/\d+/.exec(names.at(-1) ?? '')?.[0] ?? 0);
  return join(folder, `damaged-${String(last + 1).padStart(4, '0')}${suffix}`);
}

/** The counts of a closed database, read without changing anything; null if they cannot be read, or it is damaged. */
function countsIn(path: string, log?: Logger, { checked = false } = {}): DatabaseState | null {
  let raw: BetterSqlite3.Database | undefined;
  try {
    raw = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
    if (checked && raw.pragma('quick_check(1)', { simple: true }) !== 'ok') return null;
    return readCounts(raw);
  } catch (error) {
    log?.warn({ code: (error as { code?: string }).code ?? 'UNKNOWN' }, 'counts cannot be read');
    return null;
  } finally {
    raw?.close();
  }
}
