import { grown } from './postingLists.ts';

/** Room that deleted rows leave is used again once it is more than this, and than this share of all. */
const MOST_UNUSED = 65_536;
const MOST_UNUSED_SHARE = 0.25;

/** The different terms of each row of an index, by its slot: what the lists of the terms tell, the other way round. */
export class RowTerms {
  #terms = new Uint32Array(1_024);
  #used = 0;
  /** Of what is used: what no slot has any more. */
  #unused = 0;
  #starts = new Uint32Array(64);
  #lengths = new Uint32Array(64);

  /** Adds the terms of a slot that has none. */
  put(slot: number, terms: Iterable<number>): void {
    this.#starts = grown(this.#starts, slot);
    this.#lengths = grown(this.#lengths, slot);
    const start = this.#used;
    for (const term of terms) {
      this.#terms = grown(this.#terms, this.#used);
      this.#terms[this.#used] = term;
      this.#used += 1;
    }
    this.#starts[slot] = start;
    this.#lengths[slot] = this.#used - start;
  }

  /** A view, void after the next change. */
  of(slot: number): Uint32Array {
    const start = this.#starts[slot] as number;
    return this.#terms.subarray(start, start + (this.#lengths[slot] as number));
  }

  delete(slot: number): void {
    this.#unused += this.#lengths[slot] as number;
    this.#lengths[slot] = 0;
    if (this.#unused > Math.max(MOST_UNUSED, this.#used * MOST_UNUSED_SHARE)) this.#close();
  }

  /** Moves the terms that are left together. */
  #close(): void {
    const terms = new Uint32Array(Math.max(1_024, this.#used - this.#unused));
    let used = 0;
    for (let slot = 0; slot < this.#starts.length; slot += 1) {
      const kept = this.of(slot);
      terms.set(kept, used);
      this.#starts[slot] = used;
      used += kept.length;
    }
    this.#terms = terms;
    this.#used = used;
    this.#unused = 0;
  }
}
