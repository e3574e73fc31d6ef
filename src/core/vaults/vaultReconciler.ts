import { readdir } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NoteId } from '../../shared/ids.ts';
import type { VaultRecord } from '../storage/vaults.ts';
import { newId } from '../support/ids.ts';
import { baseName } from '../support/paths.ts';
import { type Aside, BatchIndexer, type BatchPorts } from './batchIndexer.ts';
import { DuePaths } from './duePaths.ts';
import { createIgnoreRules, type IgnoreRules, readIgnoreRules } from './obsidian/ignore.ts';
import { checkPresence } from './obsidian/readNote.ts';
import { type Obstacle, walkVault } from './obsidian/walk.ts';
import { VanishedNotes } from './vanishedNotes.ts';
import { compareWalk } from './walkDifference.ts';

export interface ReconcilerPorts extends BatchPorts {
  /** Rows were written. */
  onWritten(): void;
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

  constructor(vault: VaultRecord, ports: ReconcilerPorts) {
    this.#vault = vault;
    this.#ports = ports;
    this.#batches = new BatchIndexer(vault, ports, this.#vanished);
    this.#patterns = vault.ignorePatterns;
    this.#rules = createIgnoreRules(vault.ignorePatterns);
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

  /** Forgets what is due: the next walk finds it again. */
  abandon(): void {
    this.due.clear();
    this.#vanished.clear();
  }

  /**
   * Why the vault cannot be walked: the file system's code, or EMPTY for an empty folder that held notes, which is a disk that is not
   * mounted rather than a vault whose notes were all deleted. Null if it can be walked.
   */
  async findObstacle(): Promise<string | null> {
    try {
      const entries = await readdir(this.#vault.path);
      return entries.length === 0 && this.#ports.notes.counts(this.#vault.id).indexed > 1 ? 'EMPTY' : null;
    } catch (error) {
      return (error as { code?: string }).code ?? 'UNKNOWN';
    }
  }

  /**
   * Compares the whole vault with its rows. New files get a row at once, so that they are counted; all that differ are due.
   * @throws the file system's error if the folder cannot be read, the signal's reason if it is aborted
   */
  async walk(signal: AbortSignal): Promise<void> {
    const { notes, log } = this.#ports;
    this.#rules = await readIgnoreRules(this.#vault.path, this.#patterns);
    const walk = await walkVault(this.#vault.path, this.#rules, { signal });
    const { added, changed, gone, obstacles } = compareWalk(walk, notes.inVault(this.#vault.id));
    for (const path of gone) this.due.addGone(path);
    for (const path of changed) this.due.add(path);
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
  }

  /** Indexes some of the paths that are due. @returns how many were looked at, and how many chunks are new */
  async indexBatch(): Promise<{ files: number; newChunks: number }> {
    const paths = this.due.take(BATCH);
    const newChunks = await this.#batches.index(paths, this.#rules);
    if (newChunks !== null) this.#ports.onWritten();
    return { files: paths.length, newChunks: newChunks ?? 0 };
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
    await this.#writeInParts(erased, signal, ({ id }) => this.#ports.notes.erase(id));
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
