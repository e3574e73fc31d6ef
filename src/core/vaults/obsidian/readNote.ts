import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import type { NoteReason } from '../../../shared/contract/notes.ts';
import { lookupKey } from '../../support/paths.ts';

/** Larger files are set aside: nobody reads them as notes, and they would hold up the others. */
export const MAX_NOTE_BYTES = 5_000_000;

interface SetAside {
  kind: 'aside';
  status: 'skipped' | 'failed';
  reason: NoteReason;
  /** What the file system said, or the size of a file that is too large. */
  detail: string | null;
  bytes: number;
  mtimeMs: number;
}

export type ReadResult =
  | { kind: 'content'; content: Buffer; bytes: number; mtimeMs: number }
  | SetAside
  | { kind: 'gone' };

/**
 * Reads one note of a vault. The file is opened without following a link, and its folder must really lie inside the
 * vault, so that a link swapped in at the last moment reads nothing outside it.
 */
export async function readNote(root: string, path: string): Promise<ReadResult> {
  const file = join(root, path);
  let handle: FileHandle | undefined;
  try {
    if (!isInside(root, await realpath(dirname(file)))) return aside('skipped', 'symlink');
    handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stat = await handle.stat();
    const { size: bytes, mtimeMs } = stat;
    if (!stat.isFile()) return { ...aside('skipped', 'not-text'), bytes, mtimeMs };
    if (bytes > MAX_NOTE_BYTES) return { ...aside('skipped', 'too-large', String(bytes)), bytes, mtimeMs };
    const content = await handle.readFile();
    if (content.includes(0)) return { ...aside('skipped', 'not-text'), bytes, mtimeMs };
    return { kind: 'content', content, bytes, mtimeMs };
  } catch (error) {
    if (isMissing(error)) return { kind: 'gone' };
    const code = (error as { code?: string }).code ?? 'UNKNOWN';
    return code === 'ELOOP' ? await setLinkAside(file) : aside('failed', 'unreadable', code);
  } finally {
    await handle?.close();
  }
}

/** A link is recorded with its own size and time, so that a walk finds it unchanged. */
async function setLinkAside(file: string): Promise<ReadResult> {
  try {
    const { size: bytes, mtimeMs } = await lstat(file);
    return { ...aside('skipped', 'symlink'), bytes, mtimeMs };
  } catch (error) {
    if (isMissing(error)) return { kind: 'gone' };
    throw error;
  }
}

function isInside(root: string, folder: string): boolean {
  return folder === root || folder.startsWith(root.endsWith(sep) ? root : root + sep);
}

function aside(status: 'skipped' | 'failed', reason: NoteReason, detail: string | null = null): SetAside {
  return { kind: 'aside', status, reason, detail, bytes: 0, mtimeMs: 0 };
}

/**
 * Has the note at `path` moved to `newPath`? On a file system that ignores letter case, `a.md` also answers to `A.md`; only then
 * is the folder read, which costs as much as it has files.
 */
export async function hasMoved(root: string, path: string, newPath: string): Promise<boolean> {
  if (lookupKey(path) === lookupKey(newPath)) {
    const names = await listFolder(dirname(join(root, path)));
    return names !== null && !names.has(basename(path));
  }
  try {
    await lstat(join(root, path));
    return false;
  } catch (error) {
    // A file that cannot be looked at, for want of a permission, has not moved as far as anyone knows.
    return isMissing(error);
  }
}

/**
 * Which of these paths are files of exactly this name, in this letter case; null for a path whose folder cannot be read. Each folder
 * is read once.
 */
export async function checkPresence(
  root: string,
  paths: readonly string[],
): Promise<Map<string, boolean | null>> {
  const presence = new Map<string, boolean | null>();
  for (const [folder, inFolder] of Map.groupBy(paths, (path) => dirname(path))) {
    const names = await listFolder(join(root, folder));
    for (const path of inFolder) presence.set(path, names?.has(basename(path)) ?? null);
  }
  return presence;
}

/** The names in a folder: none if it does not exist, null if it cannot be read. */
async function listFolder(folder: string): Promise<Set<string> | null> {
  try {
    return new Set(await readdir(folder));
  } catch (error) {
    return isMissing(error) ? new Set() : null;
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === 'ENOENT' || code === 'ENOTDIR';
}
