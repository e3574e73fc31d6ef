import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { IgnoreRules } from './ignore.ts';

export interface FoundFile {
  /** Relative to the vault, `/` between folders, as on disk. */
  path: string;
  bytes: number;
  mtimeMs: number;
}

export interface Walk {
  files: FoundFile[];
  folders: number;
  otherFiles: number;
  /** Notes and visible folders that the ignore rules leave out. */
  ignored: number;
  /** The walk stopped at `limit` files. */
  cut: boolean;
  /** Folders that could not be read: their files are unknown, not gone. */
  unreadable: string[];
}

const NOTE = /\.(md|markdown|canvas)$/i;
const STATS_AT_ONCE = 64;

/**
 * Lists the notes of a vault by looking at the disk. Symbolic links are listed and never followed, so that nothing outside the vault is
 * reached.
 * @throws the file system's error if the root cannot be read; the signal's reason if it is aborted
 */
export async function walkVault(
  root: string,
  rules: IgnoreRules,
  options: { signal?: AbortSignal; limit?: number } = {},
): Promise<Walk> {
  const { signal, limit = Number.POSITIVE_INFINITY } = options;
  const walk: Walk = { files: [], folders: 0, otherFiles: 0, ignored: 0, cut: false, unreadable: [] };
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal?.throwIfAborted();
    if (walk.files.length >= limit) {
      walk.cut = true;
      break;
    }
    const paths: string[] = [];
    for (const entry of await readFolder(root, folder, walk)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) {
        if (isListed(entry, path, { rules, walk })) paths.push(path);
      } else if (!rules.folderIsOut(path)) {
        walk.folders += 1;
        folders.push(path);
      } else if (!entry.name.startsWith('.')) walk.ignored += 1;
    }
    for (let at = 0; at < paths.length; at += STATS_AT_ONCE) {
      const found = await Promise.all(paths.slice(at, at + STATS_AT_ONCE).map((path) => measure(root, path)));
      for (const file of found) if (file) walk.files.push(file);
    }
  }
  return walk;
}

/** Does this file belong to the list? Counts it if not. */
function isListed(entry: Dirent, path: string, { rules, walk }: { rules: IgnoreRules; walk: Walk }): boolean {
  if (rules.file(path).kind !== 'out') return entry.isFile() || entry.isSymbolicLink();
  if (NOTE.test(entry.name)) walk.ignored += 1;
  else walk.otherFiles += 1;
  return false;
}

/** The entries of a folder; none if it is gone or, which `walk.unreadable` then says, if it cannot be read. */
async function readFolder(root: string, folder: string, walk: Walk): Promise<Dirent[]> {
  try {
    return await readdir(join(root, folder), { withFileTypes: true });
  } catch (error) {
    if (folder === '') throw error;
    if ((error as { code?: string }).code !== 'ENOENT') walk.unreadable.push(folder);
    return [];
  }
}

/** Null if the file is gone since its folder was listed. */
async function measure(root: string, path: string): Promise<FoundFile | null> {
  try {
    const { size, mtimeMs } = await lstat(join(root, path));
    return { path, bytes: size, mtimeMs };
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw error;
  }
}
