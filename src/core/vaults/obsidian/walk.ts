import type { NoteReason } from '../../../shared/contract/notes.ts';
import { type IgnoreRules, NOTE } from './ignore.ts';
import { type Entry, NotInVault, VaultFolder } from './vaultFolder.ts';

export interface FoundFile {
  /** Relative to the vault, `/` between folders, as on disk. */
  path: string;
  bytes: number;
  mtimeMs: number;
}

const OBSTACLES = ['folder-unreadable', 'name-invalid'] as const satisfies readonly NoteReason[];

/** A place where notes may be that cannot be looked at. */
export interface Obstacle {
  path: string;
  reason: (typeof OBSTACLES)[number];
  /** The file system's code. */
  detail: string | null;
}

export interface Walk {
  files: FoundFile[];
  folders: number;
  otherFiles: number;
  /** Notes and visible folders that the ignore rules leave out. */
  ignored: number;
  /** The walk stopped at `limit` files. */
  cut: boolean;
  obstacles: Obstacle[];
}

const STATS_AT_ONCE = 64;

/** Does a row with this reason stand for an obstacle, and not for a file? */
export function isObstacle(reason: NoteReason | null): boolean {
  return OBSTACLES.some((one) => one === reason);
}

interface Walking {
  root: string;
  rules: IgnoreRules;
  walk: Walk;
}

/**
 * Lists the notes of a vault by looking at the disk. Links and special files are listed and never followed or opened, so that nothing
 * outside the vault is reached.
 * @throws NotInVault or the file system's error if the root cannot be read; the signal's reason if it is aborted
 */
export async function walkVault(
  root: string,
  rules: IgnoreRules,
  options: { signal?: AbortSignal; limit?: number } = {},
): Promise<Walk> {
  const { signal, limit = Number.POSITIVE_INFINITY } = options;
  const walk: Walk = { files: [], folders: 0, otherFiles: 0, ignored: 0, cut: false, obstacles: [] };
  const folders = [''];
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    signal?.throwIfAborted();
    if (walk.files.length >= limit) {
      walk.cut = true;
      break;
    }
    try {
      for (const folder of await walkFolder(path, { root, rules, walk })) folders.push(folder);
    } catch (error) {
      const { code } = error as { code?: string };
      // The folder was deleted, or exchanged for something else, since its parent was listed.
      if (path !== '' && (error instanceof NotInVault || code === 'ENOENT')) continue;
      if (path === '' || code === undefined) throw error;
      walk.obstacles.push({ path, reason: 'folder-unreadable', detail: code });
    }
  }
  return walk;
}

/** Adds the notes of one folder to the walk. @returns the folders in it that belong to the vault */
async function walkFolder(path: string, walking: Walking): Promise<string[]> {
  const { root, walk } = walking;
  const pathOf = (name: string) => (path === '' ? name : `${path}/${name}`);
  const folder = await VaultFolder.open(root, path);
  try {
    const entries = await folder.entries();
    const listed = entries.filter((entry) => isListed(entry, pathOf(entry.name), walking));
    const names = listed.filter((entry) => !entry.isFolder).map(({ name }) => name);
    for (let at = 0; at < names.length; at += STATS_AT_ONCE) {
      const some = names.slice(at, at + STATS_AT_ONCE);
      const found = await Promise.all(some.map((name) => measure(folder, name, pathOf(name))));
      for (const file of found) if (file) walk.files.push(file);
    }
    return listed.filter((entry) => entry.isFolder).map(({ name }) => pathOf(name));
  } finally {
    await folder.close();
  }
}

/** Does this entry belong to the vault, and can it be opened? Counts it. */
function isListed({ name, isValid, isFolder }: Entry, path: string, { rules, walk }: Walking): boolean {
  if (isFolder && rules.folderIsOut(path)) {
    if (!name.startsWith('.')) walk.ignored += 1;
    return false;
  }
  if (!isFolder && rules.file(path).kind === 'out') {
    if (NOTE.test(name)) walk.ignored += 1;
    else walk.otherFiles += 1;
    return false;
  }
  if (isFolder) walk.folders += 1;
  if (!isValid) walk.obstacles.push({ path, reason: 'name-invalid', detail: null });
  return isValid;
}

/** Null if the file is gone since its folder was listed. */
async function measure(folder: VaultFolder, name: string, path: string): Promise<FoundFile | null> {
  try {
    const { size, mtimeMs } = await folder.measure(name);
    return { path, bytes: size, mtimeMs };
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw error;
  }
}
