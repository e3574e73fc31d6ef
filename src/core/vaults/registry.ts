import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import PQueue from 'p-queue';
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
import { completeFolder, filesLeftOut, inspectFolder, resolveFolder, typedFolder } from './folders.ts';
import { knownObsidianVaults } from './obsidian/obsidian.ts';
import type { NoteParser } from './parser.ts';
import { VaultIndexer } from './vaultIndexer.ts';

export interface VaultsPorts {
  db: Db;
  vaults: VaultStore;
  notes: NoteStore;
  clock: Clock;
  log: Logger;
  /** Closed with the vaults. */
  parser: NoteParser;
  onProgress(progress: IndexProgress): void;
  /** Rows of notes changed. */
  onNotes(): void;
  /** The list of vaults, or one of them, changed. */
  onVaults(): void;
  /** The path of the note that Souvenir writes, if it is in this vault. */
  ownNote(id: VaultId): string | null;
  /** That note may have changed. */
  onOwnNote(): void;
}

/** Notes that are erased in one transaction. */
const ERASED_AT_ONCE = 200;
/** Paths that a preview of ignore patterns lists. */
const IGNORE_PREVIEW = 200;

/** The vaults in use, each with its indexer. */
export class Vaults {
  readonly #ports: VaultsPorts;
  readonly #indexers = new Map<VaultId, VaultIndexer>();
  /** One for each vault, kept when its indexer is replaced: the new indexer waits until the old one has ended. */
  readonly #queues = new Map<VaultId, PQueue>();
  #watching = false;
  #closed = false;

  constructor(ports: VaultsPorts) {
    this.#ports = ports;
  }

  list(): Vault[] {
    return this.#ports.vaults.list().map((vault) => this.#describe(vault));
  }

  /** The vaults in Obsidian's own list, with the notes that each would bring. */
  known(): Promise<KnownVault[]> {
    const { log } = this.#ports;
    return Promise.all(
      knownObsidianVaults(log).map(async ({ path, name, lastOpened }): Promise<KnownVault> => {
        const missing = { path, name, lastOpened, exists: false, notes: 0, atLeast: false };
        if (!existsSync(path)) return missing;
        try {
          const { notes, canvases, atLeast } = await inspectFolder(await resolveFolder(path));
          return { path, name, lastOpened, exists: true, notes: notes + canvases, atLeast };
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          log.warn({ code: error.code }, "a vault in Obsidian's list cannot be read");
          return missing;
        }
      }),
    );
  }

