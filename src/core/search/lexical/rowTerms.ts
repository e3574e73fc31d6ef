/** The different terms of each row of an index, by its slot: what the lists of the terms tell, the other way round. */
export class RowTerms {
  #terms = new Uint32Array(1_024);
  /** Where the terms of each slot end; those of the next one begin there. */
  #ends = new Uint32Array(64);
  #slots = 0;

  /** Adds the terms of the next slot. */
  add(terms: Iterable<number>): void {
    let at = this.#start(this.#slots);
    for (const term of terms) {
      if (at === this.#terms.length) this.#terms = larger(this.#terms);
      this.#terms[at] = term;
      at += 1;
    }
    if (this.#slots === this.#ends.length) this.#ends = larger(this.#ends);
    this.#ends[this.#slots] = at;
    this.#slots += 1;
  }

  /** A view, void after the next `add` or `keep`. */
  of(slot: number): Uint32Array {
    return this.#terms.subarray(this.#start(slot), this.#ends[slot]);
  }

  /** Leaves the terms of some slots, which move together, and no room for more than those. */
  keep(isKept: Uint8Array): void {
    let slots = 0;
    let used = 0;
    let end = 0;
    for (let old = 0; old < this.#slots; old += 1) {
      const start = end;
      end = this.#ends[old] as number;
      if (isKept[old] === 0) continue;
      this.#terms.copyWithin(used, start, end);
      used += end - start;
      this.#ends[slots] = used;
      slots += 1;
    }
    this.#slots = slots;
    this.#terms = this.#terms.slice(0, Math.max(1_024, used));
  }

  #start(slot: number): number {
    return slot === 0 ? 0 : (this.#ends[slot - 1] as number);
  }
}

function larger(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(Math.ceil(array.length * 1.5));
  grown.set(array);
  return grown;
}
