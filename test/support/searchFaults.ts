import { setEnvironmentData } from 'node:worker_threads';
import { KINDS, type Kind } from '../../src/core/items/index.ts';

export const FAULTS = 'search faults';
export const BROKEN = -1;
/** Once: the thread that takes the place of the one that ended works. */
export const ENDS = -2;
export const STARTS = KINDS.length;

/** A search thread that does what `SearchFaults` says. */
export const FAULTY_SEARCH_WORKER = new URL('./faultySearchWorker.ts', import.meta.url);

/** What goes wrong in search threads that are started after it was made, kind by kind of the items that they read. */
export class SearchFaults {
  readonly #cells = new Int32Array(new SharedArrayBuffer(4 * (KINDS.length + 1)));

  constructor() {
    setEnvironmentData(FAULTS, this.#cells);
  }

  /** How many threads were started. */
  get starts(): number {
    return Atomics.load(this.#cells, STARTS);
  }

  /** Reading items of this kind throws. */
  breaks(kind: Kind): void {
    this.#set(kind, BROKEN);
  }

  /** Reading items of this kind takes so long. */
  delays(kind: Kind, ms: number): void {
    this.#set(kind, ms);
  }

  /** The thread ends in the middle of the next question, when it reads items of this kind. */
  ends(kind: Kind): void {
    this.#set(kind, ENDS);
  }

  /** Nothing goes wrong any more. */
  none(): void {
    for (const kind of KINDS) this.#set(kind, 0);
  }

  #set(kind: Kind, fault: number): void {
    Atomics.store(this.#cells, KINDS.indexOf(kind), fault);
  }
}
