import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { JobSummary } from '../../shared/contract/app.ts';
import { AppError, codeOf, type ErrorCode } from '../../shared/errors.ts';
import type { Db } from '../storage/database.ts';
import type { Clock } from '../support/clock.ts';
import { newId } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { MOST_ATTEMPTS, retryDelayMs } from './backoff.ts';
import { JobAborted, type JobKind } from './jobKind.ts';
import { type HeldJob, type JobPlacement, JobStore, type LeasedJob } from './jobStore.ts';

export interface JobsPorts {
  db: Db;
  clock: Clock;
  log: Logger;
  /** Jobs were added, ran or ended; at most twice a second. */
  onChange(): void;
  /** How long `close` waits for handlers that do not heed their signal. */
  abortGraceMs?: number;
}

/** The table is read at least this often: the computer may sleep, the clock may be set, schedules follow from rows. */
const LOOK_EVERY_MS = 60_000;
/** With a clock that stands still, what is due soon never comes: the runner must not look without a pause. */
const LOOK_AT_MOST_EVERY_MS = 250;
const TELL_EVERY_MS = 500;
const LEASE_MS = 10 * 60_000;
/** Long enough to end a write or a request that has been aborted. What goes on is left to the next start, as after a crash. */
const ABORT_GRACE_MS = 5_000;
/** A scheduled job that fails is tried again at least this often. */
const SCHEDULE_RETRY_MS = 3_600_000;
/** A process may be ended from outside a few times in the middle of the same job; more often, the job itself may be to blame. */
const CRASHES_FORGIVEN = 3;

/** A job being run by this process. */
interface Run {
  job: LeasedJob;
  kind: JobKind;
  lease: string;
  controller: AbortController;
  committed: boolean;
  ended: Promise<void>;
}

/**
 * Runs jobs from a table, so that background work survives a crash. A job is taken with a lease, and its completion is committed
 * together with its effect (`JobRun.commit`). A lease of an earlier process is taken over at the start: the data folder has one owner,
 * so that process has ended. A lease of this process that runs out is taken again, and the late run can no longer commit.
 */
export class Jobs {
  readonly #ports: JobsPorts;
  readonly #store: JobStore;
  readonly #kinds = new Map<string, JobKind>();
  readonly #runs = new Set<Run>();
  /** How often each kind is paused at present. */
  readonly #pauses = new Map<string, number>();
  /** When the schedule of a kind was last followed. */
  readonly #scheduledAt = new Map<string, number>();
  /** Begins the lease of every run of this object. */
  readonly #start = newId('start');
  #runNumber = 0;
  #state: 'new' | 'running' | 'closing' | 'closed' = 'new';
  #lookTimer: NodeJS.Timeout | undefined;
  #lookSoon: NodeJS.Immediate | undefined;
  #tellTimer: NodeJS.Timeout | undefined;

  constructor(ports: JobsPorts) {
    this.#ports = ports;
    this.#store = new JobStore(ports.db);
  }

