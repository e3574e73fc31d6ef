import type { Kind } from '../items/index.ts';

/** The vector of an item. */
export interface ItemVector {
  kind: Kind;
  id: string;
  /** Of unit length, or all zeros if the text has no words. */
  vector: Float32Array;
}

/** The vector of an item, as it is stored. */
export interface VectorRow extends ItemVector {
  /** SHA-256 of the text that was embedded. */
  hash: string;
}

export interface Nearest {
  id: string;
  /** -1 to 1. */
  cosine: number;
}

export interface NearestOptions {
  /** How many items at most. */
  limit: number;
  /** Only items that pass. */
  accept?: ((id: string) => boolean) | undefined;
}

const FIRST_CAPACITY = 256;

/** Vectors of one kind of item, row after row in one array that doubles when it is full. */
class VectorMatrix {
  readonly #dimensions: number;
  readonly #ids: string[] = [];
  readonly #slots = new Map<string, number>();
  #values: Float32Array;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#values = new Float32Array(FIRST_CAPACITY * dimensions);
  }

  get size(): number {
    return this.#ids.length;
  }

  ids(): readonly string[] {
    return this.#ids;
  }

  put({ id, vector }: ItemVector): void {
    const slot = this.#slots.get(id) ?? this.#append(id);
    this.#values.set(vector, slot * this.#dimensions);
  }

  #append(id: string): number {
    const slot = this.#ids.push(id) - 1;
    this.#slots.set(id, slot);
    if (this.#ids.length * this.#dimensions > this.#values.length) {
      const larger = new Float32Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    return slot;
  }

  /** The last row moves into the place of the removed one. */
  remove(id: string): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    const lastId = this.#ids.pop() as string;
    const last = this.#ids.length;
    this.#slots.delete(id);
    if (slot === last) return;
    this.#values.copyWithin(slot * this.#dimensions, last * this.#dimensions, (last + 1) * this.#dimensions);
    this.#ids[slot] = lastId;
    this.#slots.set(lastId, slot);
  }

  get(id: string): Float32Array | undefined {
    const slot = this.#slots.get(id);
    if (slot === undefined) return undefined;
    return this.#values.subarray(slot * this.#dimensions, (slot + 1) * this.#dimensions);
  }

  nearest(query: Float32Array, { limit, accept }: NearestOptions): Nearest[] {
    if (limit <= 0) return [];
    const values = this.#values;
    const dimensions = this.#dimensions;
    const best: Nearest[] = [];
    let worst = 0;
    for (let slot = 0, at = 0; slot < this.#ids.length; slot += 1, at += dimensions) {
      // Four independent sums, so that an addition does not wait for the one before it.
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      let i = 0;
      for (; i + 3 < dimensions; i += 4) {
        a += (query[i] as number) * (values[at + i] as number);
        b += (query[i + 1] as number) * (values[at + i + 1] as number);
        c += (query[i + 2] as number) * (values[at + i + 2] as number);
        d += (query[i + 3] as number) * (values[at + i + 3] as number);
      }
      for (; i < dimensions; i += 1) a += (query[i] as number) * (values[at + i] as number);
      const cosine = a + b + c + d;
      if (!(cosine > worst)) continue;
      const id = this.#ids[slot] as string;
      if (accept && !accept(id)) continue;
      let place = best.length;
      while (place > 0 && (best[place - 1] as Nearest).cosine < cosine) place -= 1;
      best.splice(place, 0, { id, cosine });
      if (best.length > limit) best.pop();
      if (best.length === limit) worst = (best.at(-1) as Nearest).cosine;
    }
    return best;
  }
}

/**
 * The vectors of one index in memory, searched by an exact scan: at these sizes it takes a fraction of the time of a query
 * of the table, and it is exact under every filter (docs/decisions/0006-vectors.md). Needs neither SQLite nor LanceDB, so it
 * can live in a worker thread.
 */
export class VectorMatrices {
  readonly dimensions: number;
  readonly #byKind = new Map<Kind, VectorMatrix>();

  constructor(dimensions: number) {
    this.dimensions = dimensions;
  }

  /** How many vectors there are of all kinds. */
  get size(): number {
    return [...this.#byKind.values()].reduce((sum, matrix) => sum + matrix.size, 0);
  }

  ids(kind: Kind): readonly string[] {
    return this.#byKind.get(kind)?.ids() ?? [];
  }

  put(rows: Iterable<ItemVector>): void {
    for (const row of rows) this.#matrix(row.kind).put(row);
  }

  remove(kind: Kind, ids: readonly string[]): void {
    for (const id of ids) this.#byKind.get(kind)?.remove(id);
  }

  /** The vector of an item. It is a view that the next `put` or `remove` may overwrite: copy it to keep it. */
  vector(kind: Kind, id: string): Float32Array | undefined {
    return this.#byKind.get(kind)?.get(id);
  }

  /**
   * The nearest items by cosine, best first. Items at a right angle or beyond (cosine ≤ 0) are never near. `query` has unit
   * length.
   */
  nearest(kind: Kind, query: Float32Array, options: NearestOptions): Nearest[] {
    return this.#byKind.get(kind)?.nearest(query, options) ?? [];
  }

  #matrix(kind: Kind): VectorMatrix {
    let matrix = this.#byKind.get(kind);
    if (!matrix) {
      matrix = new VectorMatrix(this.dimensions);
      this.#byKind.set(kind, matrix);
    }
    return matrix;
  }
}
