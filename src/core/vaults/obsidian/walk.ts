import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { NoteReason } from '../../../shared/contract/notes.ts';
import type { IgnoreRules } from './ignore.ts';

export interface FoundFile {
  /** Relative to the vault, `/` between folders, as on disk. */
  path: string;
  bytes: number;
  mtimeMs: number;
  /** Set where the file is listed but not read. */
  aside: NoteReason | null;
}

export interface Walk {
  files: FoundFile[];
  folders: number;
  otherFiles: number;
  /** Notes and visible folders that the ignore rules leave out. */
  ignored: number;
  /** Stopped at `limit` files. */
  cut: boolean;
  /** Folders that could not be read: what they hold is unknown, not gone. */
  unreadable: string[];
}

const NOTE = /\.(md|markdown|canvas)$/i;
const STATS_AT_ONCE = 64;

/**
 * Lists a vault's notes by looking at the disk. Symbolic links are never followed, so that nothing outside the vault is
 * reached; a link that bears a note's name is listed as set aside.
 * @throws the file system's error where the root itself cannot be read
 */
export async function walkVault(
  root: string,
  rules: IgnoreRules,
  options: { signal?: AbortSignal; limit?: number } = {},
): Promise<Walk> {
  const walk: Walk = { files: [], folders: 0, otherFiles: 0, ignored: 0, cut: false, unreadable: [] };
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    options.signal?.throwIfAborted();
    if (walk.files.length >= (options.limit ?? Number.POSITIVE_INFINITY)) {
      walk.cut = true;
      break;
    }
    const entries = await readFolder(root, folder, walk);
    const wanted: { path: string; aside: NoteReason | null }[] = [];
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (rules.folderIsOut(path)) {
          if (!entry.name.startsWith('.')) walk.ignored += 1;
          continue;
        }
        walk.folders += 1;
        folders.push(path);
        continue;
      }
      const treatment = rules.file(path);
      if (treatment.kind === 'out') {
        if (NOTE.test(entry.name)) walk.ignored += 1;
        else walk.otherFiles += 1;
      } else if (entry.isSymbolicLink()) wanted.push({ path, aside: 'symlink' });
      else if (entry.isFile())
        wanted.push({ path, aside: treatment.kind === 'aside' ? treatment.reason : null });
    }
    for (let at = 0; at < wanted.length; at += STATS_AT_ONCE) {
      const found = await Promise.all(
        wanted.slice(at, at + STATS_AT_ONCE).map((file) => measure(root, file)),
      );
      for (const file of found) if (file) walk.files.push(file);
    }
  }
  return walk;
}

async function readFolder(root: string, folder: string, walk: Walk): Promise<Dirent[]> {
  try {
    return await readdir(join(root, folder), { withFileTypes: true });
  } catch (error) {
    if (folder === '') throw error;
    if ((error as { code?: string }).code !== 'ENOENT') walk.unreadable.push(folder);
    return [];
  }
}

async function measure(
  root: string,
  file: { path: string; aside: NoteReason | null },
): Promise<FoundFile | null> {
  try {
    const { size, mtimeMs } = await lstat(join(root, file.path));
    return { ...file, bytes: size, mtimeMs };
  } catch (error) {
    // Gone since the folder was listed.
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw error;
  }
}
