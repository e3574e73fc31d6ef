/** A battery is looked at this often while something waits for it. */
const LOOK_EVERY_MS = 60_000;

export interface GatePorts {
  /** Keeps learning from running, and aborts a run. @returns ends the pause */
  pause(): () => void;
  onBattery(): boolean;
}

/**
 * Lets a model read turns in the background only while nobody needs it: never while a turn is answered, nor on battery, nor in a command
 * that comes and goes.
 */
export class Gate {
  readonly #ports: GatePorts;
  #resume: (() => void) | null;
  #isOpen = false;
  #isAnswering = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: GatePorts) {
    this.#ports = ports;
    this.#resume = ports.pause();
  }

  /** To be called once the program is to stay open. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#timer = setInterval(() => this.#decide(), LOOK_EVERY_MS).unref();
    this.#decide();
  }

  /** Turns are answered, or none is any more. */
  setAnswering(isAnswering: boolean): void {
    this.#isAnswering = isAnswering;
    this.#decide();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#isOpen = false;
  }

  #decide(): void {
    const mayRun = this.#isOpen && !this.#isAnswering && !this.#ports.onBattery();
    if (mayRun && this.#resume) {
      this.#resume();
      this.#resume = null;
    } else if (!mayRun) this.#resume ??= this.#ports.pause();
  }
}
