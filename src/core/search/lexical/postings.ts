import { type Counts, grown, PostingLists } from './postingLists.ts';
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

/**
 * An inverted index of the rows of one kind, in typed arrays. It scores every term of a question in every row by the BM25F that
 * `scoreText` computes row by row.
 */
export class Postings {
  /** Of each field; the body's is not used. */
  readonly #weights: readonly number[];
  readonly #body: number;
  readonly #lengthCounts: number;
  readonly #terms: Terms;
  readonly #lists = new PostingLists();
  readonly #rowTerms = new RowTerms();
  /** How many rows hold each term. */
  #documents = new Uint32Array(1_024);

  // Of each row, by its slot. Lengths are those of the bodies, in terms.
  readonly #slots = new Map<number, number>();
  #rowids = new Float64Array(64);
  #lengths = new Uint32Array(64);
  #allTerms = 0;

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

  /** Places for rows: also those of rows that were deleted since the last merge, and those that are free since. */
  get places(): number {
    return this.#lists.slots;
  }

  /** Terms of rows that were written and are not merged yet. */
  get logged(): number {
    return this.#lists.logged;
  }

  /** How many rows hold `term`. */
  documentFrequency(term: string): number {
    const id = this.#terms.find(term);
    return id === undefined ? 0 : (this.#documents[id] ?? 0);
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
    const slot = this.#lists.put(counts);
    this.#rowTerms.put(slot, counts.keys());
    for (const term of counts.keys()) {
      this.#documents = grown(this.#documents, term);
      this.#documents[term] = (this.#documents[term] as number) + 1;
    }
    this.#slots.set(rowid, slot);
    this.#rowids = grown(this.#rowids, slot);
    this.#lengths = grown(this.#lengths, slot);
    this.#rowids[slot] = rowid;
    this.#lengths[slot] = length;
    this.#allTerms += length;
  }

  /** Takes a row out, if it is there. */
  remove(rowid: number): void {
    const slot = this.#slots.get(rowid);
    if (slot === undefined) return;
    for (const term of this.#rowTerms.of(slot)) this.#documents[term] = (this.#documents[term] as number) - 1;
    this.#rowTerms.delete(slot);
    this.#slots.delete(rowid);
    this.#lists.delete(slot);
    this.#allTerms -= this.#lengths[slot] as number;
  }

  /** Is it time for `mergeSome`? */
  get isDue(): boolean {
    return this.#lists.isDue;
  }

  /** As `isDue`, while all rows are read. */
  get isDueUnread(): boolean {
    return this.#lists.isDueUnread;
  }

  /**
   * Makes reading faster, a portion at a time: brings together what was written, and leaves out what was deleted. Rows may change between
   * two portions.
   * @param most terms of rows that the portion has, about
   * @returns whether that was the last portion
   */
  mergeSome(most?: number): boolean {
    return this.#lists.mergeSome(most);
  }

  /** Scores every row for some terms. What it returns is valid until the index changes. */
  score(terms: readonly WeightedTerm[]): Scores {
    const scores = new Float32Array(this.#lists.slots);
    const most = terms.reduce((sum, { weight, idf }) => sum + weight * idf * MOST, 0);
    if (most > 0) for (const term of terms) this.#scoreTerm(term, scores, most);
    return {
      saturation: (rowid) => {
        const slot = this.#slots.get(rowid);
        return slot === undefined ? null : (scores[slot] as number);
      },
      best: (limit, within) => this.#best(scores, limit, within),
    };
  }

  #scoreTerm({ weight, idf, forms }: WeightedTerm, scores: Float32Array, most: number): void {
    const worth = (weight * idf) / most;
    const known = forms.flatMap(([form, share]) => {
      const id = this.#terms.find(form);
      return id === undefined ? [] : [{ id, share }];
    });
    const lengths = this.#lengths;
    // A body is as long as `fixed + perTerm · its terms`, where one of average length is 1 long.
    const fixed = 1 - this.#lengthCounts;
    const perTerm = this.#lengthCounts / this.averageTerms;
    // The forms of a term add up before they are saturated.
    const sums = known.length > 1 ? new Float32Array(scores.length) : null;
    for (const { id, share } of known) {
      for (const { slots, counts, start, end } of this.#lists.parts(id)) {
        // The innermost loop of a search.
        for (let at = start; at < end; at += 1) {
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
    }
    if (!sums) return;
    for (let slot = 0; slot < sums.length; slot += 1) {
      const frequency = sums[slot] as number;
      if (frequency > 0) scores[slot] = (scores[slot] as number) + worth * saturated(frequency);
    }
  }

  #best(scores: Float32Array, limit: number, within: ReadonlySet<number> | null): number[] {
    if (limit <= 0) return [];
    const best: { score: number; rowid: number }[] = [];
    let worst = 0;
    for (let slot = 0; slot < scores.length; slot += 1) {
      const score = scores[slot] as number;
      if (!(score > worst) || !this.#lists.isLive(slot)) continue;
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
}
