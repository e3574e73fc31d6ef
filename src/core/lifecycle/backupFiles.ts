import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { COPIES, eraseOldCopies, listCopies, nextNumber } from '../storage/databaseCopies.ts';

export interface Backup {
  path: string;
  bytes: number;
  /** Milliseconds since 1970, to the second. */
  madeAt: number;
}

/** How many backups are kept; older ones are erased. */
const KEPT = 7;

/** Backups in a folder, newest first. Which is newest follows from the order in which they were made, not from the clock. */
export function listBackups(folder: string): Backup[] {
  return listCopies(folder, COPIES.backup).map((path) => ({
    path,
    bytes: statSync(path).size,
    madeAt: timeOf(path),
  }));
}

/** A name that comes after those of all backups in the folder. */
export function nextBackupPath(folder: string, now: number): string {
  const stamp = new Date(now)
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replaceAll(':', '');
  return join(folder, `souvenir-${stamp}-${nextNumber(folder, COPIES.backup)}.sqlite`);
}

export function eraseOldBackups(folder: string): void {
  eraseOldCopies(folder, COPIES.backup, KEPT);
}

function timeOf(path: string): number {
  const stamp = COPIES.backup.exec(basename(path))?.[1] ?? '';
  return Date.parse(stamp.replace(/T(\d\d)(\d\d)(\d\d)$/, 'T$1:$2:$3Z'));
}
