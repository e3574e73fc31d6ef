import type { Kind } from '../items/index.ts';
import { BLOCK, VectorScan } from './vectorScan.ts';

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

/** Vectors of one kind of item, in blocks of a shared memory. */
class VectorMatrix {
  readonly #scan: VectorScan;
  readonly #blocks: number[] = [];
  readonly #ids: string[] = [];
  readonly #slots = new Map<string, number>();

  constructor(scan: VectorScan) {
    this.#scan = scan;
  }

  get size(): number {
    return this.#ids.length;
  }

  ids(): readonly string[] {
    return this.#ids;
  }

  put({ id, vector }: ItemVector): void {
    this.#at(this.#slots.get(id) ?? this.#append(id)).set(vector);
  }

  #append(id: string): number {
    const slot = this.#ids.length;
    if (slot === this.#blocks.length * BLOCK) this.#blocks.push(this.#scan.addBlock());
    this.#ids.push(id);
    this.#slots.set(id, slot);
    return slot;
  }

  #at(slot: number): Float32Array {
    return this.#scan.at(this.#blocks[Math.floor(slot / BLOCK)] as number, slot % BLOCK);
  }

  /** The last row moves into the place of the removed one. */
  remove(id: string): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    const lastId = this.#ids.pop() as string;
    const last = this.#ids.length;
    this.#slots.delete(id);
    if (slot === last) return;
    this.#at(slot).set(this.#at(last));
    this.#ids[slot] = lastId;
    this.#slots.set(lastId, slot);
  }

  get(id: string): Float32Array | undefined {
    const slot = this.#slots.get(id);
    return slot === undefined ? undefined : this.#at(slot);
  }

  nearest(query: Float32Array, { limit, accept }: NearestOptions): Nearest[] {
    if (limit <= 0) return [];
    this.#scan.setQuery(query);
    const best: Nearest[] = [];
    let worst = 0;
    for (const [block, start] of this.#blocks.entries()) {
      const first = block * BLOCK;
      const products = this.#scan.products(start, Math.min(BLOCK, Math.max(0, this.#ids.length - first)));
      for (let place = 0; place < products.length; place += 1) {
        const cosine = products[place] as number;
        if (!(cosine > worst)) continue;
        const id = this.#ids[first + place] as string;
        if (accept && !accept(id)) continue;
        let rank = best.length;
        while (rank > 0 && (best[rank - 1] as Nearest).cosine < cosine) rank -= 1;
        best.splice(rank, 0, { id, cosine });
        if (best.length > limit) best.pop();
        if (best.length === limit) worst = (best.at(-1) as Nearest).cosine;
      }
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
  /** Made for the first vector. */
  #scan: VectorScan | undefined;

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
      this.#scan ??= new VectorScan(this.dimensions);
      matrix = new VectorMatrix(this.#scan);
      this.#byKind.set(kind, matrix);
    }
    return matrix;
  }
}
