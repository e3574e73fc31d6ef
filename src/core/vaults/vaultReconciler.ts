import { realpath, stat } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { VaultObstacle } from '../../shared/contract/vaults.ts';
import type { NoteId, VaultId } from '../../shared/ids.ts';
import type { VaultRecord, VaultStore } from '../storage/vaults.ts';
import { newId } from '../support/ids.ts';
import { baseName } from '../support/paths.ts';
import { type Aside, BatchIndexer, type BatchPorts } from './batchIndexer.ts';
import { DuePaths } from './duePaths.ts';
import { createIgnoreRules, type IgnoreRules, readIgnoreRules } from './obsidian/ignore.ts';
import { checkPresence } from './obsidian/readNote.ts';
import { listFolder, NotInVault } from './obsidian/vaultFolder.ts';
import { type Obstacle, walkVault } from './obsidian/walk.ts';
import { VanishedNotes } from './vanishedNotes.ts';
import { isGrave, measureLoss } from './vaultLoss.ts';
import { compareWalk } from './walkDifference.ts';

export interface ReconcilerPorts extends BatchPorts {
  vaults: VaultStore;
  /** Rows were written by a walk, or erased. */
  onWritten(): void;
  /** The path of the note that Souvenir writes, if it is in this vault. */
  ownNote(id: VaultId): string | null;
}

/** Files that are read, parsed and written at once. */
const BATCH = 32;
/** Rows that are inserted or erased in one transaction; other work gets its turn in between. */
const ROWS_AT_ONCE = 200;

/**
 * Makes the rows of one vault equal to its files, a step at a time. Hints and walks only name paths that may have changed; what a path
 * is now is read from the disk. Rows of missing files are erased last, so that a renamed note finds its row.
 */
export class VaultReconciler {
  /** Paths that must be looked at. */
  readonly due = new DuePaths();
  readonly #vault: VaultRecord;
  readonly #ports: ReconcilerPorts;
  readonly #vanished = new VanishedNotes();
  readonly #batches: BatchIndexer;
  #patterns: readonly string[];
  #rules: IgnoreRules;
  /** Paths of notes that the last walk did not find, and that may be erased. */
  #approved: ReadonlySet<string> = new Set();
  /** The user said that the folder is right as it is. */
  #accepted = false;

  constructor(vault: VaultRecord, ports: ReconcilerPorts) {
    this.#vault = vault;
    this.#ports = ports;
    this.#batches = new BatchIndexer(vault, ports, this.#vanished);
    this.#patterns = vault.ignorePatterns;
    this.#rules = createIgnoreRules(vault.ignorePatterns, undefined, ports.ownNote(vault.id));
  }

  /** What is ignored, as of the last walk. */
  get rules(): IgnoreRules {
    return this.#rules;
  }

  setIgnorePatterns(patterns: readonly string[]): void {
    this.#patterns = patterns;
  }

  /** Are there rows that `eraseVanished` has to decide on? */
  hasVanished(): boolean {
    return this.#vanished.size > 0;
  }

  /** Takes the folder as the next walk finds it, whatever it lost, until everything is settled. */
  accept(): void {
    this.#accepted = true;
  }

  /** Everything is done that was due. */
  settle(): void {
    this.#accepted = false;
    this.#approved = new Set();
  }

  /** Forgets what is due: the next walk finds it again. */
  abandon(): void {
    this.due.clear();
    this.#vanished.clear();
    this.settle();
  }

