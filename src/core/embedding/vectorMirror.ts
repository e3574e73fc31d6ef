import type { Kind } from '../items/index.ts';
import type { SimilarityScale } from './similarity.ts';
import { type ItemVector, VectorMatrices } from './vectorMatrix.ts';

/** What all vectors of one index share; cosines of two spaces cannot be compared. */
export interface VectorSpace {
  /** Names the index: chunker version, embedder and dimensions. */
  fingerprint: string;
  dimensions: number;
  scale: SimilarityScale;
}

/**
 * The copy of the serving index that search reads. The indexer writes every change to the durable table first and then
 * here; all calls are in order, and nothing but the serving index is ever written.
 */
export interface VectorMirror {
  /** Drops everything and takes over another index in one go: its space and all of its vectors. */
  replace(space: VectorSpace, rows: readonly ItemVector[]): void;
  put(rows: readonly ItemVector[]): void;
  remove(kind: Kind, ids: readonly string[]): void;
  /** No index serves any more. */
  clear(): void;
}

/** The vectors of one index. */
export interface MirroredIndex {
  space: VectorSpace;
  matrices: VectorMatrices;
}

/** A mirror in the memory of this thread. */
export class InProcessMirror implements VectorMirror {
  #space: VectorSpace | null = null;
  #matrices = new VectorMatrices(0);

  replace(space: VectorSpace, rows: readonly ItemVector[]): void {
    this.#space = space;
    // A search that is under way keeps the matrices that fit its query vector.
    this.#matrices = new VectorMatrices(space.dimensions);
    this.#matrices.put(rows);
  }

  put(rows: readonly ItemVector[]): void {
    this.#matrices.put(rows);
  }

  remove(kind: Kind, ids: readonly string[]): void {
    this.#matrices.remove(kind, ids);
  }

  clear(): void {
    this.#space = null;
    this.#matrices = new VectorMatrices(0);
  }

  /** Takes over another index whose vectors are there already. */
  adopt({ space, matrices }: MirroredIndex): void {
    this.#space = space;
    this.#matrices = matrices;
  }

  /** The index that is mirrored; null if there is none. */
  index(): MirroredIndex | null {
    return this.#space && { space: this.#space, matrices: this.#matrices };
  }
}
