import type { JobKind } from './jobKind.ts';

/**
 * After this many failed attempts a job is left as failed, until it is asked for again: Sidekiq's default, which spreads them over
 * some three weeks (https://github.com/sidekiq/sidekiq/wiki/Error-Handling).
 */
const MOST_ATTEMPTS = 25;
/** A scheduled job that fails is tried again at least this often. */
const SCHEDULE_RETRY_MS = 3_600_000;
/** A process may be ended from outside a few times in the middle of the same job; more often, the job itself may be to blame. */
const CRASHES_FORGIVEN = 3;

/**
 * Milliseconds from a failed attempt to the next one: 15 s + (attempts − 1)⁴ s, which is 15 s, 16 s, 31 s, 96 s, … Sidekiq's formula
 * without its random part, which keeps many clients from calling one server together; here is one.
 * @param attempts attempts that failed so far, at least 1
 */
function retryDelayMs(attempts: number): number {
  return (15 + (attempts - 1) ** 4) * 1_000;
}

/** Milliseconds until a job is tried again that has failed `attempts` times; null if it is given up. */
export function delayAfterFailure(kind: JobKind, attempts: number): number | null {
  if (kind.schedule) return Math.min(retryDelayMs(attempts), SCHEDULE_RETRY_MS);
  return attempts >= (kind.maxAttempts ?? MOST_ATTEMPTS) ? null : retryDelayMs(attempts);
}

/** Milliseconds until a job is tried again during whose last attempt the process ended. */
export function delayAfterCrash(attempts: number): number {
  return attempts > CRASHES_FORGIVEN ? retryDelayMs(attempts) : 0;
}
