import { RowTerms } from './rowTerms.ts';
import { Terms } from './terms.ts';
import { type Corpus, fieldWeight, LENGTH_COUNTS, MOST, saturated, type WeightedTerm } from './textScore.ts';

/** A row as the index takes it. `streams` holds the space-joined terms of each field, in the order of the index's fields. */
export interface IndexedRow {
  rowid: number;
  streams: readonly string[];
}

/** What some terms score in every row of an index. */
export interface Scores {
  /** BM25F as a share of the score of a row that is full of every term: 0 to 1. Null for a row that the index lacks. */
  saturation(rowid: number): number | null;
  /** Row ids of the best rows that hold a term, best first; only those of `within`, if given. */
  best(limit: number, within: ReadonlySet<number> | null): number[];
}

/** Counts of a term in one row: in its body (upper half), and in its other fields with their weights, in halves (lower half). */
type Counts = number;
const MOST_OF_A_COUNT = 0xffff;
/** The finest step of the fields' weights. */
const WEIGHT_UNIT = 0.5;

const IN_BODY = MOST_OF_A_COUNT + 1;

const oneMoreInBody = (counts: Counts): Counts =>
  counts >= MOST_OF_A_COUNT * IN_BODY ? counts : counts + IN_BODY;

const moreElsewhere = (counts: Counts, weight: number): Counts => {
  const other = counts % IN_BODY;
  return counts - other + Math.min(other + weight, MOST_OF_A_COUNT);
};

/** The log is merged once it is longer than this, and than this share of what is merged: a question reads all of it. */
const LONGEST_LOG = 65_536;
const LONGEST_LOG_SHARE = 1 / 16;
/** Deleted rows are taken out once they are this share of all. */
const MOST_DELETED = 0.2;

/**
 * An inverted index of the rows of one kind, in typed arrays. It scores every term of a question in every row by the BM25F that
 * `scoreText` computes row by row. New rows are appended to a log, which is read as a whole and merged now and then (as in an
 * LSM tree: O'Neil et al., 1996). A deleted row only loses its place until then.
 */
export class Postings {
  /** Of each field; the body's is not used. */
  readonly #weights: readonly number[];
  readonly #body: number;
  readonly #lengthCounts: number;
  readonly #terms: Terms;

  // A slot for each row, in the order of arrival. Lengths are those of the bodies, in terms.
  readonly #slots = new Map<number, number>();
  #rowids = new Float64Array(64);
  #lengths = new Uint32Array(64);
  #isLive = new Uint8Array(64);
  readonly #rowTerms = new RowTerms();
  #used = 0;
  #allTerms = 0;

  // What is merged: of each term, the slots that hold it, ascending, and its counts there.
  #starts = new Uint32Array(1);
  #merged: Lists = { slots: new Uint32Array(0), counts: new Uint32Array(0) };
  #mergedSlots = 0;

  // The log: the terms of one row stand together.
  #log = { terms: new Uint32Array(1_024), slots: new Uint32Array(1_024), counts: new Uint32Array(1_024) };
  #logged = 0;
  readonly #loggedRows = new Map<number, number>();

  /** Of terms that were asked for, while rows that are merged have been deleted. */
  readonly #frequencies = new Map<number, number>();

  /**
   * @param fields names of the fields, one of them `body`
   * @param options `fieldWeights` replaces some of the built-in weights, which are multiples of one half; see `Corpus`
   * @param terms the numbers of terms, which indexes may share
   */
  constructor(
    fields: readonly string[],
    { fieldWeights, lengthCounts = LENGTH_COUNTS }: Pick<Corpus, 'fieldWeights' | 'lengthCounts'> = {},
    terms = new Terms(),
  ) {
    this.#terms = terms;
    this.#lengthCounts = lengthCounts;
    this.#weights = fields.map((field) => fieldWeight(field, fieldWeights) / WEIGHT_UNIT);
    this.#body = fields.indexOf('body');
  }

  /** Rows of the index. */
  get rows(): number {
    return this.#slots.size;
  }

