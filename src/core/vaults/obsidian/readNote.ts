import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import type { NoteReason } from '../../../shared/contract/notes.ts';

/** Larger files are set aside: no one reads them as notes, and they would hold up the others. */
export const MAX_NOTE_BYTES = 5_000_000;

export type ReadResult =
  | { kind: 'content'; content: Buffer; bytes: number; mtimeMs: number }
  | {
      kind: 'aside';
      status: 'skipped' | 'failed';
      reason: NoteReason;
      detail: string | null;
      bytes: number;
      mtimeMs: number;
    }
  | { kind: 'gone' };

/**
 * Reads one note of a vault. The file is opened without following a link, and its folder must really lie inside the
 * vault, so that a link swapped in at the last moment reads nothing outside it.
 */
export async function readNote(root: string, path: string): Promise<ReadResult> {
  const file = join(root, path);
  let handle: Awaited<ReturnType<typeof open>> | undefined;
  try {
    const folder = await realpath(dirname(file));
    if (folder !== root && !folder.startsWith(root.endsWith(sep) ? root : root + sep)) {
      return { kind: 'aside', status: 'skipped', reason: 'symlink', detail: null, bytes: 0, mtimeMs: 0 };
    }
    handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const {
      size: bytes,
      mtimeMs,
      isFile,
    } = await handle.stat().then((stat) => ({
      size: stat.size,
      mtimeMs: stat.mtimeMs,
      isFile: stat.isFile(),
    }));
    const aside = (
      status: 'skipped' | 'failed',
      reason: NoteReason,
      detail: string | null = null,
    ): ReadResult => ({
      kind: 'aside',
      status,
      reason,
      detail,
      bytes,
      mtimeMs,
    });
    if (!isFile) return aside('skipped', 'not-text');
    if (bytes > MAX_NOTE_BYTES) return aside('skipped', 'too-large', String(bytes));
    const content = await handle.readFile();
    if (content.includes(0)) return aside('skipped', 'not-text');
    return { kind: 'content', content, bytes, mtimeMs };
  } catch (error) {
    const code = (error as { code?: string }).code ?? 'UNKNOWN';
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'gone' };
    if (code === 'ELOOP')
      return { kind: 'aside', status: 'skipped', reason: 'symlink', detail: null, bytes: 0, mtimeMs: 0 };
    return { kind: 'aside', status: 'failed', reason: 'unreadable', detail: code, bytes: 0, mtimeMs: 0 };
  } finally {
    await handle?.close();
  }
}

/** Is there a file of exactly this name, in this letter case? On some systems `a.md` also answers to `A.md`. */
export async function existsExactly(root: string, path: string): Promise<boolean> {
  try {
    return (await readdir(dirname(join(root, path)))).includes(basename(path));
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}
