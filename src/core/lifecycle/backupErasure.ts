import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CopyErasure, BackupErasure as Progress } from '../../shared/contract/forget.ts';
import { AppError } from '../../shared/errors.ts';
import type { JobKind, JobRun } from '../jobs/jobKind.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Db } from '../storage/database.ts';
import { BACKUP_FOLDER } from '../storage/folderNames.ts';
import type { Logger } from '../support/logger.ts';
import { WorkerThread } from '../support/workerThread.ts';
import { workerUrl } from '../support/workerUrl.ts';
import type { Backups } from './backup.ts';
import { restorableCopies } from './copies.ts';
import type { CopyFailure, copyErasureContract } from './copyErasureContract.ts';

export interface BackupErasurePorts {
  db: Db;
  dataDir: string;
  jobs: Jobs;
  backups: Backups;
  /** Are rows or bytes of what was erased still being removed from the database? */
  isErasing(): boolean;
  /** What was deleted at this time or later can be restored, in milliseconds since 1970. */
  restorableSince(): number;
  log: Logger;
  /** A copy was rewritten, or could not be. */
  onChange(): void;
}

export const ERASE_FROM_BACKUPS = 'erase-from-backups';
/** How often it is looked whether the database itself is clean. */
const LOOK_MS = 100;
/** All copies of a large database, each written twice. */
const LEASE_MS = 6 * 3_600_000;

/** Rewrites every copy of the database in the data folder without what was erased or forgotten for good. */
export class BackupErasure {
  readonly #ports: BackupErasurePorts;
  #copies: CopyErasure[] = [];

  constructor(ports: BackupErasurePorts) {
    this.#ports = ports;
  }

  /** Has the copies rewritten, from the first to the last, in the background. */
  start(): void {
    this.#copies = this.#present();
    this.#ports.jobs.enqueue(ERASE_FROM_BACKUPS, '');
  }

  read(): Progress {
    const isDue = this.#ports.jobs.has(ERASE_FROM_BACKUPS, '');
    if (isDue && this.#copies.length === 0) this.#copies = this.#present();
    return {
      running: isDue && this.#copies.some(({ state }) => state === 'waiting'),
      copies: this.#copies.map((copy) => ({ ...copy })),
    };
  }

  /**
   * The copies in which something is named, and those that cannot be read.
   * @param names space-joined terms; none for all copies
   */
  async naming(names: readonly string[]): Promise<{ path: string; madeAt: number }[]> {
    const all = [...restorableCopies(this.#ports.dataDir), ...this.#damaged()];
    const paths = all.map(({ path }) => path);
    const found =
      names.length === 0 || paths.length === 0
        ? paths
        : await this.#call((calls, signal) => calls.naming({ paths, names: [...names] }, { signal }));
    return all.filter(({ path }) => found.includes(path)).map(({ path, madeAt }) => ({ path, madeAt }));
  }

  /** It begins anew where it was interrupted: a copy that was rewritten is rewritten once more, which changes nothing. */
  job(): JobKind {
    return { kind: ERASE_FROM_BACKUPS, leaseMs: LEASE_MS, handler: (run) => this.#run(run) };
  }

  async #run({ signal }: JobRun): Promise<void> {
    // A copy that is made meanwhile still holds terms and pages of what is being erased.
    while (this.#ports.isErasing()) await sleep(LOOK_MS, undefined, { signal });
    const done = new Map(this.#copies.map(({ path, state }) => [path, state === 'done']));
    this.#copies = this.#present().map((copy) => (done.get(copy.path) ? { ...copy, state: 'done' } : copy));
    for (const copy of this.#copies) {
      if (copy.state !== 'waiting') continue;
      // Of many backups the oldest are erased while others are made.
      const problem = await this.#ports.backups.exclusively(async () =>
        existsSync(copy.path) ? this.#erase(copy.path, signal) : null,
      );
      signal.throwIfAborted();
      Object.assign(copy, { state: problem ? 'failed' : 'done', problem });
      if (problem) this.#ports.log.warn({ code: problem.code }, 'a copy still holds what was erased');
      this.#ports.onChange();
    }
    // There may be room later.
    if (this.#copies.some(({ problem }) => problem?.code === 'DISK_FULL')) throw new AppError('DISK_FULL');
  }

  #erase(path: string, stop: AbortSignal): Promise<CopyFailure | null> {
    const { dataDir, db, restorableSince } = this.#ports;
    const copy = { path, dataDir, databasePath: db.path, restorableSince: restorableSince() };
    return this.#call((calls, signal) => calls.erase(copy, { signal }), stop);
  }

  /** The copies as they are found, those that nothing can read as failed. */
  #present(): CopyErasure[] {
    return [
      ...restorableCopies(this.#ports.dataDir).map(
        ({ path, madeAt }): CopyErasure => ({ path, madeAt, state: 'waiting', problem: null }),
      ),
      ...this.#damaged().map(
        ({ path, madeAt }): CopyErasure => ({
          path,
          madeAt,
          state: 'failed',
          problem: { code: 'BACKUP_UNUSABLE', params: { path, reason: 'it is damaged' } },
        }),
      ),
    ];
  }

  /** What was set aside because it is damaged. */
  #damaged(): { path: string; madeAt: number }[] {
    const folder = join(this.#ports.dataDir, BACKUP_FOLDER);
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
    return readdirSync(folder)
      .filter((name) => name.startsWith('damaged-'))
      .map((name) => join(folder, name))
      .map((path) => ({ path, madeAt: Math.round(statSync(path).mtimeMs) }));
  }

  async #call<T>(
    work: (calls: Calls, signal: AbortSignal) => Promise<T>,
    stop: AbortSignal = new AbortController().signal,
  ): Promise<T> {
    const thread = new WorkerThread<typeof copyErasureContract>({
      entry: workerUrl(import.meta.url, 'copyErasureWorker'),
      name: 'copy erasure',
      log: this.#ports.log,
      failure: (reason) => new Error(reason),
      interruptible: true,
    });
    try {
      return await thread.call(work, stop);
    } finally {
      if (stop.aborted) await thread.kill();
      await thread.close();
    }
  }
}

type Calls = Parameters<Parameters<WorkerThread<typeof copyErasureContract>['call']>[0]>[0];
