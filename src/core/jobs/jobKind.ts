/** A kind of job, as the domain that does the work registers it. */
export interface JobKind {
  /** Name of the kind, as it is stored: lower case, words joined by hyphens. */
  kind: string;
  handler: JobHandler;
  /** Jobs of this kind that run at the same time; 1 by default. */
  concurrency?: number;
  /** A run that takes longer is aborted, and its job is taken again. 10 minutes by default. */
  leaseMs?: number;
  /** Attempts after which a job that goes on failing is left as failed; `MOST_ATTEMPTS` by default. */
  maxAttempts?: number;
  /**
   * For work on the whole database that follows from its rows: when it is next due, in milliseconds since 1970, or null if there is
   * nothing to do. It is read at least once a minute and after each run, so that the schedule cannot be lost or out of date. A job of
   * such a kind is never left as failed.
   */
  schedule?: () => number | null;
  /** The least time between two runs that follow a schedule; a minute by default. */
  restMs?: number;
}

/**
 * Does the work of one job.
 *
 * If its effect is in SQLite, it makes it in `run.commit`: then effect and completion are one transaction, and neither a crash nor a
 * cancellation can give half of it, nor the whole twice. Otherwise the handler must be idempotent, since it runs again after a
 * crash between its effect and its return. A handler that returns without `commit` has finished its job.
 *
 * An import may bring back a job whose work has been done since the export: a handler looks whether there is still something to do.
 * A handler whose subject was deleted returns, or throws AppError NOT_FOUND: the job is removed. Any other error counts as a failed
 * attempt. A handler heeds `run.signal`; what it throws after an abort does not count as a failure.
 */
export type JobHandler = (run: JobRun) => void | Promise<void>;

export interface JobRun {
  subject: string;
  /** 1 for the first attempt. */
  attempt: number;
  /** Aborted when the job is cancelled, its kind is paused, its lease ends, or the core closes. */
  signal: AbortSignal;
  /**
   * Runs `effect` and removes the job in one transaction. The run is over then; events are sent after it.
   * @throws JobAborted if the job is no longer this run's; nothing is changed then
   */
  commit(effect: () => void): void;
}

export type AbortCause = 'cancelled' | 'paused' | 'lease-ended' | 'closed';

/** Reason of `JobRun.signal`. */
export class JobAborted extends Error {
  override readonly name = 'JobAborted';
  readonly abortCause: AbortCause;
  constructor(abortCause: AbortCause) {
    super(`job was aborted: ${abortCause}`);
    this.abortCause = abortCause;
  }
}