  /** Did so many notes vanish, as far as hints tell, that a walk must decide what became of the vault? */
  needsWalk(): boolean {
    // Counting reads the whole vault, for each save of a note.
    if (!this.hasVanished()) return false;
    const lost = [...this.#vanished.paths()].filter((path) => !this.#approved.has(path)).length;
    const { pending, indexed, skipped, failed } = this.#ports.notes.counts(this.#vault.id);
    return isGrave({ lost, known: pending + indexed + skipped + failed }, true);
  }

  /**
   * Why the folder cannot be walked, or is not the vault's; null if it can be. An empty folder that held notes is rather a disk that
   * is not mounted than a vault whose notes were all deleted.
   */
  async findObstacle(): Promise<VaultObstacle | null> {
    const { path } = this.#vault;
    try {
      const target = await realpath(path);
      if (target !== path) return { reason: 'moved', target };
      const entries = await listFolder(path, '');
      const known = this.#ports.notes.counts(this.#vault.id).indexed;
      const isEmptied = entries.length === 0 && known > 1 && !this.#accepted;
      return isEmptied ? { reason: 'lost', lost: known, known } : null;
    } catch (error) {
      const { code } = error as { code?: string };
      const isMissing = error instanceof NotInVault || code === 'ENOENT' || code === 'ENOTDIR';
      return isMissing ? { reason: 'missing' } : { reason: 'unreadable', code: code ?? 'UNKNOWN' };
    }
  }

  /**
   * Compares the whole vault with its rows. New files get a row at once, so that they are counted; all that differ are due. If nearly
   * all notes are gone, nothing is due.
   * @returns what was lost, null if the walk is taken for the vault
   * @throws the file system's error if the folder cannot be read, the signal's reason if it is aborted
   */
  async walk(signal: AbortSignal): Promise<VaultObstacle | null> {
    const { notes, log, ownNote } = this.#ports;
    this.#rules = await readIgnoreRules(this.#vault.path, this.#patterns, ownNote(this.#vault.id));
    const identity = await identityOf(this.#vault.path);
    const walk = await walkVault(this.#vault.path, this.#rules, { signal });
    const rows = notes.inVault(this.#vault.id);
    const difference = compareWalk(walk, rows);
    const loss = measureLoss(difference, rows, this.#rules);
    if (!this.#accepted && isGrave(loss, this.#isKnown(identity))) return { reason: 'lost', ...loss };
    const { added, changed, gone, obstacles } = difference;
    this.#vanished.clear();
    this.#approved = new Set(gone);
    for (const path of gone) this.due.addGone(path);
    for (const path of changed) this.due.add(path);
    this.#remember(identity);
    await this.#writeInParts(added, signal, ({ path, bytes }) => {
      const id = newId('note') as NoteId;
      notes.insertPending({ id, vaultId: this.#vault.id, path, title: baseName(path), bytes, mtimeMs: -1 });
    });
    await this.#writeInParts(obstacles, signal, (obstacle) =>
      this.#batches.setAside(obstacle.path, toRow(obstacle)),
    );
    log.info(
      {
        files: walk.files.length,
        changed: changed.length,
        gone: gone.length,
        obstacles: walk.obstacles.length,
      },
      'vault walked',
    );
    return null;
  }

  /** Indexes some of the paths that are due. @returns how many were looked at, how many chunks are new, and whether rows were written */
  async indexBatch(): Promise<{ files: number; newChunks: number; hasWritten: boolean }> {
    const paths = this.due.take(BATCH);
    const newChunks = await this.#batches.index(paths, this.#rules);
    return { files: paths.length, newChunks: newChunks ?? 0, hasWritten: newChunks !== null };
  }

  /**
   * Erases the rows whose files are gone or are now ignored; a file that came back is due again.
   * @throws the signal's reason if it is aborted
   */
  async eraseVanished(signal: AbortSignal): Promise<void> {
    const vanished = this.#vanished.takeAll();
    const paths = vanished.map((note) => note.path);
    const presence = await checkPresence(this.#vault.path, paths);
    const isOut = (path: string) => this.#rules.file(path).kind === 'out';
    for (const path of paths) if (presence.get(path) === true && !isOut(path)) this.due.add(path);
    const erased = vanished.filter(({ path }) => presence.get(path) === false || isOut(path));
    await this.#writeInParts(erased, signal, ({ id }) =>
      this.#ports.notes.erase(id, this.#ports.clock.now()),
    );
  }

  /** Is it the folder that was read before, as far as is known? Some file systems number their folders anew with every mount. */
  #isKnown(identity: string): boolean {
    const known = this.#ports.vaults.get(this.#vault.id)?.rootIdentity ?? identity;
    return known === identity;
  }

  #remember(identity: string): void {
    const { vaults } = this.#ports;
    if (vaults.get(this.#vault.id)?.rootIdentity !== identity)
      vaults.setRootIdentity(this.#vault.id, identity);
  }

  async #writeInParts<T>(rows: readonly T[], signal: AbortSignal, write: (row: T) => void): Promise<void> {
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
      signal.throwIfAborted();
      this.#ports.db.transaction(() => {
        for (const row of rows.slice(at, at + ROWS_AT_ONCE)) write(row);
      });
      this.#ports.onWritten();
      await nextTurn();
    }
  }
}

function toRow({ reason, detail }: Obstacle): Aside {
  return { kind: 'aside', status: 'failed', reason, detail, bytes: 0, mtimeMs: 0 };
}

async function identityOf(root: string): Promise<string> {
  const { dev, ino } = await stat(root, { bigint: true });
  return `${dev}:${ino}`;
}
