/** Counts of a term in one row: in its body (upper half), and in its other fields with their weights, in halves (lower half). */
export type Counts = number;

/** Rows that hold a term, with its counts there, from `start` to before `end`; some may have been deleted. */
export interface Part {
  slots: Uint32Array;
  counts: Uint32Array;
  start: number;
  end: number;
}

/** The log is merged once it is longer than this, and than this share of what is merged. */
const LONGEST_LOG = 65_536;
const LONGEST_LOG_SHARE = 1 / 16;
/** Deleted rows are taken out once they are more than this, and than this share of all. */
const MOST_DELETED = 1_024;
const MOST_DELETED_SHARE = 0.2;
/** Postings that are merged at once: some milliseconds, for which a question waits. */
const MERGED_AT_ONCE = 262_144;
/** Stands for no entry of the log. */
const NONE = 0xffff_ffff;

interface Lists {
  slots: Uint32Array;
  counts: Uint32Array;
}

/** What is written to take the place of the merged lists. */
interface Merging extends Lists {
  starts: Uint32Array<ArrayBuffer>;
  /** Terms below it are written. */
  term: number;
  written: number;
  /** The log when the merge began. */
  logged: number;
  /** Slots of rows that had been deleted by then. */
  deleted: number[];
}

/**
 * Of each term, the rows that hold it. A row is known by its slot. New rows are appended to a log, in which each entry leads to the one
 * before of the same term, and which is merged with the rest now and then (as in an LSM tree: O'Neil et al., 1996), a portion at a time. A
 * deleted row stays in the lists until then; after that, its slot is given to another.
 */
export class PostingLists {
  // What is merged: of each term, where its part of the lists begins.
  #starts = new Uint32Array(1);
  #merged: Lists = { slots: new Uint32Array(0), counts: new Uint32Array(0) };
  #merging: Merging | null = null;

  #log = newLog(1_024);
  #logged = 0;
  /** Of each term: its last entry in the log. */
  #last = new Uint32Array(1_024).fill(NONE);
  #read = { slots: new Uint32Array(64), counts: new Uint32Array(64) };

  /** Of each slot: is its row there? */
  #isLive = new Uint8Array(64);
  #slots = 0;
  /** The lowest last. */
  #free: number[] = [];
  #deleted: number[] = [];

  /** Slots that were given out, also those of rows that have been deleted. */
  get slots(): number {
    return this.#slots;
  }

  /** Entries of the log. */
  get logged(): number {
    return this.#logged;
  }