  /** Terms of a row on average, at least 1. */
  get averageTerms(): number {
    return this.rows > 0 ? Math.max(1, this.#allTerms / this.rows) : 1;
  }

  /** How many rows hold `term`. */
  documentFrequency(term: string): number {
    const id = this.#terms.find(term);
    if (id === undefined) return 0;
    return (this.#loggedRows.get(id) ?? 0) + this.#mergedFrequency(id);
  }

  /** The numbers of the different terms of a row: a view, void after the next change. Null for a row that the index lacks. */
  termsOf(rowid: number): Uint32Array | null {
    const slot = this.#slots.get(rowid);
    return slot === undefined ? null : this.#rowTerms.of(slot);
  }

  /** Adds a row, or takes what it holds now in the place of what it held. */
  put({ rowid, streams }: IndexedRow): void {
    this.remove(rowid);
    const { length, counts } = this.#count(streams);
    const slot = this.#used;
    this.#used += 1;
    if (slot === this.#rowids.length) this.#growSlots();
    this.#slots.set(rowid, slot);
    this.#rowids[slot] = rowid;
    this.#lengths[slot] = length;
    this.#isLive[slot] = 1;
    this.#allTerms += length;
    this.#rowTerms.add(counts.keys());
    for (const [term, count] of counts) this.#append(term, slot, count);
  }

  /** Takes a row out, if it is there. */
  remove(rowid: number): void {
    const slot = this.#slots.get(rowid);
    if (slot === undefined) return;
    this.#slots.delete(rowid);
    this.#isLive[slot] = 0;
    this.#allTerms -= this.#lengths[slot] as number;
    this.#frequencies.clear();
    if (slot < this.#mergedSlots) return;
    for (let at = this.#firstLogged(slot); at < this.#logged && this.#log.slots[at] === slot; at += 1) {
      const term = this.#log.terms[at] as number;
      this.#loggedRows.set(term, (this.#loggedRows.get(term) as number) - 1);
    }
  }

  /** Is it time to `merge`? */
  get isDue(): boolean {
    const deleted = this.#used - this.#slots.size;
    return this.#logIsLonger(LONGEST_LOG_SHARE) || deleted > Math.max(LONGEST_LOG, this.#used * MOST_DELETED);
  }

  /** As `isDue`, while no question reads the log: it may become as long as what is merged, so that each row is merged seldom. */
  get isDueUnread(): boolean {
    return this.#logIsLonger(1);
  }

  #logIsLonger(share: number): boolean {
    return this.#logged > Math.max(LONGEST_LOG, this.#merged.slots.length * share);
  }

  /** Merges the log, and leaves out deleted rows. */
  merge(): void {
    const renumbered = this.#closeGaps();
    const terms = this.#terms.size;
    const starts = new Uint32Array(terms + 1);
    this.#forEachLive(renumbered, (term) => {
      starts[term + 1] = (starts[term + 1] as number) + 1;
    });
    for (let term = 0; term < terms; term += 1) {
      starts[term + 1] = (starts[term + 1] as number) + (starts[term] as number);
    }
    const total = starts[terms] as number;
    const merged: Lists = { slots: new Uint32Array(total), counts: new Uint32Array(total) };
    const next = starts.slice();
    this.#forEachLive(renumbered, (term, slot, counts) => {
      const at = next[term] as number;
      merged.slots[at] = slot;
      merged.counts[at] = counts;
      next[term] = at + 1;
    });
    this.#starts = starts;
    this.#merged = merged;
    this.#mergedSlots = this.#used;
    this.#logged = 0;
    this.#log = {
      terms: new Uint32Array(1_024),
      slots: new Uint32Array(1_024),
      counts: new Uint32Array(1_024),
    };
    this.#loggedRows.clear();
    this.#frequencies.clear();
  }

  /** Scores every row for some terms. What it returns is valid until the index changes. */
  score(terms: readonly WeightedTerm[]): Scores {
    const scores = new Float32Array(this.#used);
    const wanted = new Map<number, { index: number; share: number }[]>();
    let most = 0;
    for (const [index, { weight, idf, forms }] of terms.entries()) {
      most += weight * idf * MOST;
      for (const [form, share] of forms) {
        const id = this.#terms.find(form);
        if (id === undefined) continue;
        const places = wanted.get(id);
        if (places) places.push({ index, share });
        else wanted.set(id, [{ index, share }]);
      }
    }
    if (most > 0) {
      for (const term of terms) this.#scoreMerged(term, scores, most);
      this.#scoreLog(terms, wanted, { scores, most });
    }
    return {
      saturation: (rowid) => {
        const slot = this.#slots.get(rowid);
        return slot === undefined ? null : (scores[slot] as number);
      },
      best: (limit, within) => this.#best(scores, limit, within),
    };
  }

  #scoreMerged({ weight, idf, forms }: WeightedTerm, scores: Float32Array, most: number): void {
    const worth = (weight * idf) / most;
    const lists = forms
      .map(([form, share]) => ({ id: this.#terms.find(form), share }))
      .filter((one): one is { id: number; share: number } => (one.id ?? Infinity) < this.#starts.length - 1);
    if (lists.length === 0) return;
    const { slots, counts } = this.#merged;
    const lengths = this.#lengths;
    const { fixed, perTerm } = this.#normaliser();
    // The forms of a term add up before they are saturated.
    const sums = lists.length > 1 ? new Float32Array(this.#mergedSlots) : null;
    for (const { id, share } of lists) {
      const end = this.#starts[id + 1] as number;
      // The innermost loop of a search: what `#frequency` computes, written out.
      for (let at = this.#starts[id] as number; at < end; at += 1) {
        const slot = slots[at] as number;
        const packed = counts[at] as number;
        const frequency =
          share *
          ((packed >>> 16) / (fixed + perTerm * (lengths[slot] as number)) +
            (packed & MOST_OF_A_COUNT) * WEIGHT_UNIT);
        if (sums) sums[slot] = (sums[slot] as number) + frequency;
        else scores[slot] = (scores[slot] as number) + worth * saturated(frequency);
      }
    }
    if (!sums) return;
    for (let slot = 0; slot < sums.length; slot += 1) {
      const frequency = sums[slot] as number;
      if (frequency > 0) scores[slot] = (scores[slot] as number) + worth * saturated(frequency);
    }
  }

  #scoreLog(
    terms: readonly WeightedTerm[],
    wanted: ReadonlyMap<number, readonly { index: number; share: number }[]>,
    { scores, most }: { scores: Float32Array; most: number },
  ): void {
    if (wanted.size === 0) return;
    const frequencies = new Float64Array(terms.length);
    const normaliser = this.#normaliser();
    const { terms: ids, slots, counts } = this.#log;
    let at = 0;
    while (at < this.#logged) {
      const slot = slots[at] as number;
      let isHit = false;
      for (; at < this.#logged && slots[at] === slot; at += 1) {
        for (const { index, share } of wanted.get(ids[at] as number) ?? []) {
          isHit = true;
          const frequency = this.#frequency(slot, counts[at] as number, normaliser);
          frequencies[index] = (frequencies[index] as number) + share * frequency;
        }
      }
      if (!isHit) continue;
      let score = 0;
      for (const [index, { weight, idf }] of terms.entries()) {
        score += weight * idf * saturated(frequencies[index] as number);
      }
      scores[slot] = score / most;
      frequencies.fill(0);
    }
  }

  /** A body is as long as `fixed + perTerm · its terms`, where one of average length is 1 long. */
  #normaliser(): { fixed: number; perTerm: number } {
    const b = this.#lengthCounts;
    return { fixed: 1 - b, perTerm: b / this.averageTerms };
  }

  /** The weighted frequency of a term in a row. */
  #frequency(slot: number, counts: Counts, { fixed, perTerm }: { fixed: number; perTerm: number }): number {
    const length = fixed + perTerm * (this.#lengths[slot] as number);
    return (counts >>> 16) / length + (counts & MOST_OF_A_COUNT) * WEIGHT_UNIT;
  }

  #best(scores: Float32Array, limit: number, within: ReadonlySet<number> | null): number[] {
    if (limit <= 0) return [];
    const best: { score: number; rowid: number }[] = [];
    let worst = 0;
    for (let slot = 0; slot < scores.length; slot += 1) {
      const score = scores[slot] as number;
      if (!(score > worst) || this.#isLive[slot] === 0) continue;
      const rowid = this.#rowids[slot] as number;
      if (within && !within.has(rowid)) continue;
      let place = best.length;
      while (place > 0 && (best[place - 1] as { score: number }).score < score) place -= 1;
      best.splice(place, 0, { score, rowid });
      if (best.length > limit) best.pop();
      if (best.length === limit) worst = (best.at(-1) as { score: number }).score;
    }
    return best.map(({ rowid }) => rowid);
  }

  /** The terms of a row, with how often they occur, and how many its body has. */
  #count(streams: readonly string[]): { length: number; counts: ReadonlyMap<number, Counts> } {
    const counts = new Map<number, Counts>();
    let length = 0;
    for (const [field, stream] of streams.entries()) {
      if (stream === '') continue;
      const terms = stream.split(' ');
      const isBody = field === this.#body;
      if (isBody) length = terms.length;
      const weight = this.#weights[field] as number;
      for (const term of terms) {
        const id = this.#terms.idOf(term);
        const known = counts.get(id) ?? 0;
        counts.set(id, isBody ? oneMoreInBody(known) : moreElsewhere(known, weight));
      }
    }
    return { length, counts };
  }

  #append(term: number, slot: number, counts: Counts): void {
    const at = this.#logged;
    if (at === this.#log.terms.length) {
      this.#log = {
        terms: doubled(this.#log.terms),
        slots: doubled(this.#log.slots),
        counts: doubled(this.#log.counts),
      };
    }
    this.#log.terms[at] = term;
    this.#log.slots[at] = slot;
    this.#log.counts[at] = counts;
    this.#logged += 1;
    this.#loggedRows.set(term, (this.#loggedRows.get(term) ?? 0) + 1);
  }

  #growSlots(): void {
    this.#rowids = doubled(this.#rowids);
    this.#lengths = doubled(this.#lengths);
    this.#isLive = doubled(this.#isLive);
  }

  /** Where the log begins to tell of a slot, by bisection: slots ascend. */
  #firstLogged(slot: number): number {
    let from = 0;
    let to = this.#logged;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#log.slots[middle] as number) < slot) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  #mergedFrequency(id: number): number {
    if (id >= this.#starts.length - 1) return 0;
    const known = this.#frequencies.get(id);
    if (known !== undefined) return known;
    let rows = 0;
    const end = this.#starts[id + 1] as number;
    for (let at = this.#starts[id] as number; at < end; at += 1) {
      rows += this.#isLive[this.#merged.slots[at] as number] as number;
    }
    this.#frequencies.set(id, rows);
    return rows;
  }

  /** Moves live rows together, in their order. Returns the new slot of each old one; deleted ones have none that counts. */
  #closeGaps(): { slot: Uint32Array; isLive: Uint8Array } {
    const slot = new Uint32Array(this.#used);
    const isLive = this.#isLive.slice(0, this.#used);
    let used = 0;
    for (let old = 0; old < this.#used; old += 1) {
      if (isLive[old] === 0) continue;
      slot[old] = used;
      this.#rowids[used] = this.#rowids[old] as number;
      this.#lengths[used] = this.#lengths[old] as number;
      this.#isLive[used] = 1;
      this.#slots.set(this.#rowids[old] as number, used);
      used += 1;
    }
    this.#used = used;
    this.#rowTerms.keep(isLive);
    return { slot, isLive };
  }

  /** Every posting of a live row, those of a term in the order of their slots. */
  #forEachLive(
    { slot: renumbered, isLive }: { slot: Uint32Array; isLive: Uint8Array },
    visit: (term: number, slot: number, counts: Counts) => void,
  ): void {
    const { slots, counts } = this.#merged;
    for (let term = 0; term + 1 < this.#starts.length; term += 1) {
      const end = this.#starts[term + 1] as number;
      for (let at = this.#starts[term] as number; at < end; at += 1) {
        const slot = slots[at] as number;
        if (isLive[slot] === 1) visit(term, renumbered[slot] as number, counts[at] as number);
      }
    }
    for (let at = 0; at < this.#logged; at += 1) {
      const slot = this.#log.slots[at] as number;
      if (isLive[slot] === 1) {
        visit(this.#log.terms[at] as number, renumbered[slot] as number, this.#log.counts[at] as number);
      }
    }
  }
}

interface Lists {
  slots: Uint32Array;
  counts: Uint32Array;
}

function doubled<T extends Float64Array | Uint32Array | Uint8Array>(array: T): T {
  const larger = new (array.constructor as new (length: number) => T)(array.length * 2);
  larger.set(array);
  return larger;
}
