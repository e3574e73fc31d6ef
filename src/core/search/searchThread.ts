import { setTimeout as delay } from 'node:timers/promises';
import type { ContractRouterClient } from '@orpc/contract';
import { AppError } from '../../shared/errors.ts';
import { anySignal, Deadline, unlessAborted } from '../support/abort.ts';
import type { Logger } from '../support/logger.ts';
import { retryWait } from '../support/retryTimer.ts';
import { type ThreadEntry, WorkerThread } from '../support/workerThread.ts';
import { workerUrl } from '../support/workerUrl.ts';
import type { searchContract } from './searchContract.ts';

export type SearchCalls = ContractRouterClient<typeof searchContract>;
type Thread = WorkerThread<typeof searchContract>;

export interface SearchThreadOptions {
  /** The worker's module; the built-in one by default. */
  entry: ThreadEntry | undefined;
  databasePath: string;
  log: Logger;
  /** The thread can be asked, and has no vectors yet. `isFirst` is false if another one ran before. */
  onOpened(isFirst: boolean): void;
  /** A thread that answers nothing for this long is ended. A search of a million rows takes two seconds. */
  stuckAfterMs?: number;
}

/** Opening the database and loading the models takes a fraction of a second, and longer on a busy machine. */
const OPEN_DEADLINE_MS = 30_000;
const STUCK_AFTER_MS = 30_000;
const PAUSES = { firstMs: 100, longestMs: 30_000 };

const unavailable = (reason: string) => new AppError('SEARCH_UNAVAILABLE', { reason });

/**
 * Keeps the search thread running. It starts the thread when it is first asked, and again when it failed, after a pause that
 * doubles with every failure until a call succeeds.
 */
export class SearchThread {
  readonly #options: SearchThreadOptions;
  readonly #closing = new AbortController();
  #opening: Promise<Thread> | null = null;
  #failures = 0;
  #checking = false;
  #wasOpened = false;

  constructor(options: SearchThreadOptions) {
    this.#options = options;
  }

  /** Has the thread been opened before? */
  get wasOpened(): boolean {
    return this.#wasOpened;
  }

  /** Is the thread open, or being opened? */
  get isStarted(): boolean {
    return this.#opening !== null || this.#wasOpened;
  }

  get isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Waits until the thread can be asked. @throws AppError SEARCH_UNAVAILABLE */
  async open(): Promise<void> {
    await this.#open();
  }

  /**
   * Makes a call as soon as the thread can be asked.
   * @throws AppError SEARCH_UNAVAILABLE; the reason of one of the signals
   */
  async call<T>(
    work: (calls: SearchCalls, signal: AbortSignal) => Promise<T>,
    ...signals: readonly (AbortSignal | undefined)[]
  ): Promise<T> {
    const given = anySignal(...signals);
    const thread = await unlessAborted(this.#open(), given);
    const stuck = this.#stuckAfter();
    try {
      const result = await thread.call(work, given, stuck.signal);
      this.#failures = 0;
      return result;
    } catch (error) {
      if (stuck.signal.aborted) await thread.kill();
      // Whoever gave up may have given up on a thread that is stuck.
      else if (given.aborted) void this.#check(thread);
      throw error;
    } finally {
      stuck.clear();
    }
  }

  /** Ends the thread as one that failed: another one takes its place. */
  async restart(): Promise<void> {
    const thread = await this.#opening;
    await thread?.kill();
  }

  /** Lets running calls end, then ends the thread. When this returns the thread has closed the database. */
  async close(): Promise<void> {
    this.#closing.abort(unavailable('it is closed'));
    if (!this.#opening) return;
    const [opened] = await Promise.allSettled([this.#opening]);
    if (opened.status === 'fulfilled') await opened.value.close();
  }

  #open(): Promise<Thread> {
    if (this.#closing.signal.aborted) return Promise.reject(unavailable('it is closed'));
    this.#opening ??= this.#start();
    return this.#opening;
  }

  async #start(): Promise<Thread> {
    const { log, databasePath, onOpened, entry = workerUrl(import.meta.url, 'searchWorker') } = this.#options;
    let thread: Thread | undefined;
    try {
      await this.#pause();
      const started: Thread = new WorkerThread({
        entry,
        name: 'search',
        log,
        failure: unavailable,
        interruptible: true,
      });
      thread = started;
      await started.call(
        (calls, signal) => calls.open({ databasePath }, { signal }),
        AbortSignal.timeout(OPEN_DEADLINE_MS),
      );
      started.ended.addEventListener('abort', () => this.#onEnded(), { once: true });
      const isFirst = !this.#wasOpened;
      this.#wasOpened = true;
      onOpened(isFirst);
      return started;
    } catch (error) {
      this.#opening = null;
      this.#failures += 1;
      await thread?.kill();
      if (!this.#closing.signal.aborted) log.error({ err: error }, 'search thread could not be opened');
      throw error instanceof AppError ? error : unavailable((error as Error).name);
    }
  }

  async #pause(): Promise<void> {
    if (this.#failures === 0) return;
    await delay(retryWait(PAUSES, this.#failures - 1), undefined, { signal: this.#closing.signal });
  }

  #onEnded(): void {
    this.#opening = null;
    if (this.#closing.signal.aborted) return;
    this.#failures += 1;
    this.#options.log.warn({ failures: this.#failures }, 'search thread ended; it is started again');
    // `#start` has logged why, if it fails; the next call tries again.
    this.#open().catch(() => undefined);
  }

  #stuckAfter(): Deadline {
    return new Deadline(this.#options.stuckAfterMs ?? STUCK_AFTER_MS, () => unavailable('it did not answer'));
  }

  /** Ends the thread if it is stuck. */
  async #check(thread: Thread): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    const stuck = this.#stuckAfter();
    try {
      await thread.call((calls, signal) => calls.ping(undefined, { signal }), stuck.signal);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'search thread does not answer');
      if (stuck.signal.aborted) await thread.kill();
    } finally {
      stuck.clear();
      this.#checking = false;
    }
  }
}
