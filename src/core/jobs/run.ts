import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, codeOf } from '../../shared/errors.ts';
import type { Db } from '../storage/database.ts';
import type { Clock } from '../support/clock.ts';
import type { Logger } from '../support/logger.ts';
import { delayAfterFailure } from './backoff.ts';
import { type AbortCause, JobAborted, type JobKind } from './jobKind.ts';
import type { HeldJob, JobStore } from './jobStore.ts';

export interface RunPorts {
  db: Db;
  store: JobStore;
  clock: Clock;
  log: Logger;
  /** From then on the database must not be touched. */
  isClosed(): boolean;
}

/** One attempt at a job. */
export class Run {
  readonly job: HeldJob;
  readonly kind: JobKind;
  /** Fulfilled when the handler has ended and its outcome is recorded. Never rejected. */
  readonly ended: Promise<void>;
  readonly #ports: RunPorts;
  readonly #controller = new AbortController();
  #committed = false;

  /** Begins at the next turn of the event loop. */
  constructor(ports: RunPorts, kind: JobKind, job: HeldJob) {
    this.#ports = ports;
    this.kind = kind;
    this.job = job;
    this.ended = this.#execute();
  }

  abort(cause: AbortCause): void {
    this.#controller.abort(new JobAborted(cause));
  }

  async #execute(): Promise<void> {
    const { job, kind } = this;
    const { signal } = this.#controller;
    const { log } = this.#ports;
    const startedAt = performance.now();
    try {
      await nextTurn();
      signal.throwIfAborted();
      const commit = (effect: () => void) => this.#commit(effect);
      await kind.handler({ subject: job.subject, attempt: job.attempts, signal, commit });
      if (!this.#committed) {
        signal.throwIfAborted();
        this.#commit(() => undefined);
      }
      log.debug({ ...about(job), ms: Math.round(performance.now() - startedAt) }, 'job done');
    } catch (error) {
      try {
        this.#recordFailure(error);
      } catch (cause) {
        // The job stays marked as running; since no run holds it then, it is taken over at one of the next looks.
        log.error({ ...about(job), err: cause }, 'end of a job could not be recorded');
      }
    }
  }

  #commit(effect: () => void): void {
    const { db, store, isClosed } = this.#ports;
    if (isClosed()) throw new JobAborted('closed');
    db.transaction(() => {
      if (!store.finish(this.job)) throw new JobAborted('cancelled');
      effect();
    });
    this.#committed = true;
  }

  #recordFailure(error: unknown): void {
    const { job } = this;
    const { log, store } = this.#ports;
    const { signal } = this.#controller;
    if (this.#committed) log.error({ ...about(job), err: error }, 'job failed after it was done');
    else if (this.#ports.isClosed())
      log.debug(about(job), 'job ended after the close; it is taken over at the next start');
    else if (signal.aborted) {
      log.debug({ ...about(job), cause: (signal.reason as JobAborted).abortCause }, 'job aborted');
      store.interrupt(job);
    } else if (error instanceof JobAborted) log.debug(about(job), 'job was cancelled before its end');
    else if (error instanceof AppError && error.code === 'NOT_FOUND') {
      log.info(about(job), 'subject of a job no longer exists; the job is removed');
      store.finish(job);
    } else {
      log.warn({ ...about(job), err: error }, 'job failed');
      recordFailedAttempt(this.#ports, job, { kind: this.kind, error });
    }
  }
}

/** Sets when a job whose attempt failed is tried again, or gives it up. */
export function recordFailedAttempt(
  { store, clock }: Pick<RunPorts, 'store' | 'clock'>,
  job: HeldJob,
  failure: { kind: JobKind; error: unknown },
): void {
  const delayMs = delayAfterFailure(failure.kind, job.attempts);
  const retryAt = delayMs === null ? null : clock.now() + delayMs;
  store.fail(job, { code: codeOf(failure.error).code, retryAt });
}

/** What the log says of a job. */
export function about({ id, kind, attempts }: HeldJob) {
  return { job: id, kind, attempt: attempts };
}
