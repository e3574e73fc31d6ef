/** Calls back once no signal has come for `quietMs`, and at the latest `longestMs` after the first one. */
export class QuietTimer {
  readonly #wait: { quietMs: number; longestMs: number };
  readonly #callBack: () => void;
  #timer: NodeJS.Timeout | null = null;
  #firstAt = 0;

  constructor(wait: { quietMs: number; longestMs: number }, callBack: () => void) {
    this.#wait = wait;
    this.#callBack = callBack;
  }

  signal(): void {
    const now = performance.now();
    if (this.#timer === null) this.#firstAt = now;
    else clearTimeout(this.#timer);
    const { quietMs, longestMs } = this.#wait;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#callBack();
      },
      Math.max(0, Math.min(quietMs, this.#firstAt + longestMs - now)),
    );
  }

  cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