  /** Adds a row, with the counts of its terms by their numbers. @returns its slot */
  put(counts: ReadonlyMap<number, Counts>): number {
    const slot = this.#free.pop() ?? this.#slots;
    if (slot === this.#slots) this.#slots += 1;
    this.#isLive = grown(this.#isLive, slot);
    this.#isLive[slot] = 1;
    for (const [term, count] of counts) this.#append(term, slot, count);
    return slot;
  }

  delete(slot: number): void {
    this.#isLive[slot] = 0;
    this.#deleted.push(slot);
  }

  isLive(slot: number): boolean {
    return this.#isLive[slot] === 1;
  }

  /** The rows of a term: first those that are merged, then those of the log. They are void after the next call of anything here. */
  parts(term: number): Part[] {
    const start = this.#startOf(term);
    const end = this.#startOf(term + 1);
    const parts = end > start ? [{ ...this.#merged, start, end }] : [];
    const late = this.#readLog(term, this.#logged);
    if (late.start < late.end) parts.push(late);
    return parts;
  }

  /** The rows of a term in the log before `until`, in its order. */
  #readLog(term: number, until: number): Part {
    const log = this.#log;
    let start = this.#read.slots.length;
    // From its last entry to its first, and so from the end of the arrays.
    for (let at = this.#last[term] ?? NONE; at !== NONE; at = log.previous[at] as number) {
      if (at >= until) continue;
      if (start === 0) {
        start = this.#read.slots.length;
        this.#read = { slots: shifted(this.#read.slots), counts: shifted(this.#read.counts) };
      }
      start -= 1;
      this.#read.slots[start] = log.slots[at] as number;
      this.#read.counts[start] = log.counts[at] as number;
    }
    return { ...this.#read, start, end: this.#read.slots.length };
  }

  /** Is it time for `mergeSome`? */
  get isDue(): boolean {
    const most = Math.max(MOST_DELETED, this.#slots * MOST_DELETED_SHARE);
    return this.#merging !== null || this.#logIsLonger(LONGEST_LOG_SHARE) || this.#deleted.length > most;
  }

  /** As `isDue`, while all rows are read: the log may become as long as what is merged, so that each row is merged seldom. */
  get isDueUnread(): boolean {
    return this.#merging !== null || this.#logIsLonger(1);
  }

  /**
   * Merges a portion of the log as it was at the first portion, and leaves out rows that were deleted.
   * @param most postings of the portion, about
   * @returns whether it was the last one
   */
  mergeSome(most = MERGED_AT_ONCE): boolean {
    const merging = this.#merging ?? this.#begin();
    const until = merging.written + most;
    while (merging.term < merging.starts.length - 1) {
      if (merging.written >= until) return false;
      this.#mergeTerm(merging);
    }
    this.#adopt(merging);
    return true;
  }

  #begin(): Merging {
    const most = this.#merged.slots.length + this.#logged;
    this.#merging = {
      starts: new Uint32Array(this.#last.length + 1),
      slots: new Uint32Array(most),
      counts: new Uint32Array(most),
      term: 0,
      written: 0,
      logged: this.#logged,
      deleted: this.#deleted,
    };
    this.#deleted = [];
    return this.#merging;
  }

  /** Slots mostly ascend in either list, and in what is made of both: a question then reads the memory in order. */
  #mergeTerm(merging: Merging): void {
    const { term, slots, counts, logged } = merging;
    const isLive = this.#isLive;
    const merged = this.#merged;
    const end = this.#startOf(term + 1);
    const late = this.#readLog(term, logged);
    let at = this.#startOf(term);
    let lateAt = late.start;
    let { written } = merging;
    while (at < end || lateAt < late.end) {
      const isLate =
        at === end || (lateAt < late.end && (late.slots[lateAt] as number) < (merged.slots[at] as number));
      const from = isLate ? late : merged;
      const place = isLate ? lateAt : at;
      if (isLate) lateAt += 1;
      else at += 1;
      const slot = from.slots[place] as number;
      if (isLive[slot] === 0) continue;
      slots[written] = slot;
      counts[written] = from.counts[place] as number;
      written += 1;
    }
    merging.written = written;
    merging.term = term + 1;
    merging.starts[term + 1] = written;
  }

  /** Puts what was merged in its place. The log keeps what came since the merge began. */
  #adopt({ starts, slots, counts, written, logged, deleted }: Merging): void {
    this.#merging = null;
    this.#starts = starts;
    this.#merged = { slots: slots.subarray(0, written), counts: counts.subarray(0, written) };
    this.#free = [...this.#free, ...deleted].sort((one, other) => other - one);
    const log = this.#log;
    const until = this.#logged;
    this.#log = newLog(1_024);
    this.#logged = 0;
    this.#last.fill(NONE);
    for (let at = logged; at < until; at += 1) {
      this.#append(log.terms[at] as number, log.slots[at] as number, log.counts[at] as number);
    }
  }

  #append(term: number, slot: number, count: Counts): void {
    const at = this.#logged;
    if (at === this.#log.terms.length) this.#log = doubled(this.#log);
    this.#last = grown(this.#last, term, NONE);
    this.#log.terms[at] = term;
    this.#log.slots[at] = slot;
    this.#log.counts[at] = count;
    this.#log.previous[at] = this.#last[term] as number;
    this.#last[term] = at;
    this.#logged = at + 1;
  }

  #logIsLonger(share: number): boolean {
    return this.#logged > Math.max(LONGEST_LOG, this.#merged.slots.length * share);
  }

  /** Terms that came after the last merge have an empty part at the end. */
  #startOf(term: number): number {
    return this.#starts[Math.min(term, this.#starts.length - 1)] as number;
  }
}

function newLog(length: number): Record<'terms' | 'slots' | 'counts' | 'previous', Uint32Array<ArrayBuffer>> {
  const array = () => new Uint32Array(length);
  return { terms: array(), slots: array(), counts: array(), previous: array() };
}

/** The same arrays with room for twice as much. */
function doubled<Key extends string>(
  arrays: Readonly<Record<Key, Uint32Array<ArrayBuffer>>>,
): Record<Key, Uint32Array<ArrayBuffer>> {
  return Object.fromEntries(
    Object.entries<Uint32Array<ArrayBuffer>>(arrays).map(([key, array]) => [key, grown(array, array.length)]),
  ) as Record<Key, Uint32Array<ArrayBuffer>>;
}

/** An array twice as long that ends with this one. */
function shifted(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(array.length * 2);
  longer.set(array, array.length);
  return longer;
}

/** The array, if it has such an index; one that is at least twice as long if not. */
export function grown<T extends Float64Array | Uint32Array | Uint8Array>(
  array: T,
  index: number,
  filler = 0,
): T {
  if (index < array.length) return array;
  const length = Math.max(index + 1, array.length * 2);
  const longer = new (array.constructor as new (length: number) => T)(length);
  longer.set(array);
  if (filler !== 0) longer.fill(filler, array.length);
  return longer;
}
