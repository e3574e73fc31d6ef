import { existsSync, statfsSync } from 'node:fs';
import { isDiskFull } from '../../shared/errors.ts';

/** The most that SQLite asks for at once beyond a page: its index of the write-ahead log grows by so much (https://sqlite.org/walformat.html). */
const LEAST_BYTES = 32_768;
/** SQLite says SQLITE_FULL where a write fails; where a file cannot be made, extended or synced, it does not say why. */
const UNEXPLAINED = /^SQLITE_(IOERR|CANTOPEN)/;

/** Returns whether a write in `folder` failed for want of room: as the error says, or as the folder's file system shows. */
export function lacksRoom(error: unknown, folder: string): boolean {
  if (isDiskFull(error)) return true;
  return UNEXPLAINED.test((error as { code?: string }).code ?? '') && !hasRoom(folder);
}

/** Has the file system of a folder room for one more file of a few pages? True if there is no such folder. */
function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return true;
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  // File systems that make room for names as they are needed report no number of files.
  return bavail * bsize >= LEAST_BYTES && (files === 0 || ffree > 0);
}
