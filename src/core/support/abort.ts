/** The value of a promise. If the signal is aborted first, rejects with its reason; the work itself goes on. */
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

/** One signal that is aborted with the first of several; undefined ones are left out. */
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

/**
 * A signal that is aborted after `ms` milliseconds, unless it is cleared before. What has arrived by then is still delivered: a
 * busy event loop must not make an answer late. Does not keep the process alive.
 */
export class Deadline {
  readonly #end = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number, reason: () => Error) {
    this.#timer = setTimeout(() => {
      // Timers run before what other threads sent; the check phase comes after it.
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
