import { existsSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { VaultInspection } from '../../shared/contract/vaults.ts';
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../support/logger.ts';
import { lookupKey } from '../support/paths.ts';
import { createIgnoreRules, readIgnoreRules } from './obsidian/ignore.ts';
import { walkVault } from './obsidian/walk.ts';

/** Counting stops here, so that inspecting a whole disk comes to an end. */
const INSPECTION_LIMIT = 50_000;
const COMPLETIONS = 10;

/** A path as typed, made absolute; `~` is the user's home. */
export function typedFolder(path: string): string {
  return path.startsWith('~') ? join(homedir(), path.slice(1)) : resolve(path);
}

/**
 * The folder behind a path as typed, symbolic links resolved; `~` is the user's home.
 * @throws AppError VAULT_NOT_FOUND, VAULT_UNREADABLE
 */
export async function resolveFolder(path: string): Promise<string> {
  const typed = typedFolder(path);
  try {
    const root = await realpath(typed);
    if (!(await stat(root)).isDirectory()) throw new AppError('VAULT_NOT_FOUND', { path: typed });
    await readdir(root);
    return root;
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code } = error as { code?: string };
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    throw new AppError(isMissing ? 'VAULT_NOT_FOUND' : 'VAULT_UNREADABLE', { path: typed }, { cause: error });
  }
}

/**
 * What a vault at `root` would hold, with no patterns of the user's.
 * @throws AppError VAULT_UNREADABLE
 */
export async function inspectFolder(root: string): Promise<Omit<VaultInspection, 'alreadyAdded'>> {
  try {
    const walk = await walkVault(root, await readIgnoreRules(root, []), { limit: INSPECTION_LIMIT });
    const canvases = walk.files.filter((file) => /\.canvas$/i.test(file.path)).length;
    return {
      path: root,
      name: basename(root),
      notes: walk.files.length - canvases,
      atLeast: walk.cut,
      canvases,
      folders: walk.folders,
      otherFiles: walk.otherFiles,
      bytes: walk.files.reduce((sum, file) => sum + file.bytes, 0),
      ignored: walk.ignored,
      isObsidian: existsSync(join(root, '.obsidian')),
    };
  } catch (error) {
    throw new AppError('VAULT_UNREADABLE', { path: root }, { cause: error });
  }
}

/**
 * Paths of the notes of the vault at `root` that `patterns`, which have the syntax of a `.gitignore`, would leave out.
 * @throws AppError VAULT_UNAVAILABLE
 */
export async function filesLeftOut(root: string, patterns: readonly string[]): Promise<string[]> {
  try {
    const { files } = await walkVault(root, await readIgnoreRules(root, []));
    const rules = createIgnoreRules(patterns);
    return files.map(({ path }) => path).filter((path) => rules.file(path).kind === 'out');
  } catch (error) {
    throw new AppError('VAULT_UNAVAILABLE', { path: root }, { cause: error });
  }
}

/** Up to ten folders that complete an absolute path as it is typed; hidden ones only after a dot. */
export async function completeFolder(prefix: string, log: Logger): Promise<string[]> {
  const typed = prefix.startsWith('~') ? join(homedir(), prefix.slice(1)) : prefix;
  if (!typed.startsWith('/') && !/^[a-z]:[\\/]/i.test(typed)) return [];
  const isWhole = /[\\/]$/.test(typed);
  const folder = isWhole ? typed : dirname(typed);
  const start = isWhole ? '' : lookupKey(basename(typed));
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && lookupKey(entry.name).startsWith(start))
      .filter((entry) => !entry.name.startsWith('.') || start.startsWith('.'))
      .map((entry) => join(folder, entry.name))
      .sort()
      .slice(0, COMPLETIONS);
  } catch (error) {
    // A path that is still being typed often leads nowhere.
    log.debug({ code: (error as { code?: string }).code ?? 'UNKNOWN' }, 'no folders to offer');
    return [];
  }
}
