import type { NoteReason } from '../../../shared/contract/notes.ts';
import { lookupKey } from '../../support/paths.ts';
import { inFolderOf, listFolder, NotInVault } from './vaultFolder.ts';

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
 * Reads one note of a vault. A path that leads through a link counts as gone, because it is not the vault's. What is no regular
 * file is set aside with its own size and time, so that a walk finds it unchanged.
 */
export async function readNote(root: string, path: string): Promise<ReadResult> {
  try {
    const file = await inFolderOf(root, path, (folder, name) => folder.read(name, MAX_NOTE_BYTES));
    if (file.kind === 'folder') return { kind: 'gone' };
    const { size: bytes, mtimeMs } = file.stat;
    if (file.kind === 'content' && !file.content.includes(0))
      return { kind: 'content', content: file.content, bytes, mtimeMs };
    const reason = REASONS[file.kind];
    const detail = file.kind === 'too-large' ? String(bytes) : null;
    return { kind: 'aside', status: 'skipped', reason, detail, bytes, mtimeMs };
  } catch (error) {
    if (isMissing(error)) return { kind: 'gone' };
    const detail = (error as { code?: string }).code ?? 'UNKNOWN';
    return { kind: 'aside', status: 'failed', reason: 'unreadable', detail, bytes: 0, mtimeMs: 0 };
  }
}

const REASONS = {
  content: 'not-text',
  link: 'symlink',
  special: 'special-file',
  'too-large': 'too-large',
} as const;

/**
 * Has the note at `path` moved to `newPath`? On a file system that ignores letter case, `a.md` also answers to `A.md`; only then
 * is the folder read, which costs as much as it has files.
 */
export async function hasMoved(root: string, path: string, newPath: string): Promise<boolean> {
  if (lookupKey(path) === lookupKey(newPath)) {
    const names = await listFiles(root, folderOf(path));
    return names !== null && !names.has(nameOf(path));
  }
  try {
    await inFolderOf(root, path, (folder, name) => folder.measure(name));
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
  for (const [folder, inFolder] of Map.groupBy(paths, folderOf)) {
    const names = await listFiles(root, folder);
    for (const path of inFolder) presence.set(path, names?.has(nameOf(path)) ?? null);
  }
  return presence;
}

/** The names of the files in a folder: none if it does not exist, null if it cannot be read. */
async function listFiles(root: string, path: string): Promise<Set<string> | null> {
  try {
    const entries = await listFolder(root, path);
    return new Set(entries.filter((entry) => entry.isValid && !entry.isFolder).map(({ name }) => name));
  } catch (error) {
    return isMissing(error) ? new Set() : null;
  }
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Is nothing of the vault there: neither a file, nor a folder that would hold it? */
function isMissing(error: unknown): boolean {
  const { code } = error as { code?: string };
  return error instanceof NotInVault || code === 'ENOENT' || code === 'ENOTDIR';
}
