import { existsSync, statfsSync } from 'node:fs';
import { diskProblem } from '../../shared/errors.ts';

/** The most that SQLite asks for at once beyond a page: its index of the write-ahead log grows by so much (https://sqlite.org/walformat.html). */
const LEAST_BYTES = 32_768;
/** SQLite says SQLITE_FULL where a write fails; where a file cannot be made, extended or synced, it does not say why. */
const UNEXPLAINED = /^SQLITE_(IOERR|CANTOPEN)/;

/**
 * Whether the disk is the reason why something in `folder` failed: as the error says, or, of a want of room, as the folder's file system
 * shows. Null if it is not.
 * @param bytes what was to be written, where its beginning may be gone from the disk again by now
 */
export function diskProblemIn(
  folder: string,
  error: unknown,
  bytes = LEAST_BYTES,
): 'DISK_FULL' | 'DISK_FAILED' | null {
  if (UNEXPLAINED.test((error as { code?: string }).code ?? '') && !hasRoom(folder, bytes))
    return 'DISK_FULL';
  return diskProblem(error);
}

/** Has the file system of a folder room for one more file of so many bytes? True if there is no such folder. */
function hasRoom(folder: string, bytes: number): boolean {
  if (!existsSync(folder)) return true;
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  // File systems that make room for names as they are needed report no number of files.
  return bavail * bsize >= bytes && (files === 0 || ffree > 0);
}
