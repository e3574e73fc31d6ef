import { setTimeout as sleep } from 'node:timers/promises';
import type { JobSummary } from '../../shared/contract/app.ts';
import { AppError } from '../../shared/errors.ts';
import type { Db } from '../storage/database.ts';
import type { Clock } from '../support/clock.ts';
import { newId } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { delayAfterCrash } from './backoff.ts';
import type { JobKind } from './jobKind.ts';
import { type HeldJob, type JobPlacement, JobStore } from './jobStore.ts';
import { Pauses } from './pauses.ts';
import { about, Run, type RunPorts, recordFailedAttempt } from './run.ts';

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

/**
 * Runs jobs from a table, so that background work survives a crash. A job is taken with a lease, and its completion is committed
 * together with its effect (`JobRun.commit`). A lease of an earlier process is taken over at the start: the data folder has one owner,
 * so that process has ended. A lease of this process that runs out is taken again, and the late run can no longer commit.
 */
export class Jobs {
  readonly #ports: JobsPorts;
  readonly #store: JobStore;
  readonly #runPorts: RunPorts;
  readonly #kinds = new Map<string, JobKind>();
  readonly #runs = new Set<Run>();
  readonly #pauses = new Pauses();
  /** Schedules are read at the next look: they cost a query each, so not after every job. */
  #schedulesDue = true;
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
    this.#runPorts = { ...ports, store: this.#store, isClosed: () => this.#state === 'closed' };
  }

  /** Makes a kind of job known; its jobs run from then on. */
  register(kind: JobKind): void {
    if (this.#kinds.has(kind.kind)) throw new Error(`job kind ${kind.kind} is registered twice`);
    this.#kinds.set(kind.kind, kind);
    this.reschedule();
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
        run.abort('cancelled');
    this.#tell();
  }

  /**
   * Keeps kinds of jobs from running and aborts those that run; these keep their place and lose no attempt.
   * @returns ends this pause. Where several hold, the last one to end lets the jobs run again.
   */
  pause(kinds: readonly string[]): () => void {
    const end = this.#pauses.begin(kinds);
    for (const run of this.#runs) if (kinds.includes(run.job.kind)) run.abort('paused');
    return () => {
      end();
      this.reschedule();
    };
  }

  /** Runs what is due until `close`. */
  start(): void {
    if (this.#state !== 'new') return;
    this.#state = 'running';
    this.#lookAtAll();
  }

  /** Has the table read soon, once the present transaction has ended. */
  wake(): void {
    if (this.#state === 'running') this.#lookSoon ??= setImmediate(() => this.#look());
  }

  /** Has schedules read soon: rows that they follow from may have changed. Otherwise that takes a minute at most. */
  reschedule(): void {
    this.#schedulesDue = true;
    this.wake();
  }

  /** Waits until no job of a kind that is not paused is due or running. */
  async settled(): Promise<void> {
    this.#lookAtAll();
    while (this.#runs.size > 0 && this.#state === 'running') {
      await Promise.race([...this.#runs].map((run) => run.ended));
      this.#lookAtAll();
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

  /** Removes the jobs of unknown kinds. */
  repair(): void {
    for (const kind of this.unknownKinds()) this.#store.cancel(kind);
  }

  /** Aborts what runs and waits until it has reacted, `abortGraceMs` at most; it runs again at the next start. */
  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closing';
    clearTimeout(this.#lookTimer);
    clearTimeout(this.#tellTimer);
    if (this.#lookSoon) clearImmediate(this.#lookSoon);
    for (const run of this.#runs) run.abort('closed');
    const grace = new AbortController();
    const ended = Promise.all([...this.#runs].map((run) => run.ended)).finally(() => grace.abort());
    const late = sleep(this.#ports.abortGraceMs ?? ABORT_GRACE_MS, undefined, { signal: grace.signal });
    await Promise.race([ended, late.catch(() => undefined)]);
    for (const { job } of this.#runs)
      this.#ports.log.warn(about(job), 'job did not heed its signal; it is left to the next start');
    this.#state = 'closed';
  }

  #lookAtAll(): void {
    this.#schedulesDue = true;
    this.#look();
  }

  /** Starts every job that is due and may run, and sets the time of the next look. */
  #look(): void {
    if (this.#state !== 'running') return;
    clearTimeout(this.#lookTimer);
    if (this.#lookSoon) clearImmediate(this.#lookSoon);
    this.#lookSoon = undefined;
    const now = this.#ports.clock.now();
    const kinds = [...this.#kinds.values()].filter(({ kind }) => !this.#pauses.has(kind));
    let next = now + LOOK_EVERY_MS;
    for (const kind of kinds)
      this.#attempt(kind.kind, () => {
        this.#takeBack(kind, now);
        if (this.#schedulesDue) this.#followSchedule(kind);
        // A schedule may say that its work is due at this very moment, which is later than the look's beginning.
        if (this.#fill(kind, this.#ports.clock.now()))
          next = Math.min(next, this.#store.nextDue(kind.kind) ?? next);
      });
    this.#schedulesDue = false;
    const delayMs = Math.min(Math.max(next - now, LOOK_AT_MOST_EVERY_MS), LOOK_EVERY_MS);
    this.#lookTimer = setTimeout(() => this.#lookAtAll(), delayMs).unref();
  }

  /** A kind whose jobs cannot be read, as with a full disk, keeps no other waiting. */
  #attempt(what: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#ports.log.error({ what, err: error }, 'jobs could not be read; tried again later');
    }
  }

  /**
   * Lets jobs of a kind run again that are marked as running: those whose lease has ended, and those that no run of this process holds,
   * since an earlier process has ended in the middle of them, or their end could not be recorded, as with a full disk.
   */
  #takeBack(kind: JobKind, now: number): void {
    const held = new Set([...this.#runs].map((run) => run.job.lease));
    for (const job of this.#store.running(kind.kind)) {
      if (held.has(job.lease)) {
        if (job.leasedUntil <= now) this.#endLease(kind, job);
        continue;
      }
      this.#ports.log.info(about(job), 'job that nothing runs is taken over');
      this.#store.release(job, now + delayAfterCrash(job.attempts));
    }
  }

  /** Takes due jobs of a kind. @returns true if there are none left, false if no more may run at the same time */
  #fill(kind: JobKind, now: number): boolean {
    const until = now + (kind.leaseMs ?? LEASE_MS);
    while ([...this.#runs].filter((run) => run.kind === kind).length < (kind.concurrency ?? 1)) {
      this.#runNumber += 1;
      const lease = `${this.#start} ${this.#runNumber}`;
      const job = this.#store.take(kind.kind, { id: lease, now, until });
      if (!job) return true;
      this.#begin(kind, job);
    }
    return false;
  }

  /** Writes down when a scheduled job is due next. What runs or waits for another attempt stays as it is. */
  #followSchedule({ kind, schedule, restMs = LOOK_EVERY_MS }: JobKind): void {
    if (!schedule) return;
    const known = this.#store.schedule(kind);
    if (known && (known.state === 'running' || known.attempts > 0)) return;
    const due = schedule();
    // A run that leaves its work undone must not be followed by the next one at once.
    const earliest = (this.#scheduledAt.get(kind) ?? Number.NEGATIVE_INFINITY) + restMs;
    const dueAt = due === null ? null : Math.max(due, earliest);
    if (dueAt === (known?.dueAt ?? null)) return;
    if (dueAt === null) this.#store.cancel(kind, '');
    else this.#store.setSchedule(kind, dueAt);
    this.#tell();
  }

  #begin(kind: JobKind, job: HeldJob): void {
    const run = new Run(this.#runPorts, kind, job);
    this.#runs.add(run);
    void run.ended.then(() => {
      this.#runs.delete(run);
      if (kind.schedule) {
        this.#scheduledAt.set(kind.kind, this.#ports.clock.now());
        this.#schedulesDue = true;
      }
      this.wake();
      this.#tell();
    });
    this.#tell();
  }

  /** A run of this process is too slow: the job waits for its next attempt. */
  #endLease(kind: JobKind, job: HeldJob): void {
    for (const run of this.#runs) {
      if (run.job.lease !== job.lease) continue;
      run.abort('lease-ended');
      this.#runs.delete(run);
    }
    this.#ports.log.warn(about(job), 'lease of a job has ended');
    recordFailedAttempt(this.#runPorts, job, { kind, error: new AppError('JOB_TIMED_OUT') });
  }

  #tell(): void {
    if (this.#state !== 'running' || this.#tellTimer) return;
    this.#tellTimer = setTimeout(() => {
      this.#tellTimer = undefined;
      this.#ports.onChange();
    }, TELL_EVERY_MS).unref();
  }
}
