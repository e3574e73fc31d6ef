import { BLOCK, VectorScan } from '../../embedding/vectorScan.ts';
import type { WordVectors } from '../../embedding/wordVectors.ts';
import type { Terms } from '../lexical/terms.ts';
import type { WeightedTerm } from '../lexical/textScore.ts';

/** The terms of a question or of a part of it. */
type Asked = readonly Pick<WeightedTerm, 'term' | 'weight' | 'idf'>[];

/** MaxSim of a passage, given as the numbers of its terms, for each part of a question, in the order of the parts: 0 to 1. */
export type PassageSimilarity = (terms: Uint32Array) => number[];

/** Of one part of a question: its terms among those of all parts, and what each is worth. */
interface Part {
  places: readonly number[];
  worths: readonly number[];
  total: number;
}

/** Terms of passages whose vectors are kept: 13 MB at 64 dimensions. */
const MOST_KNOWN = 50_000;
/** Cosines that are kept, in numbers: those of 8,192 terms of passages with a question of 64 terms, 2 MB. */
const MOST_COSINES = 524_288;

/**
 * Tells how much of a question a passage says in its own words: the cosine of each question term and the passage's nearest term,
 * averaged with the weights of BM25, 0 to 1 (MaxSim: Khattab and Zaharia, 2020, here over word vectors instead of contextual
 * ones).
 */
export class MaxSim {
  readonly #vectors: WordVectors;
  readonly #words: Terms;
  /** Made for the first question. */
  #cosines: TermCosines | null = null;

  /** @param words the numbers of the terms of passages */
  constructor(vectors: WordVectors, words: Terms) {
    this.#vectors = vectors;
    this.#words = words;
  }

  /** @param parts of one question, with 1,024 different terms at most (a question has 64, `readQuestion`) */
  of(parts: readonly Asked[]): PassageSimilarity {
    const terms = [...new Set(parts.flatMap((part) => part.map(({ term }) => term)))];
    const weighed = parts.map((part) => weigh(part, terms));
    if (!this.#cosines || this.#cosines.isFull) this.#cosines = new TermCosines(this.#vectors, this.#words);
    const cosines = this.#cosines;
    const best = new Float32Array(terms.length);
    return (passage) => {
      best.fill(0);
      cosines.ask(terms);
      cosines.raise(best, passage);
      return weighed.map((part) => average(part, best));
    };
  }
}

/**
 * Cosines of one question's terms with the terms of passages. Each is computed once, because many passages have the same terms.
 * Vectors and cosines are in the memory of the scan, so that nothing is copied.
 */
class TermCosines {
  readonly #vectors: WordVectors;
  readonly #scan: VectorScan;
  /** Where the vectors of the question's terms begin, and the cosines. */
  readonly #asked: number;
  readonly #first: number;
  /** Vectors of terms of passages. */
  readonly #blocks: number[] = [];
  readonly #words: Terms;
  /** Of each term, the place of its vector, from 1 on; 0 if there is none. */
  #slots = new Uint32Array(BLOCK);
  #used = 0;
  #terms: readonly string[] = [];
  /** Where the cosines of each slot begin; 0 if they are not computed. */
  #places = new Uint32Array(BLOCK);
  #next: number;

  constructor(vectors: WordVectors, words: Terms) {
    this.#vectors = vectors;
    this.#words = words;
    this.#scan = new VectorScan(vectors.dimensions);
    this.#asked = this.#scan.addBlock();
    this.#first = this.#scan.take(MOST_COSINES);
    this.#next = this.#first;
  }

  /** To be left to the questions that have it. */
  get isFull(): boolean {
    return this.#used >= MOST_KNOWN;
  }

  /** The terms of the question that `raise` is about. Sources of several questions may take turns. */
  ask(terms: readonly string[]): void {
    if (terms === this.#terms) return;
    this.#terms = terms;
    for (const [place, term] of terms.entries()) {
      this.#vectors.writeUnit(term, this.#scan.at(this.#asked, place));
    }
    this.#begin();
  }

  /** Raises each cosine of `best`, one for each term of the question, to that of the nearest of some terms. */
  raise(best: Float32Array, passage: Uint32Array): void {
    const count = best.length;
    for (let place = 0; place < passage.length; place += 1) {
      const term = passage[place] as number;
      const slot = (this.#slots[term] || this.#add(term)) - 1;
      const from = this.#places[slot] || this.#compute(slot);
      // A new vector may have moved the memory.
      const { numbers } = this.#scan;
      for (let index = 0; index < count; index += 1) {
        const cosine = numbers[from + index] as number;
        if (cosine > (best[index] as number)) best[index] = cosine;
      }
    }
  }

  #begin(): void {
    this.#places.fill(0);
    this.#next = this.#first;
  }

  /** @returns the place of the vector of a term, from 1 on */
  #add(term: number): number {
    const slot = this.#used;
    this.#used += 1;
    if (term >= this.#slots.length) {
      const slots = new Uint32Array(Math.max(this.#words.size, 2 * this.#slots.length));
      slots.set(this.#slots);
      this.#slots = slots;
    }
    if (slot === this.#blocks.length * BLOCK) {
      this.#blocks.push(this.#scan.addBlock());
      const places = new Uint32Array(this.#blocks.length * BLOCK);
      places.set(this.#places);
      this.#places = places;
    }
    this.#slots[term] = slot + 1;
    this.#vectors.writeUnit(
      this.#words.at(term),
      this.#scan.at(this.#blocks[Math.floor(slot / BLOCK)] as number, slot % BLOCK),
    );
    return slot + 1;
  }

  #compute(slot: number): number {
    const count = this.#terms.length;
    if (this.#next + count > this.#first + MOST_COSINES) this.#begin();
    const products = this.#next;
    const start = this.#blocks[Math.floor(slot / BLOCK)] as number;
    const vector = start + (slot % BLOCK) * this.#scan.length;
    this.#scan.multiply({ vector, rows: this.#asked, count, products });
    this.#places[slot] = products;
    this.#next += count;
    return products;
  }
}

function weigh(part: Asked, terms: readonly string[]): Part {
  const placeOf = new Map(terms.map((term, place) => [term, place]));
  const worths = part.map(({ weight, idf }) => weight * idf);
  return {
    places: part.map(({ term }) => placeOf.get(term) as number),
    worths,
    total: worths.reduce((sum, worth) => sum + worth, 0),
  };
}

function average({ places, worths, total }: Part, best: Float32Array): number {
  if (total === 0) return 0;
  let sum = 0;
  for (const [index, place] of places.entries()) sum += (worths[index] as number) * (best[place] as number);
  return sum / total;
}
