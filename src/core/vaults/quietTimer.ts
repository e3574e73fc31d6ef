/** Calls back once everything has been quiet for as long as each signal asked for, and at the latest `longestMs` after the first one. */
export class QuietTimer {
  readonly #longestMs: number;
  readonly #callBack: () => void;
  #timer: NodeJS.Timeout | null = null;
  #firstAt = 0;
  #quietUntil = 0;

  constructor(longestMs: number, callBack: () => void) {
    this.#longestMs = longestMs;
    this.#callBack = callBack;
  }

  /** @param quietMs how long it is to be quiet after this signal */
  signal(quietMs: number): void {
    const now = performance.now();
    if (this.#timer === null) {
      this.#firstAt = now;
      this.#quietUntil = 0;
    } else clearTimeout(this.#timer);
    this.#quietUntil = Math.max(this.#quietUntil, now + quietMs);
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#callBack();
      },
      Math.max(0, Math.min(this.#quietUntil, this.#firstAt + this.#longestMs) - now),
    );
  }

  cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
