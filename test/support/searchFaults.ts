import { setEnvironmentData } from 'node:worker_threads';
import { KINDS, type Kind } from '../../src/core/items/index.ts';

export const FAULTS = 'search faults';
export const BROKEN = -1;
/** Marks a fault that happens once: the thread that replaces the ended one works. */
export const ENDS = -2;
export const STARTS = KINDS.length;

/** A search thread with the faults that `SearchFaults` sets. */
export const FAULTY_SEARCH_WORKER = new URL('./faultySearchWorker.ts', import.meta.url);

/** Faults of search threads started after this object was made, by the kind of item that they read. */
export class SearchFaults {
  readonly #cells = new Int32Array(new SharedArrayBuffer(4 * (KINDS.length + 1)));

  constructor() {
    setEnvironmentData(FAULTS, this.#cells);
  }

  /** How many threads were started. */
  get starts(): number {
    return Atomics.load(this.#cells, STARTS);
  }

  /** Makes reading items of this kind throw. */
  breaks(kind: Kind): void {
    this.#set(kind, BROKEN);
  }

  /** Makes reading items of this kind take this long. */
  delays(kind: Kind, ms: number): void {
    this.#set(kind, ms);
  }

  /** Ends the thread during the next question, when it reads items of this kind. */
  ends(kind: Kind): void {
    this.#set(kind, ENDS);
  }

  /** Removes every fault. */
  none(): void {
    for (const kind of KINDS) this.#set(kind, 0);
  }

  #set(kind: Kind, fault: number): void {
    Atomics.store(this.#cells, KINDS.indexOf(kind), fault);
  }
}
