/** Source of the time, so that tests and `--now` can fix it. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A clock that stands still at `atMs`. */
export function fixedClock(atMs: number): Clock {
  return { now: () => atMs };
}

/** Milliseconds of a monotonic clock that all threads of this process share; only differences have a meaning. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
