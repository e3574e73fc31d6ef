import { setEnvironmentData } from 'node:worker_threads';
import { KINDS } from '../../src/core/items/index.ts';

export const FAULTS = 'search faults';
export const BROKEN = -1;
/** Marks a fault that happens once: the thread that replaces the ended one works. */
export const ENDS = -2;
/** What can fail: reading items of a kind, and what they are searched by. */
export const FAULTY = [...KINDS, 'text', 'terms', 'vectors', 'names'] as const;
export type Faulty = (typeof FAULTY)[number];
export const STARTS = FAULTY.length;

/** A search thread with the faults that `SearchFaults` sets. */
export const FAULTY_SEARCH_WORKER = new URL('./faultySearchWorker.ts', import.meta.url);

/** Faults of search threads started after this object was made. */
export class SearchFaults {
  readonly #cells = new Int32Array(new SharedArrayBuffer(4 * (FAULTY.length + 1)));

  constructor() {
    setEnvironmentData(FAULTS, this.#cells);
  }

  /** How many threads were started. */
  get starts(): number {
    return Atomics.load(this.#cells, STARTS);
  }

  /** Makes it throw. */
  breaks(one: Faulty): void {
    this.#set(one, BROKEN);
  }

  /** Makes it take this long. */
  delays(one: Faulty, ms: number): void {
    this.#set(one, ms);
  }

  /** Ends the thread during the next question that needs it. */
  ends(one: Faulty): void {
    this.#set(one, ENDS);
  }

  /** Removes every fault. */
  none(): void {
    for (const one of FAULTY) this.#set(one, 0);
  }

  #set(one: Faulty, fault: number): void {
    Atomics.store(this.#cells, FAULTY.indexOf(one), fault);
  }
}