  /** @throws AppError VAULT_NOT_FOUND, VAULT_UNREADABLE */
  async inspect(path: string): Promise<VaultInspection> {
    const root = await resolveFolder(path);
    const inspection = await inspectFolder(root);
    return { ...inspection, alreadyAdded: this.#ports.vaults.list().some((vault) => vault.path === root) };
  }

  completePath(prefix: string): Promise<string[]> {
    return completeFolder(prefix, this.#ports.log);
  }

  /**
   * Adds the vault at `path`. One that is in use stays as it is; one that was removed and can be restored is restored.
   * @throws AppError VAULT_NOT_FOUND, VAULT_UNREADABLE, VAULT_NESTED, VAULT_HOLDS_DATA
   */
  async add(path: string, ignorePatterns: string[]): Promise<Vault> {
    const { vaults, clock, log, onVaults } = this.#ports;
    const root = await resolveFolder(path);
    const typed = typedFolder(path);
    const known =
      vaults.listWithRemoved().find((vault) => vault.path === root) ??
      // Its folder was exchanged for a link: that is for its indexer to tell, and no reason to add what the link leads to.
      vaults.list().find((vault) => vault.path === typed);
    if (known?.removedAt === null) return this.#describe(known);
    if (known) {
      if (ignorePatterns.length > 0) vaults.setIgnorePatterns(known.id, ignorePatterns);
      return this.restore(known.id);
    }
    this.#refuseOverlap(root);
    const obsidian = knownObsidianVaults(log).find(
      (vault) => lookupKey(resolve(vault.path)) === lookupKey(root),
    );
    const vault: VaultRecord = {
      id: newId('vault') as VaultId,
      name: basename(root) || root,
      path: root,
      obsidianId: obsidian?.id ?? null,
      ignorePatterns,
      paused: false,
      addedAt: clock.now(),
      removedAt: null,
      rootIdentity: null,
    };
    vaults.insert(vault);
    if (this.#watching) this.#indexerOf(vault).watch();
    onVaults();
    return this.#describe(vault);
  }

  /**
   * Takes the vault out of use; it can be restored until it is purged.
   * @returns when its indexer has ended
   */
  async remove(id: VaultId): Promise<void> {
    this.#find(id);
    this.#ports.vaults.setRemovedAt(id, this.#ports.clock.now());
    const indexer = this.#indexers.get(id);
    // It goes from the map at once, so that a restoration while it ends makes another one.
    this.#indexers.delete(id);
    this.#ports.onVaults();
    await indexer?.close(new AppError('NOT_FOUND', { what: 'vault' }));
  }

  /** @throws AppError NOT_FOUND, VAULT_NESTED, VAULT_HOLDS_DATA */
  restore(id: VaultId): Vault {
    const { vaults, onVaults } = this.#ports;
    const removed = vaults.get(id);
    if (!removed) throw new AppError('NOT_FOUND', { what: 'vault' });
    if (removed.removedAt !== null) this.#refuseOverlap(removed.path);
    vaults.setRemovedAt(id, null);
    const vault = this.#find(id);
    if (this.#watching) this.#indexerOf(vault).watch();
    onVaults();
    return this.#describe(vault);
  }

  /**
   * Erases the vaults that were removed before `before`, in milliseconds since 1970: their notes some at a time, so that other work
   * gets its turn. If it is interrupted, it can be called again.
   * @throws the signal's reason if it is aborted
   */
  async purgeRemoved(before: number, signal: AbortSignal): Promise<void> {
    const { vaults, notes, clock } = this.#ports;
    const isDue = (id: VaultId) => (vaults.get(id)?.removedAt ?? Number.POSITIVE_INFINITY) < before;
    for (const { id } of vaults.listWithRemoved()) {
      // It is read again each time, because the vault may be restored meanwhile.
      while (isDue(id)) {
        signal.throwIfAborted();
        if (!notes.eraseSome(id, ERASED_AT_ONCE, clock.now())) {
          vaults.erase(id);
          this.#queues.delete(id);
        }
        await nextTurn();
      }
    }
  }

  /**
   * Takes a vault's folder as it is now: whatever it lost is erased from the index, and if its path leads elsewhere, the vault is there
   * from now on.
   * @throws AppError NOT_FOUND, VAULT_NOT_FOUND, VAULT_UNREADABLE, VAULT_NESTED, VAULT_HOLDS_DATA
   */
  async confirm(id: VaultId): Promise<Vault> {
    const { vaults, onVaults } = this.#ports;
    const { path } = this.#find(id);
    const root = await resolveFolder(path);
    if (root !== path) {
      this.#refuseOverlap(root, id);
      vaults.setPath(id, root);
      const indexer = this.#indexers.get(id);
      this.#indexers.delete(id);
      await indexer?.close(new AppError('VAULT_MOVED', { path, target: root }));
    }
    const vault = this.#find(id);
    const indexer = this.#indexerOf(vault);
    indexer.accept();
    if (this.#watching) indexer.watch();
    onVaults();
    return this.#describe(vault);
  }

  setIgnorePatterns(id: VaultId, patterns: string[]): Vault {
    const { vaults, onVaults } = this.#ports;
    vaults.setIgnorePatterns(id, patterns);
    const vault = this.#find(id);
    this.#indexerOf(vault).setIgnorePatterns(patterns);
    onVaults();
    return this.#describe(vault);
  }

  /** Another note is the one that Souvenir writes: what was left out of the index, or in it, has changed. */
  ownNoteChanged(): void {
    for (const vault of this.#ports.vaults.list()) this.#indexerOf(vault).rulesChanged();
  }

  /**
   * How many files `patterns` would leave out, and the first of them by path.
   * @throws AppError NOT_FOUND, VAULT_UNAVAILABLE
   */
  async previewIgnore(id: VaultId, patterns: string[]): Promise<{ count: number; paths: string[] }> {
    const out = await filesLeftOut(this.#find(id).path, patterns);
    return { count: out.length, paths: out.sort().slice(0, IGNORE_PREVIEW) };
  }

  pause(id: VaultId): void {
    this.#setPaused(id, true);
    this.#indexerOf(this.#find(id)).pause();
  }

  resume(id: VaultId): void {
    this.#setPaused(id, false);
    this.#indexerOf(this.#find(id)).resume();
  }

  /** Indexes notes again, whatever became of them before. */
  retry(ids: readonly NoteId[]): void {
    const notes = ids.map((id) => this.#ports.notes.get(id)).filter((note) => note !== undefined);
    const byVault = Map.groupBy(notes, (note: NoteRecord) => note.vaultId);
    for (const [vaultId, some] of byVault) this.#indexerOf(this.#find(vaultId)).retry(some);
  }

  /** @throws AppError NOT_FOUND if the vault is not in use */
  indexer(id: VaultId): VaultIndexer {
    return this.#indexerOf(this.#find(id));
  }

  /** Is any vault being looked through? */
  indexing(): boolean {
    return [...this.#indexers.values()].some((indexer) => indexer.busy());
  }

  /** Watches every vault from now on. Called again, for example after the computer slept, it has every vault walked. */
  watch(): void {
    this.#watching = true;
    for (const vault of this.#ports.vaults.list()) this.#indexerOf(vault).watch();
  }

  /** Ends every indexer, those of removed vaults included. */
  async close(): Promise<void> {
    this.#closed = true;
    const closed = new Error('the vaults are closed');
    await Promise.all([...this.#indexers.values()].map((indexer) => indexer.close(closed)));
    await Promise.all([...this.#queues.values()].map((queue) => queue.onIdle()));
    await this.#ports.parser.close();
  }

  #describe(vault: VaultRecord): Vault {
    const { id, name, path, ignorePatterns, obsidianId, addedAt } = vault;
    const indexer = this.#indexerOf(vault);
    const problems = [...indexer.problems()];
    return { id, name, path, ignorePatterns, obsidianId, addedAt, problems, progress: indexer.progress() };
  }

  #find(id: VaultId): VaultRecord {
    const vault = this.#ports.vaults.get(id);
    if (!vault || vault.removedAt !== null) throw new AppError('NOT_FOUND', { what: 'vault' });
    return vault;
  }

  #indexerOf(vault: VaultRecord): VaultIndexer {
    const existing = this.#indexers.get(vault.id);
    if (existing) return existing;
    if (this.#closed) throw new Error('the vaults are closed');
    const queue = this.#queues.get(vault.id) ?? new PQueue({ concurrency: 1 });
    this.#queues.set(vault.id, queue);
    const indexer = new VaultIndexer(vault, { ...this.#ports, queue });
    this.#indexers.set(vault.id, indexer);
    return indexer;
  }

  #setPaused(id: VaultId, paused: boolean): void {
    this.#ports.vaults.setPaused(id, paused);
    this.#ports.onVaults();
  }

  /**
   * @throws AppError VAULT_NESTED if the folder contains a vault in use, or lies in one: its notes would be indexed twice;
   *   VAULT_HOLDS_DATA if it contains the data folder, or lies in it
   */
  #refuseOverlap(root: string, except?: VaultId): void {
    const dataDir = dirname(this.#ports.db.path);
    if (overlaps(root, dataDir)) throw new AppError('VAULT_HOLDS_DATA', { path: root, dataDir });
    const other = this.#ports.vaults
      .list()
      .find((vault) => vault.id !== except && overlaps(root, vault.path));
    if (other) throw new AppError('VAULT_NESTED', { path: root, other: other.path });
  }
}
