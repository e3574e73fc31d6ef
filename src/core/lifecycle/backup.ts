import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import PQueue from 'p-queue';
import { AppError } from '../../shared/errors.ts';
import type { Db } from '../storage/database.ts';
import { makeBackupFolder } from '../storage/databaseCopies.ts';
import { BACKUP_FOLDER } from '../storage/folderNames.ts';
import type { Clock } from '../support/clock.ts';
import { diskProblemIn } from '../support/diskProblem.ts';
import type { Logger } from '../support/logger.ts';
import { PartialFile } from '../support/partialFile.ts';
import { WorkerThread } from '../support/workerThread.ts';
import { workerUrl } from '../support/workerUrl.ts';
import { type Backup, eraseOldBackups, listBackups, nextBackupPath } from './backupFiles.ts';
import type { copyCheckContract } from './copyCheckContract.ts';

const DAY_MS = 86_400_000;

export interface BackupOptions {
  /** Path of a new file. Without it, the backup joins the kept ones, and the oldest of those is erased. */
  path?: string | undefined;
  signal?: AbortSignal;
}

/** Backups of the database, made while it is in use, one at a time. They leave out the vectors, which are derived from it. */
export class Backups {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #folder: string;
  readonly #closing = new AbortController();
  readonly #queue = new PQueue({ concurrency: 1 });
  #failure: AppError | null = null;

  constructor(ports: { db: Db; dataDir: string; clock: Clock; log: Logger }) {
    this.#db = ports.db;
    this.#clock = ports.clock;
    this.#log = ports.log;
    this.#folder = join(ports.dataDir, BACKUP_FOLDER);
  }

  /** The kept backups, newest first. */
  list(): Backup[] {
    return listBackups(this.#folder);
  }

  /** Why the last backup failed; null if it succeeded. */
  get failure(): AppError | null {
    return this.#failure;
  }

  /** When the next daily backup is due. Ignores a backup dated in the future, which means that the clock was set back. */
  dueAt(): number {
    const now = this.#clock.now();
    const latest = this.list().find(({ madeAt }) => madeAt <= now);
    return latest ? latest.madeAt + DAY_MS : now;
  }

  /**
   * Makes a backup, once those before it have ended. It gets its name once it is known to be whole and is on the disk, and only then
   * are older ones erased.
   * @throws AppError BACKUP_UNUSABLE if the file exists or cannot be written, DATABASE_DAMAGED, DISK_FULL; the signal's reason if it
   * is aborted
   */
  async make({ path, signal }: BackupOptions = {}): Promise<Backup> {
    const stop = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
    try {
      const made = await this.#queue.add(() => this.#copy(path === undefined ? null : resolve(path), stop));
      this.#failure = null;
      return made;
    } catch (error) {
      if (error instanceof AppError && !stop.aborted) this.#failure = error;
      throw error;
    }
  }

  /** Runs work on the kept copies while no backup is made. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.add(work);
  }

  /** Interrupts the backup that is being made; those that wait are not begun. */
  async close(): Promise<void> {
    this.#closing.abort(new AppError('OWNER_UNREACHABLE'));
    await this.#queue.onIdle();
  }

  async #copy(target: string | null, signal: AbortSignal): Promise<Backup> {
    signal.throwIfAborted();
    const path = target ?? nextBackupPath(this.#folder, this.#clock.now());
    if (existsSync(path))
      throw new AppError('BACKUP_UNUSABLE', { path, reason: 'a file of this name exists' });
    let partial: PartialFile | undefined;
    try {
      if (target === null) makeBackupFolder(this.#folder);
      partial = new PartialFile(path);
      await this.#db.backup(partial.path, signal);
      await this.#check(partial.path, signal);
      partial.publish();
    } catch (error) {
      // Asked before the unfinished copy gives its room back. SQLite may have removed it already: then what it needs tells.
      const bytes = statSync(this.#db.path, { throwIfNoEntry: false })?.size;
      const problem = diskProblemIn(dirname(path), error, bytes);
      if (partial?.discard() === false) this.#log.warn('an unfinished backup cannot be removed yet');
      if (signal.aborted || error instanceof AppError) throw error;
      const reason = (error as { code?: string }).code ?? (error as Error).name;
      throw new AppError(problem ?? 'BACKUP_UNUSABLE', { path, reason }, { cause: error });
    }
    if (target === null) this.#eraseOld();
    return { path, bytes: statSync(path).size, madeAt: this.#clock.now() };
  }

  /** Checks the copy in a thread of its own, since that takes time. @throws AppError DATABASE_DAMAGED; an error with SQLite's code */
  async #check(copy: string, signal: AbortSignal): Promise<void> {
    const thread = new WorkerThread<typeof copyCheckContract>({
      entry: workerUrl(import.meta.url, 'copyCheckWorker'),
      name: 'copy check',
      log: this.#log,
      failure: (reason) => new Error(reason),
      interruptible: true,
    });
    try {
      const problem = await thread.call(
        (calls, stop) => calls.finish({ path: copy }, { signal: stop }),
        signal,
      );
      if (problem?.kind === 'damage')
        throw new AppError('DATABASE_DAMAGED', { path: this.#db.path, reason: problem.reason });
      if (problem) throw Object.assign(new Error('copy cannot be checked'), { code: problem.reason });
    } finally {
      await thread.close();
    }
  }

  #eraseOld(): void {
    try {
      eraseOldBackups(this.#folder);
    } catch (error) {
      this.#log.warn({ err: error }, 'old backups cannot be erased yet');
    }
  }
}
