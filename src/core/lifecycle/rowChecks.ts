import { basename } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { AppError } from '../../shared/errors.ts';
import type { Db } from '../storage/database.ts';
import type { DamagedRow, Remedy, RowReport } from '../storage/rowCheck.ts';
import { sumSome } from '../storage/rowSums.ts';
import type { Logger } from '../support/logger.ts';
import { type ThreadEntry, WorkerThread } from '../support/workerThread.ts';
import { workerUrl } from '../support/workerUrl.ts';
import { restorableCopies } from './copies.ts';
import type { Checked, rowCheckContract } from './rowCheckContract.ts';
import { describeDamage } from './rowReport.ts';

export interface RowChecksPorts {
  /** The worker's module; the built-in one by default. */
  entry: ThreadEntry | undefined;
  db: Db;
  dataDir: string;
  log: Logger;
  /** Called where the check after a start finds damage. */
  onDamage(damage: AppError): void;
}

/** Compares rows with their sums in a thread of its own, and sums those that are not summed yet in slices. */
export class RowChecks {
  readonly #ports: RowChecksPorts;
  readonly #closing = new AbortController();
  #started: Promise<void> = Promise.resolve();

  constructor(ports: RowChecksPorts) {
    this.#ports = ports;
  }

  /** Checks every row once, in the background. */
  start(): void {
    this.#started = this.#checkOnce();
  }

  /**
   * Every row that is not what was written.
   * @throws AppError DATABASE_DAMAGED if rows cannot be read, OWNER_UNREACHABLE after `close`
   */
  async find(): Promise<RowReport> {
    await this.#sumBacklog();
    return this.#call(({ find }, options) => find({ path: this.#ports.db.path }, options));
  }

  /** How damaged rows can be mended, for each of them. @throws as `find` */
  remedies(rows: readonly DamagedRow[]): Promise<Remedy[]> {
    const copies = restorableCopies(this.#ports.dataDir).map(({ path }) => path);
    const { path } = this.#ports.db;
    return this.#call(({ remedies }, options) => remedies({ path, rows, copies }, options));
  }

  async close(): Promise<void> {
    this.#closing.abort(new AppError('OWNER_UNREACHABLE'));
    await this.#started;
  }

  async #checkOnce(): Promise<void> {
    const { log, onDamage, db } = this.#ports;
    try {
      const report = await this.find();
      const reason = describeDamage(report);
      log.info(
        { rows: report.rows.length, derived: report.derived.length },
        'rows were compared with their sums',
      );
      if (reason !== null) onDamage(new AppError('DATABASE_DAMAGED', { path: basename(db.path), reason }));
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      if (error instanceof AppError && error.code === 'DATABASE_DAMAGED') onDamage(error);
      log.error({ err: error }, 'rows cannot be compared with their sums');
    }
  }

  async #sumBacklog(): Promise<void> {
    while (!this.#closing.signal.aborted && sumSome(this.#ports.db)) await nextTick();
    this.#closing.signal.throwIfAborted();
  }

  async #call<T>(work: (calls: Calls, options: { signal: AbortSignal }) => Promise<Checked<T>>): Promise<T> {
    const thread = new WorkerThread<typeof rowCheckContract>({
      entry: this.#ports.entry ?? workerUrl(import.meta.url, 'rowCheckWorker'),
      name: 'row check',
      log: this.#ports.log,
      failure: (reason) => new Error(reason),
      interruptible: true,
    });
    try {
      const checked = await thread.call((calls, signal) => work(calls, { signal }), this.#closing.signal);
      if ('result' in checked) return checked.result;
      throw new AppError('DATABASE_DAMAGED', { path: this.#ports.db.path, reason: checked.failure });
    } finally {
      if (this.#closing.signal.aborted) await thread.kill();
      await thread.close();
    }
  }
}

type Calls = Parameters<Parameters<WorkerThread<typeof rowCheckContract>['call']>[0]>[0];
