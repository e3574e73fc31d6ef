import type { JobSummary } from '../../shared/contract/app.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { Db } from '../storage/database.ts';

/** When and in which order a job runs. */
export interface JobPlacement {
  /** Milliseconds since 1970; 0, the default, is at once. */
  dueAt?: number;
  /** The lowest runs first; 0 by default. Minus the time makes the newest first. */
  priority?: number;
}

/** A job as one run holds it. */
export interface HeldJob {
  id: number;
  kind: string;
  subject: string;
  /** Of the work as it was when the job was taken. */
  revision: number;
  /** Attempts that have begun, this one included. */
  attempts: number;
  /** Names the run. A job that another run holds has another lease. */
  lease: string;
}

/** What becomes of a job whose attempt failed. */
export interface FailedAttempt {
  code: ErrorCode;
  /** Null if it is not tried again. */
  retryAt: number | null;
}

const HELD = 'id, kind, subject, revision, attempts, lease';

/** The table of jobs. Every method is one statement or runs in a transaction, the caller's if there is one. */
export class JobStore {
  readonly #db: Db;
  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Adds a job in the caller's transaction. If the same work is waiting already, it keeps the earlier time and the lower priority, and
   * its failures are forgotten; if it is running, it runs once more afterwards.
   */
  enqueue(kind: string, subject: string, { dueAt = 0, priority = 0 }: JobPlacement = {}): void {
    this.#db.run(
      `INSERT INTO jobs (kind, subject, due_at, priority) VALUES (@kind, @subject, @dueAt, @priority)
       ON CONFLICT (kind, subject) DO UPDATE SET
         state = iif(state = 'running', 'running', 'waiting'),
         revision = revision + 1,
         attempts = iif(state = 'running', attempts, 0),
         error_code = NULL,
         due_at = iif(state = 'running', excluded.due_at, min(due_at, excluded.due_at)),
         priority = min(priority, excluded.priority)`,
      { kind, subject, dueAt, priority },
    );
  }

  has(kind: string, subject: string): boolean {
    return this.#db.get('SELECT 1 FROM jobs WHERE kind = ? AND subject = ?', kind, subject) !== undefined;
  }

  /** Removes the jobs of a kind, all of them or those of one subject, whatever their state. */
  cancel(kind: string, subject?: string): void {
    if (subject === undefined) this.#db.run('DELETE FROM jobs WHERE kind = ?', kind);
    else this.#db.run('DELETE FROM jobs WHERE kind = ? AND subject = ?', kind, subject);
  }

  /** Gives a run the next job of a kind that is due at `now`, or undefined. */
  take(kind: string, lease: { id: string; now: number; until: number }): HeldJob | undefined {
    return this.#db.get<HeldJob>(
      `UPDATE jobs SET state = 'running', attempts = attempts + 1, lease = ?, leased_until = ?
       WHERE id = (SELECT id FROM jobs WHERE kind = ? AND state = 'waiting' AND due_at <= ?
                   ORDER BY priority, id LIMIT 1)
       RETURNING ${HELD}`,
      lease.id,
      lease.until,
      kind,
      lease.now,
    );
  }

  /**
   * Removes a finished job; one that was asked for again while it ran waits for its next run.
   * @returns false if the run no longer holds the job; nothing is changed then
   */
  finish({ id, lease, revision }: HeldJob): boolean {
    return (
      this.#db.run('DELETE FROM jobs WHERE id = ? AND lease = ? AND revision = ?', id, lease, revision)
        .changes > 0 ||
      this.#db.run(
        `UPDATE jobs SET state = 'waiting', attempts = 0, lease = NULL, leased_until = NULL, error_code = NULL
         WHERE id = ? AND lease = ?`,
        id,
        lease,
      ).changes > 0
    );
  }

  /** Puts a job back that was interrupted and did not fail: the attempt does not count. */
  interrupt({ id, lease }: HeldJob): void {
    this.#db.run(
      `UPDATE jobs SET state = 'waiting', attempts = max(attempts - 1, 0), lease = NULL, leased_until = NULL
       WHERE id = ? AND lease = ?`,
      id,
      lease,
    );
  }

  /** Puts a job back whose run has disappeared: the attempt counts. */
  release({ id, lease }: HeldJob, dueAt: number): void {
    this.#db.run(
      `UPDATE jobs SET state = 'waiting', due_at = max(due_at, ?), lease = NULL, leased_until = NULL
       WHERE id = ? AND lease = ?`,
      dueAt,
      id,
      lease,
    );
  }

  /** Records a failed attempt. A job that was asked for again meanwhile is due at once. */
  fail({ id, lease, revision }: HeldJob, { code, retryAt }: FailedAttempt): void {
    this.#db.run(
      `UPDATE jobs SET lease = NULL, leased_until = NULL, error_code = @code,
         state = iif(revision = @revision AND @retryAt IS NULL, 'failed', 'waiting'),
         due_at = iif(revision = @revision, coalesce(@retryAt, due_at), due_at)
       WHERE id = @id AND lease = @lease`,
      { id, lease, revision, code, retryAt },
    );
  }

  /** Jobs of a kind that are marked as running, with when their lease ends, in milliseconds since 1970. */
  running(kind: string): (HeldJob & { leasedUntil: number })[] {
    return this.#db.all(
      `SELECT ${HELD}, leased_until AS leasedUntil FROM jobs WHERE kind = ? AND state = 'running'`,
      kind,
    );
  }

  /** When the next waiting job of a kind is due; null if there is none. */
  nextDue(kind: string): number | null {
    return (
      this.#db.get<{ at: number | null }>(
        "SELECT min(due_at) AS at FROM jobs WHERE kind = ? AND state = 'waiting'",
        kind,
      )?.at ?? null
    );
  }

  /** The job of a kind that is about the whole database. */
  schedule(kind: string): { state: JobSummary['state']; attempts: number; dueAt: number } | undefined {
    return this.#db.get(
      "SELECT state, attempts, due_at AS dueAt FROM jobs WHERE kind = ? AND subject = ''",
      kind,
    );
  }

  /** Sets when that job runs next. */
  setSchedule(kind: string, dueAt: number): void {
    this.#db.run(
      `INSERT INTO jobs (kind, subject, due_at) VALUES (?, '', ?)
       ON CONFLICT (kind, subject) DO UPDATE SET due_at = excluded.due_at`,
      kind,
      dueAt,
    );
  }

  /** What there is to do, by kind and state. */
  summaries(): JobSummary[] {
    return this.#db.all<JobSummary>(
      `SELECT kind, state, count(*) AS count,
         iif(state = 'waiting', min(due_at), NULL) AS nextAt,
         (SELECT e.error_code FROM jobs e WHERE e.kind = j.kind AND e.state = j.state AND e.error_code IS NOT NULL
          ORDER BY e.due_at DESC LIMIT 1) AS problem
       FROM jobs j GROUP BY kind, state ORDER BY kind, state`,
    );
  }

  /** Every kind that has a job. */
  kinds(): string[] {
    return this.#db
      .all<{ kind: string }>('SELECT DISTINCT kind FROM jobs ORDER BY kind')
      .map((row) => row.kind);
  }
}
