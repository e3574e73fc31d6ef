import type PQueue from 'p-queue';
import type { IndexProgress, VaultObstacle, VaultProblem } from '../../shared/contract/vaults.ts';
import { AppError, codeOf } from '../../shared/errors.ts';
import type { VaultId } from '../../shared/ids.ts';
import type { NoteRecord } from '../storage/notes/noteRows.ts';
import type { VaultRecord, VaultStore } from '../storage/vaults.ts';
import type { Logger } from '../support/logger.ts';
import type { BatchPorts } from './batchIndexer.ts';
import { describeProgress, IndexRun, type RunReport, reportRun } from './indexRun.ts';
import { isObstacle } from './obsidian/walk.ts';
import { VaultReconciler } from './vaultReconciler.ts';
import { VaultWatch } from './vaultWatch.ts';

export interface IndexerPorts extends BatchPorts {
  vaults: VaultStore;
  /** The path of the note that Souvenir writes, if it is in this vault. */
  ownNote(id: VaultId): string | null;
  /**
   * Runs the work of one vault serially. The indexer that takes the place of a closed one is given the same queue, and so begins once
   * the other has ended.
   */
  queue: PQueue;
  onProgress(progress: IndexProgress): void;
  /** Rows of notes changed. */
  onNotes(): void;
  /** What is wrong with the vault's own settings changed. */
  onVaults(): void;
  /** The note that Souvenir writes may have changed, if it is in this vault. */
  onOwnNote(): void;
}

type Activity = 'idle' | 'scanning' | 'indexing' | 'unavailable';

const WALK_EVERY_MS = 5 * 60_000;
const RETRY_MS = 10_000;
const PROGRESS_EVERY_MS = 200;
/** After so many changes at once the watcher may have missed some. */
const BURST = 1_000;

/**
 * Keeps the index of one vault up to date: decides when to work and when not to, and reports progress. Whoever asks, pauses, loses the vault
 * or closes changes one state, which is why all of it stands in one file; the work itself is `BatchIndexer`'s and
 * `VaultReconciler`'s.
 */
export class VaultIndexer {
  readonly #vault: VaultRecord;
  readonly #ports: IndexerPorts;
  readonly #log: Logger;
  readonly #reconciler: VaultReconciler;
  readonly #watch: VaultWatch;
  readonly #closing = new AbortController();
  #activity: Activity = 'idle';
  /** Why the vault is unavailable. */
  #obstacle: VaultObstacle | null = null;
  /** Why the last run broke off; null once one has gone through. */
  #problem: IndexProgress['problem'] = null;
  #paused: boolean;
  /** The vault is paused, and is indexed all the same because somebody asked for the report. */
  #despitePause = false;
  #walkDue = false;
  #scheduled = false;
  #run: IndexRun | null = null;
  #waiting: PromiseWithResolvers<RunReport>[] = [];
  #changedAt = performance.now();
  #tellAgainAt = 0;
  #notesChanged = false;

