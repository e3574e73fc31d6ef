import { closeSync, fsyncSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface Backup {
  path: string;
  bytes: number;
  /** Milliseconds since 1970, to the second. */
  madeAt: number;
}

/** Folder of backups within the data folder. */
export { BACKUP_FOLDER } from '../storage/folderNames.ts';

/** How many backups are kept; older ones are erased. */
const KEPT = 7;
/** `souvenir-2026-03-01T101500-0001.sqlite`: the time in UTC, and a number that distinguishes backups of the same second. */
const NAME = /^souvenir-(\d{4}-\d\d-\d\dT)(\d\d)(\d\d)(\d\d)-\d{4,}\.sqlite$/;

/** Backups in a folder, newest first. Files with other names are not ours to list or erase. */
export function listBackups(folder: string): Backup[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
    .reverse()
    .map((name) => {
      const path = join(folder, name);
      return { path, bytes: statSync(path).size, madeAt: timeOf(name) };
    });
}

/** A name that no backup in the folder has, and that sorts after all those of the same second. */
export function nextBackupPath(folder: string, now: number): string {
  const stamp = new Date(now)
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replaceAll(':', '');
  const latest = listBackups(folder)
    .map(({ path }) => basename(path, '.sqlite'))
    .find((name) => name.startsWith(`souvenir-${stamp}-`))
    ?.slice(-4);
  return join(folder, `souvenir-${stamp}-${String(Number(latest ?? 0) + 1).padStart(4, '0')}.sqlite`);
}

export function eraseOldBackups(folder: string): void {
  for (const { path } of listBackups(folder).slice(KEPT)) rmSync(path, { force: true });
}

/** Waits until a file and its name are on disk; for a folder, until the names in it are. */
export function syncToDisk(path: string): void {
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

function timeOf(name: string): number {
  const [, date, hours, minutes, seconds] = NAME.exec(name) ?? [];
  return Date.parse(`${date}${hours}:${minutes}:${seconds}Z`);
}
