import { existsSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { IndexProgress, KnownVault, Vault, VaultInspection } from '../../shared/contract/vaults.ts';
import { AppError } from '../../shared/errors.ts';
import type { NoteId, VaultId } from '../../shared/ids.ts';
import type { Db } from '../storage/database.ts';
import type { NoteRecord } from '../storage/notes/noteRows.ts';
import type { NoteStore } from '../storage/notes/noteStore.ts';
import type { VaultRecord, VaultStore } from '../storage/vaults.ts';
import type { Clock } from '../support/clock.ts';
import { newId } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { lookupKey, overlaps } from '../support/paths.ts';
import { createIgnoreRules } from './obsidian/ignore.ts';
import { knownObsidianVaults } from './obsidian/obsidian.ts';
import { walkVault } from './obsidian/walk.ts';
import { createParser } from './parser.ts';
import { createVaultIndexer, type VaultIndexer } from './vaultIndexer.ts';

export interface VaultsPorts {
  db: Db;
  vaults: VaultStore;
  notes: NoteStore;
  clock: Clock;
  log: Logger;
  onProgress(progress: IndexProgress): void;
  onNotes(): void;
  onVaults(): void;
}

/** Counting for a look stops here, so that a look at a whole disk ends. */
const INSPECTION_LIMIT = 50_000;
const IGNORE_PREVIEW = 200;

export type Vaults = ReturnType<typeof createVaults>;

/** The vaults in use, each with its indexer. */
export function createVaults(ports: VaultsPorts) {
  const { db, vaults, notes, clock, log } = ports;
  const parser = createParser(log);
  const indexers = new Map<VaultId, VaultIndexer>();
  let watching = false;

  const indexerOf = (vault: VaultRecord): VaultIndexer => {
    let indexer = indexers.get(vault.id);
    if (!indexer) {
      indexer = createVaultIndexer(vault, { ...ports, parser });
      indexers.set(vault.id, indexer);
    }
    return indexer;
  };

  const wanted = (id: VaultId): VaultRecord => {
    const vault = vaults.get(id);
    if (!vault || vault.removedAt !== null) throw new AppError('NOT_FOUND', { what: 'vault' });
    return vault;
  };

  const toVault = (vault: VaultRecord): Vault => ({
    id: vault.id,
    name: vault.name,
    path: vault.path,
    ignorePatterns: vault.ignorePatterns,
    obsidianId: vault.obsidianId,
    addedAt: vault.addedAt,
    progress: indexerOf(vault).progress(),
  });

  const inspect = async (path: string): Promise<VaultInspection> => {
    const root = await realFolder(path);
    try {
      const walk = await walkVault(root, createIgnoreRules(root, [], log), { limit: INSPECTION_LIMIT });
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
        alreadyAdded: vaults.list().some((vault) => vault.path === root),
      };
    } catch (error) {
      throw new AppError('VAULT_UNREADABLE', { path: root }, { cause: error });
    }
  };

  const add = async (path: string, ignorePatterns: string[]): Promise<VaultRecord> => {
    const root = await realFolder(path);
    for (const other of vaults.listWithRemoved()) {
      if (other.path === root) {
        if (other.removedAt !== null) restore(other.id);
        return wanted(other.id);
      }
      if (overlaps(root, other.path) && other.removedAt === null)
        throw new AppError('VAULT_NESTED', { path: root, other: other.path });
    }
    const known = knownObsidianVaults(log).find((vault) => samePath(vault.path, root));
    const vault: VaultRecord = {
      id: newId('vault') as VaultId,
      name: basename(root) || root,
      path: root,
      obsidianId: known?.id ?? null,
      ignorePatterns,
      paused: false,
      addedAt: clock.now(),
      removedAt: null,
    };
    vaults.insert(vault);
    if (watching) indexerOf(vault).watch();
    ports.onVaults();
    return vault;
  };

  const restore = (id: VaultId): void => {
    vaults.setRemovedAt(id, null);
    const vault = wanted(id);
    if (watching) indexerOf(vault).watch();
    ports.onVaults();
  };

  return {
    inspect,
    add: async (path: string, ignorePatterns: string[]): Promise<Vault> =>
      toVault(await add(path, ignorePatterns)),
    restore: (id: VaultId): Vault => {
      restore(id);
      return toVault(wanted(id));
    },
    list: (): Vault[] => vaults.list().map(toVault),

    known: (): Promise<KnownVault[]> =>
      Promise.all(
        knownObsidianVaults(log).map(async ({ path, name, lastOpened }): Promise<KnownVault> => {
          if (!existsSync(path)) return { path, name, lastOpened, exists: false, notes: 0, atLeast: false };
          const { notes: count, canvases, atLeast } = await inspect(path);
          return { path, name, lastOpened, exists: true, notes: count + canvases, atLeast };
        }),
      ),

    completePath: async (prefix: string): Promise<string[]> => {
      const typed = prefix.startsWith('~') ? join(homedir(), prefix.slice(1)) : prefix;
      if (!typed.startsWith('/') && !/^[a-z]:[\\/]/i.test(typed)) return [];
      const folder = /[\\/]$/.test(typed) ? typed : dirname(typed);
      const start = /[\\/]$/.test(typed) ? '' : lookupKey(basename(typed));
      try {
        const entries = await readdir(folder, { withFileTypes: true });
        return entries
          .filter((entry) => entry.isDirectory() && lookupKey(entry.name).startsWith(start))
          .filter((entry) => !entry.name.startsWith('.') || start.startsWith('.'))
          .map((entry) => join(folder, entry.name))
          .sort()
          .slice(0, 10);
      } catch (error) {
        // A path that is still being typed often leads nowhere.
        log.debug({ code: (error as { code?: string }).code ?? 'UNKNOWN' }, 'no folders to offer');
        return [];
      }
    },

    setIgnorePatterns: (id: VaultId, patterns: string[]): Vault => {
      vaults.setIgnorePatterns(id, patterns);
      indexerOf(wanted(id)).setIgnorePatterns(patterns);
      ports.onVaults();
      return toVault(wanted(id));
    },
    previewIgnore: async (id: VaultId, patterns: string[]): Promise<{ count: number; paths: string[] }> => {
      const vault = wanted(id);
      const everything = await walkVault(vault.path, createIgnoreRules(vault.path, [], log));
      const rules = createIgnoreRules(vault.path, patterns, log);
      const out = everything.files.map((file) => file.path).filter((path) => rules.file(path).kind === 'out');
      return { count: out.length, paths: out.sort().slice(0, IGNORE_PREVIEW) };
    },

    remove: async (id: VaultId): Promise<void> => {
      wanted(id);
      vaults.setRemovedAt(id, clock.now());
      await indexers.get(id)?.close();
      indexers.delete(id);
      ports.onVaults();
    },
    /** Erases what was removed before `before`. */
    purgeRemoved: (before: number): void => {
      for (const vault of vaults.listWithRemoved()) {
        if (vault.removedAt === null || vault.removedAt >= before) continue;
        db.transaction(() => {
          for (const note of notes.inVault(vault.id)) notes.erase(note.id);
          vaults.erase(vault.id);
        });
      }
    },

    pause: (id: VaultId): void => {
      vaults.setPaused(id, true);
      indexerOf(wanted(id)).pause();
      ports.onVaults();
    },
    resume: (id: VaultId): void => {
      vaults.setPaused(id, false);
      indexerOf(wanted(id)).resume();
      ports.onVaults();
    },
    indexer: (id: VaultId): VaultIndexer => indexerOf(wanted(id)),
    retry: (ids: readonly NoteId[]): void => {
      const byVault = Map.groupBy(
        ids.map((id) => notes.get(id)).filter((note): note is NoteRecord => note !== undefined),
        (note) => note.vaultId,
      );
      for (const [vaultId, failed] of byVault) indexerOf(wanted(vaultId)).retry(failed);
    },

    /** Is a vault still being looked through? */
    indexing: (): boolean => [...indexers.values()].some((indexer) => indexer.busy()),

    /** From now on every vault is watched. Called again, as after the computer slept, it has every vault walked. */
    watch: (): void => {
      watching = true;
      for (const vault of vaults.list()) indexerOf(vault).watch();
    },
    close: async (): Promise<void> => {
      await Promise.all([...indexers.values()].map((indexer) => indexer.close()));
      await parser.close();
    },
  };
}

/** The folder behind a path as typed, links resolved. `~` is the user's home. */
async function realFolder(path: string): Promise<string> {
  const typed = path.startsWith('~') ? join(homedir(), path.slice(1)) : resolve(path);
  try {
    const root = await realpath(typed);
    if (!(await stat(root)).isDirectory()) throw new AppError('VAULT_NOT_FOUND', { path: typed });
    await readdir(root);
    return root;
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = (error as { code?: string }).code;
    const missing = code === 'ENOENT' || code === 'ENOTDIR';
    throw new AppError(missing ? 'VAULT_NOT_FOUND' : 'VAULT_UNREADABLE', { path: typed }, { cause: error });
  }
}

function samePath(one: string, other: string): boolean {
  return lookupKey(resolve(one)) === lookupKey(other);
}
