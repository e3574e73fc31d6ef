/** Waits for a promise. If the signal aborts first, rejects with the signal's reason; the work itself continues. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return Promise.race([
    promise,
    new Promise<never>((_, reject) => {
      const abort = () => reject(signal.reason as Error);
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    }),
  ]);
}

/** A signal that aborts with the first of several; undefined ones are ignored. */
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

/**
 * A signal that aborts after `ms` milliseconds, unless it is cleared first. Messages that have arrived by then are still
 * delivered, so that a busy event loop does not make an answer late. Does not keep the process alive.
 */
export class Deadline {
  readonly #end = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number, reason: () => Error) {
    this.#timer = setTimeout(() => {
      // Timers run before messages from other threads are read; the check phase runs after.
      setImmediate(() => this.#end.abort(reason()));
    }, ms).unref();
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}
