/** Waits before attempts that follow failures: each is twice the one before, up to the longest. Milliseconds. */
export interface RetryWaits {
  firstMs: number;
  longestMs: number;
}

/** The wait after one more failure than `failures`, in milliseconds. */
export function retryWait({ firstMs, longestMs }: RetryWaits, failures: number): number {
  return Math.min(firstMs * 2 ** failures, longestMs);
}

/** Has something that failed tried again, soon at first and then ever more seldom. Does not keep the process alive. */
export class RetryTimer {
  readonly #waits: RetryWaits;
  readonly #attempt: () => void;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(waits: RetryWaits, attempt: () => void) {
    this.#waits = waits;
    this.#attempt = attempt;
  }

  /** Plans the next attempt, unless one is planned already. */
  failed(): void {
    if (this.#timer || this.#closed) return;
    const waitMs = retryWait(this.#waits, this.#failures);
    this.#failures += 1;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#attempt();
    }, waitMs).unref();
  }

  /** The next failure waits the shortest time again. An attempt that is planned is made all the same. */
  succeeded(): void {
    this.#failures = 0;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }
}