  constructor(vault: VaultRecord, ports: IndexerPorts) {
    this.#vault = vault;
    this.#ports = ports;
    this.#log = ports.log.child({ vaultId: vault.id });
    this.#paused = vault.paused;
    this.#reconciler = new VaultReconciler(vault, {
      ...ports,
      log: this.#log,
      onWritten: () => {
        this.#notesChanged = true;
        this.#tell();
      },
    });
    this.#watch = new VaultWatch(vault.path, {
      due: this.#reconciler.due,
      rules: () => this.#reconciler.rules,
      onDue: () => {
        if (this.#reconciler.due.size >= BURST) this.#walkDue = true;
        this.#wake();
      },
      onOwnNote: ports.onOwnNote,
      onWalkDue: () => this.#walkSoon(),
      log: this.#log,
    });
  }

  /** Watches the vault until it is closed, and walks it now and at intervals. Called again, it walks the vault again. */
  watch(): void {
    this.#watch.start();
    this.#walkSoon();
  }

  /**
   * Walks the vault and indexes what differs, even if it is paused.
   * @throws AppError VAULT_UNAVAILABLE, VAULT_LOST, VAULT_MOVED if its folder cannot be taken for the vault; the reason given to `close`
   *   if it is closed first
   */
  reconcile(): Promise<RunReport> {
    const waiter = Promise.withResolvers<RunReport>();
    if (this.#closing.signal.aborted) {
      waiter.reject(this.#closing.signal.reason);
      return waiter.promise;
    }
    this.#waiting.push(waiter);
    this.#despitePause = this.#paused;
    this.#walkSoon();
    return waiter.promise;
  }

  progress(): IndexProgress {
    const state = this.#isPaused() ? 'paused' : this.#activity;
    const counts = this.#ports.notes.counts(this.#vault.id);
    return {
      vaultId: this.#vault.id,
      since: this.#changedAt,
      state,
      obstacle: this.#obstacle,
      problem: this.#problem,
      ...describeProgress(counts, state === 'indexing' ? this.#run : null, this.#reconciler.due.size),
    };
  }

  /** What could not be read of the vault's own settings, as of the last walk. */
  problems(): readonly VaultProblem[] {
    return this.#reconciler.rules.problems;
  }

  /** Are files known to be left to look at, and is that not paused? */
  busy(): boolean {
    const isWorking = this.#activity === 'scanning' || this.#activity === 'indexing';
    return !this.#isPaused() && (isWorking || this.#walkDue || this.#reconciler.due.size > 0);
  }

  /** Takes the folder as it is now, whatever it lost. */
  accept(): void {
    this.#reconciler.accept();
    this.#walkSoon();
  }

  pause(): void {
    this.#paused = true;
    this.#despitePause = false;
    this.#tell(true);
  }

  resume(): void {
    this.#paused = false;
    this.#despitePause = false;
    this.#run?.resume();
    this.#tell(true);
    this.#walkSoon();
  }

  setIgnorePatterns(patterns: readonly string[]): void {
    this.#reconciler.setIgnorePatterns(patterns);
    this.rulesChanged();
  }

  /** What is left out has changed. */
  rulesChanged(): void {
    // Folders that were left out are not watched yet.
    this.#watch.leaveFiles();
    this.#walkSoon();
  }

  /** Indexes these notes again, whatever became of them before. */
  retry(notes: readonly NoteRecord[]): void {
    const files = notes.filter((note) => !isObstacle(note.reason));
    this.#ports.notes.setPending(files.map((note) => note.id));
    for (const note of files) this.#reconciler.due.add(note.path);
    this.#ports.onNotes();
    // Only a walk tells whether a folder can be read by now.
    if (files.length < notes.length) this.#walkSoon();
    this.#wake();
  }

  /**
   * Ends the work after the batch that is being written; whoever waits for a report gets `reason` as an error.
   * @returns when nothing of this indexer runs any more
   */
  close(reason: Error): Promise<void> {
    this.#closing.abort(reason);
    this.#reject(reason);
    return this.#ports.queue.add(this.#watch.stop());
  }

  #isPaused(): boolean {
    return this.#paused && !this.#despitePause;
  }

  #mayWork(): boolean {
    return !this.#closing.signal.aborted && !this.#isPaused();
  }

  #wake(): void {
    if (this.#scheduled || !this.#mayWork()) return;
    this.#scheduled = true;
    this.#ports.queue
      .add(() => this.#work())
      .catch((error: unknown) => this.#log.error({ err: error }, 'indexing could not be ended'));
  }

  #walkSoon(): void {
    this.#walkDue = true;
    this.#wake();
  }

  async #work(): Promise<void> {
    this.#scheduled = false;
    // Whatever wakes it while the folder cannot be reached, only a walk tells whether it is back.
    if (this.#activity === 'unavailable') this.#walkDue = true;
    try {
      while (this.#mayWork() && (await this.#step()));
      if (this.#mayWork() && this.#activity !== 'unavailable') this.#finish();
    } catch (error) {
      if (!this.#closing.signal.aborted) await this.#fail(error);
    }
    if (this.#isPaused()) this.#tell(true);
    this.#tellNotes();
  }

  /** Does the most urgent piece of work. @returns whether there may be more to do */
  async #step(): Promise<boolean> {
    const reconciler = this.#reconciler;
    const { signal } = this.#closing;
    this.#run ??= new IndexRun();
    if (this.#walkDue) {
      this.#walkDue = false;
      if (!(await this.#isReachable())) return false;
      // It stays unavailable, as far as anybody is told, until a walk says otherwise.
      if (this.#activity !== 'unavailable') this.#setActivity('scanning');
      const problems = JSON.stringify(this.problems());
      const obstacle = await reconciler.walk(signal);
      if (JSON.stringify(this.problems()) !== problems) this.#ports.onVaults();
      if (obstacle) {
        this.#giveUp(obstacle);
        return false;
      }
      this.#setActivity('scanning');
      this.#watch.walkAfter(WALK_EVERY_MS);
      this.#ports.onOwnNote();
      // The walk has read what is to be left out of it.
      this.#watch.followFiles();
    } else if (reconciler.due.size > 0) {
      this.#setActivity('indexing');
      const { hasWritten, ...looked } = await reconciler.indexBatch();
      this.#run.count(looked);
      if (hasWritten) this.#notesChanged = true;
      // The end of the last batch is told as the end of the work: counting the notes takes longer than indexing one.
      if (reconciler.due.size > 0) this.#tell();
    } else if (reconciler.needsWalk()) {
      this.#walkDue = true;
    } else if (reconciler.hasVanished()) {
      if (!(await this.#isReachable())) return false;
      await reconciler.eraseVanished(signal);
    } else return false;
    return true;
  }

  async #isReachable(): Promise<boolean> {
    const obstacle = await this.#reconciler.findObstacle();
    if (obstacle) this.#giveUp(obstacle);
    return obstacle === null;
  }

  #giveUp(obstacle: VaultObstacle): void {
    this.#log.warn({ reason: obstacle.reason }, 'vault unavailable; its index is kept');
    // The watcher of a folder that comes back as another one would see nothing.
    this.#watch.leaveFiles();
    const isNews = JSON.stringify(obstacle) !== JSON.stringify(this.#obstacle);
    this.#obstacle = obstacle;
    this.#abandon('unavailable', toError(obstacle, this.#vault.path));
    if (isNews) this.#tell(true);
  }

  #finish(): void {
    const run = this.#run;
    this.#run = null;
    this.#despitePause = false;
    this.#reconciler.settle();
    const wasProblem = this.#problem !== null;
    this.#problem = null;
    this.#setActivity('idle');
    if (wasProblem) this.#tell(true);
    const waiting = this.#waiting.splice(0);
    if (!run || waiting.length === 0) return;
    const { notes } = this.#ports;
    const report = reportRun(run, notes.counts(this.#vault.id), notes.failedIn(this.#vault.id));
    for (const waiter of waiting) waiter.resolve(report);
  }

  async #fail(error: unknown): Promise<void> {
    // A folder that vanishes during a walk is the vault's absence, not a failure.
    if (!(await this.#isReachable())) return;
    this.#log.error({ err: error }, 'indexing stopped; the vault is walked again later');
    this.#problem = codeOf(error);
    this.#abandon('idle', error);
    this.#tell(true);
  }

  /** Gives up what is due and walks the vault again later, which finds it again. */
  #abandon(activity: Activity, reason: unknown): void {
    this.#reconciler.abandon();
    this.#walkDue = false;
    this.#run = null;
    this.#despitePause = false;
    this.#setActivity(activity);
    this.#reject(reason);
    this.#watch.walkAfter(RETRY_MS);
  }

  #reject(reason: unknown): void {
    for (const waiter of this.#waiting.splice(0)) waiter.reject(reason);
  }

  #setActivity(activity: Activity): void {
    if (activity === this.#activity) return;
    this.#activity = activity;
    if (activity !== 'unavailable') this.#obstacle = null;
    // Told with its first batch, or as done.
    if (activity !== 'indexing') this.#tell(true);
  }

  /** Reports progress and changed rows: at once, or a few times a second. */
  #tell(now = false): void {
    if (this.#closing.signal.aborted) return;
    this.#changedAt = performance.now();
    if (!now && this.#changedAt < this.#tellAgainAt) return;
    this.#ports.onProgress(this.progress());
    this.#tellNotes();
    const toldAt = performance.now();
    // The notes are counted for it, which takes longer in a larger vault but must not take more than a twentieth of the time.
    this.#tellAgainAt = toldAt + Math.max(PROGRESS_EVERY_MS, 20 * (toldAt - this.#changedAt));
  }

  #tellNotes(): void {
    if (!this.#notesChanged || this.#closing.signal.aborted) return;
    this.#notesChanged = false;
    this.#ports.onNotes();
  }
}

function toError(obstacle: VaultObstacle, path: string): AppError {
  const { reason } = obstacle;
  if (reason === 'moved') return new AppError('VAULT_MOVED', { path, target: obstacle.target });
  if (reason === 'lost')
    return new AppError('VAULT_LOST', { path, lost: obstacle.lost, known: obstacle.known });
  return new AppError('VAULT_UNAVAILABLE', { path });
}