  /** Makes a kind of job known; its jobs run from then on. */
  register(kind: JobKind): void {
    if (this.#kinds.has(kind.kind)) throw new Error(`job kind ${kind.kind} is registered twice`);
    this.#kinds.set(kind.kind, kind);
    this.wake();
  }

  knows(kind: string): boolean {
    return this.#kinds.has(kind);
  }

  /**
   * Adds a job in the caller's transaction: it exists if and only if that commits. The same kind and subject is one job, see
   * `JobStore.enqueue`.
   * @param subject id of what the work is about
   */
  enqueue(kind: string, subject: string, placement: JobPlacement = {}): void {
    this.#store.enqueue(kind, subject, placement);
    this.wake();
    this.#tell();
  }

  /** Is there a job of this kind and subject, in whatever state? */
  has(kind: string, subject: string): boolean {
    return this.#store.has(kind, subject);
  }

  /** Removes the jobs of a kind, or of one subject, in the caller's transaction, and aborts those that run. */
  cancel(kind: string, subject?: string): void {
    this.#store.cancel(kind, subject);
    for (const run of this.#runs)
      if (run.job.kind === kind && (subject === undefined || run.job.subject === subject))
        run.controller.abort(new JobAborted('cancelled'));
    this.#tell();
  }

  /**
   * Keeps kinds of jobs from running and aborts those that run; these keep their place and lose no attempt.
   * @returns ends this pause. Where several hold, the last one to end lets the jobs run again.
   */
  pause(kinds: readonly string[]): () => void {
    for (const kind of kinds) this.#pauses.set(kind, (this.#pauses.get(kind) ?? 0) + 1);
    for (const run of this.#runs)
      if (kinds.includes(run.job.kind)) run.controller.abort(new JobAborted('paused'));
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      for (const kind of kinds) this.#pauses.set(kind, (this.#pauses.get(kind) ?? 1) - 1);
      this.wake();
    };
  }

  /** Takes over what an earlier process left running, and runs what is due until `close`. */
  start(): void {
    if (this.#state !== 'new') return;
    this.#state = 'running';
    for (const job of this.#store.running()) this.#takeOver(job);
    this.wake();
  }

  /** Has the table read soon, once the present transaction has ended. */
  wake(): void {
    if (this.#state === 'running') this.#lookSoon ??= setImmediate(() => this.#look());
  }

  /** Waits until no job of a kind that is not paused is due or running. */
  async settled(): Promise<void> {
    this.#look();
    while (this.#runs.size > 0 && this.#state === 'running') {
      await Promise.race([...this.#runs].map((run) => run.ended));
      this.#look();
    }
  }

  /** What there is to do, by kind and state. */
  summaries(): JobSummary[] {
    return this.#store.summaries();
  }

  /** Kinds in the table that nothing here can run. */
  unknownKinds(): string[] {
    return this.#store.kinds().filter((kind) => !this.#kinds.has(kind));
  }

  /** Jobs that are marked as running and that no run of this process holds. */
  stuck(): HeldJob[] {
    const held = new Set([...this.#runs].map((run) => run.lease));
    return this.#store.running().filter(({ lease }) => !held.has(lease));
  }

  /** Removes the jobs of unknown kinds, and lets stuck ones run again. */
  repair(): void {
    for (const kind of this.unknownKinds()) this.#store.cancel(kind);
    for (const job of this.stuck()) this.#store.interrupt(job, job.lease);
    this.wake();
  }

  /** Aborts what runs and waits until it has reacted, `abortGraceMs` at most; it runs again at the next start. */
  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closing';
    clearTimeout(this.#lookTimer);
    clearTimeout(this.#tellTimer);
    if (this.#lookSoon) clearImmediate(this.#lookSoon);
    for (const run of this.#runs) run.controller.abort(new JobAborted('closed'));
    const grace = new AbortController();
    const ended = Promise.all([...this.#runs].map((run) => run.ended)).finally(() => grace.abort());
    const late = sleep(this.#ports.abortGraceMs ?? ABORT_GRACE_MS, undefined, { signal: grace.signal });
    await Promise.race([ended, late.catch(() => undefined)]);
    for (const { job } of this.#runs)
      this.#ports.log.warn(
        { job: job.id, kind: job.kind },
        'job did not heed its signal; it is left to the next start',
      );
    this.#state = 'closed';
  }

  /** Starts every job that is due and may run, and sets the time of the next look. */
  #look(): void {
    if (this.#state !== 'running') return;
    clearTimeout(this.#lookTimer);
    if (this.#lookSoon) clearImmediate(this.#lookSoon);
    this.#lookSoon = undefined;
    const now = this.#ports.clock.now();
    let next = now + LOOK_EVERY_MS;
    try {
      for (const job of this.#store.expired(now)) this.#endLease(job);
      for (const kind of this.#kinds.values()) {
        if ((this.#pauses.get(kind.kind) ?? 0) > 0) continue;
        this.#followSchedule(kind);
        if (this.#fill(kind, now)) next = Math.min(next, this.#store.nextDue(kind.kind) ?? next);
      }
    } catch (error) {
      this.#ports.log.error({ err: error }, 'jobs could not be read; tried again later');
    }
    const delayMs = Math.min(Math.max(next - now, LOOK_AT_MOST_EVERY_MS), LOOK_EVERY_MS);
    this.#lookTimer = setTimeout(() => this.#look(), delayMs).unref();
  }

  /** Takes due jobs of a kind. @returns true if there are none left, false if no more may run at the same time */
  #fill(kind: JobKind, now: number): boolean {
    const until = now + (kind.leaseMs ?? LEASE_MS);
    while ([...this.#runs].filter((run) => run.kind === kind).length < (kind.concurrency ?? 1)) {
      this.#runNumber += 1;
      const lease = `${this.#start} ${this.#runNumber}`;
      const job = this.#store.take(kind.kind, { id: lease, now, until });
      if (!job) return true;
      this.#begin({ job, kind, lease });
    }
    return false;
  }

  /** Writes down when a scheduled job is due next. What runs or waits for another attempt stays as it is. */
  #followSchedule({ kind, schedule }: JobKind): void {
    if (!schedule) return;
    const known = this.#store.schedule(kind);
    if (known && (known.state === 'running' || known.attempts > 0)) return;
    const due = schedule();
    if (due === null) {
      if (known) this.#store.cancel(kind, '');
      return;
    }
    // A run that leaves its work undone must not be followed by the next one at once.
    const dueAt = Math.max(due, (this.#scheduledAt.get(kind) ?? Number.NEGATIVE_INFINITY) + LOOK_EVERY_MS);
    if (known?.dueAt !== dueAt) this.#store.setSchedule(kind, dueAt);
  }

  #begin(taken: Pick<Run, 'job' | 'kind' | 'lease'>): void {
    const run: Run = {
      ...taken,
      controller: new AbortController(),
      committed: false,
      ended: Promise.resolve(),
    };
    this.#runs.add(run);
    run.ended = this.#execute(run).finally(() => {
      this.#runs.delete(run);
      this.wake();
      this.#tell();
    });
    this.#tell();
  }

  /** Runs a handler and records how it ended. Never throws. */
  async #execute(run: Run): Promise<void> {
    const { job, kind, lease, controller } = run;
    const { signal } = controller;
    const startedAt = performance.now();
    try {
      await nextTurn();
      signal.throwIfAborted();
      const commit = (effect: () => void) => this.#commit(run, effect);
      await kind.handler({ subject: job.subject, attempt: job.attempts, signal, commit });
      if (!run.committed) {
        signal.throwIfAborted();
        this.#commit(run, () => undefined);
      }
      const ms = Math.round(performance.now() - startedAt);
      this.#ports.log.debug({ job: job.id, kind: job.kind, ms }, 'job done');
    } catch (error) {
      try {
        this.#recordFailure(run, error);
      } catch (cause) {
        // The lease stays, and is taken again once it has ended.
        this.#ports.log.error(
          { job: job.id, kind: job.kind, lease, err: cause },
          'end of a job could not be recorded',
        );
      }
    }
  }

  #commit(run: Run, effect: () => void): void {
    if (this.#state === 'closed') throw new JobAborted('closed');
    this.#ports.db.transaction(() => {
      if (!this.#store.finish(run.job, run.lease)) throw new JobAborted('cancelled');
      effect();
    });
    run.committed = true;
    if (run.kind.schedule) this.#scheduledAt.set(run.job.kind, this.#ports.clock.now());
  }

  #recordFailure(run: Run, error: unknown): void {
    const { job, kind, lease } = run;
    const { log } = this.#ports;
    const about = { job: job.id, kind: job.kind, attempt: job.attempts };
    if (run.committed) log.error({ ...about, err: error }, 'job failed after it was done');
    else if (this.#state === 'closed')
      log.debug(about, 'job ended after the close; it is taken over at the next start');
    else if (run.controller.signal.aborted) {
      const { abortCause } = run.controller.signal.reason as JobAborted;
      log.debug({ ...about, abortCause }, 'job aborted');
      this.#store.interrupt(job, lease);
    } else if (error instanceof JobAborted) log.debug(about, 'job was cancelled before its end');
    else if (error instanceof AppError && error.code === 'NOT_FOUND') {
      this.#store.finish(job, lease);
      log.info(about, 'subject of a job no longer exists; the job is removed');
    } else {
      const { code } = codeOf(error);
      log.warn({ ...about, code, err: error }, 'job failed');
      this.#fail(job, lease, { code, kind });
    }
  }

  #fail(job: LeasedJob, lease: string, { code, kind }: { code: ErrorCode; kind: JobKind | undefined }): void {
    const delayMs = retryDelayMs(job.attempts);
    const isLast = !kind?.schedule && job.attempts >= (kind?.maxAttempts ?? MOST_ATTEMPTS);
    const retryAt =
      this.#ports.clock.now() + (kind?.schedule ? Math.min(delayMs, SCHEDULE_RETRY_MS) : delayMs);
    this.#store.fail(job, lease, { code, retryAt: isLast ? null : retryAt });
  }

  /** A run of this process is too slow, or a lease was left behind: the job waits for its next attempt. */
  #endLease(job: HeldJob): void {
    for (const run of this.#runs) {
      if (run.lease !== job.lease) continue;
      run.controller.abort(new JobAborted('lease-ended'));
      this.#runs.delete(run);
    }
    this.#ports.log.warn({ job: job.id, kind: job.kind, attempt: job.attempts }, 'lease of a job has ended');
    this.#fail(job, job.lease, { code: 'JOB_TIMED_OUT', kind: this.#kinds.get(job.kind) });
  }

  /** The process that ran the job ended in the middle of it. */
  #takeOver(job: HeldJob): void {
    this.#ports.log.info(
      { job: job.id, kind: job.kind, attempt: job.attempts },
      'job of an earlier start is taken over',
    );
    const delayMs = job.attempts > CRASHES_FORGIVEN ? retryDelayMs(job.attempts) : 0;
    this.#store.release(job, job.lease, this.#ports.clock.now() + delayMs);
  }

  #tell(): void {
    if (this.#state !== 'running' || this.#tellTimer) return;
    this.#tellTimer = setTimeout(() => {
      this.#tellTimer = undefined;
      this.#ports.onChange();
    }, TELL_EVERY_MS).unref();
  }
}
