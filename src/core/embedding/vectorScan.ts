import { readFileSync } from 'node:fs';
import { resourcePath } from '../support/resources.ts';

/** Vectors that are stored together, and scanned by one call. */
export const BLOCK = 1_024;

const FLOAT = 4;
/** The scan takes this many numbers at once; vectors are filled up with zeros. */
const STEP = 16;
const PAGE = 65_536;

/** The part of WebAssembly that is used: Node has it, its types do not. */
declare namespace WebAssembly {
  export class Memory {
    constructor(size: { initial: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  export class Module {
    constructor(bytes: Uint8Array);
  }
  export class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
}

type Scan = (query: number, rows: number, count: number, length: number, products: number) => void;

export interface Multiplication {
  vector: number;
  rows: number;
  count: number;
  products: number;
}

let compiled: WebAssembly.Module | undefined;

/**
 * Memory for vectors of one length, in blocks that never move, and a scan of a block by the processor's vector instructions
 * (`scripts/scan.wat`): several times as fast as the same loop in JavaScript.
 */
export class VectorScan {
  readonly #length: number;
  readonly #dimensions: number;
  readonly #memory: WebAssembly.Memory;
  readonly #scan: Scan;
  #numbers: Float32Array;
  /** Numbers that are taken: those of the query and of the products come first. */
  #used: number;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#length = Math.max(STEP, Math.ceil(dimensions / STEP) * STEP);
    this.#used = this.#length + BLOCK;
    this.#memory = new WebAssembly.Memory({ initial: Math.ceil((this.#used * FLOAT) / PAGE) });
    this.#numbers = new Float32Array(this.#memory.buffer);
    compiled ??= new WebAssembly.Module(readFileSync(resourcePath('scan.wasm')));
    const { exports } = new WebAssembly.Instance(compiled, { scan: { memory: this.#memory } });
    this.#scan = exports.scan as Scan;
  }

  /** All of the memory, by numbers: a view, void after the next `take` or `addBlock`. */
  get numbers(): Float32Array {
    return this.#numbers;
  }

  /** How many numbers a vector takes. */
  get length(): number {
    return this.#length;
  }

  /**
   * Takes memory for `BLOCK` more vectors, and returns where it begins. Views of vectors that were given out before are void.
   * @throws RangeError if there is no memory left
   */
  addBlock(): number {
    return this.take(BLOCK * this.#length);
  }

  /** As `addBlock`, for so many numbers. */
  take(count: number): number {
    const start = this.#used;
    this.#used += count;
    const missing = this.#used * FLOAT - this.#memory.buffer.byteLength;
    if (missing > 0) {
      this.#memory.grow(Math.ceil(missing / PAGE));
      this.#numbers = new Float32Array(this.#memory.buffer);
    }
    return start;
  }

  /** The vector at `place` of the block that begins at `start`: a view, void after the next `addBlock`. */
  at(start: number, place: number): Float32Array {
    const from = start + place * this.#length;
    return this.#numbers.subarray(from, from + this.#dimensions);
  }

  /** Sets the vector that `products` multiplies by; it has as many dimensions as the others. */
  setQuery(query: Float32Array): void {
    this.#numbers.set(query);
  }

  /** Dot products of the query with the first `count` vectors of a block: a view, void after the next call. */
  products(start: number, count: number): Float32Array {
    this.#scan(0, start * FLOAT, count, this.#length, this.#length * FLOAT);
    return this.#numbers.subarray(this.#length, this.#length + count);
  }

  /**
   * Writes the dot products of one vector with `count` others, which stand one after another, to `products`. All are places in the
   * memory.
   */
  multiply({ vector, rows, count, products }: Multiplication): void {
    this.#scan(vector * FLOAT, rows * FLOAT, count, this.#length, products * FLOAT);
  }
}
