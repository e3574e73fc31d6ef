import { readFileSync } from 'node:fs';
import { resourcePath } from '../support/resources.ts';
import { featuresOf } from './features.ts';

/** Vectors of French and English terms in one space, made by `npm run train`. */
export interface WordVectors {
  readonly dimensions: number;
  /** Unit vector of a term, and its length before it was normalised, which is the weight of the term in a text. */
  term(term: string): { unit: Float32Array; length: number };
  /** Writes the unit vector of a term to `into`, and keeps nothing of it. */
  writeUnit(term: string, into: Float32Array): void;
  /** Unit vector of the weighted sum of the terms of a text; all zeros if there are no terms. */
  text(terms: readonly string[]): Float32Array;
}

/** Terms whose vectors are kept: about 15 MB. */
const CACHE_SIZE = 50_000;

let ofThread: WordVectors | undefined;

/** The built-in table, which all of a thread that need it share; read when it is first needed. */
export function wordVectorsOfThread(): WordVectors {
  ofThread ??= loadWordVectors();
  return ofThread;
}

/** Reads the built-in table: the numbers of rows and of dimensions, then a scale for each row, then a signed byte for each value. */
export function loadWordVectors(): WordVectors {
  const bytes = readFileSync(resourcePath('word-vectors.bin'));
  const rows = bytes.readUInt32LE(0);
  const dimensions = bytes.readUInt32LE(4);
  // Copied, because a view of floats must begin at a multiple of four bytes. Every processor that Souvenir runs on is little-endian.
  const scales = new Float32Array(Uint8Array.from(bytes.subarray(8, 8 + rows * 4)).buffer);
  const values = new Int8Array(bytes.buffer, bytes.byteOffset + 8 + rows * 4, rows * dimensions);
  const cache = new Map<string, { unit: Float32Array; length: number }>();

  /** @returns the vector's length before it was normalised */
  const write = (name: string, unit: Float32Array): number => {
    unit.fill(0);
    const features = featuresOf(name);
    for (const row of features) {
      const scale = (scales[row] as number) / features.length;
      const from = row * dimensions;
      for (let d = 0; d < dimensions; d += 1)
        unit[d] = (unit[d] as number) + scale * (values[from + d] as number);
    }
    return normalise(unit);
  };

  const term = (name: string) => {
    const known = cache.get(name);
    if (known) return known;
    const unit = new Float32Array(dimensions);
    const entry = { unit, length: write(name, unit) };
    if (cache.size >= CACHE_SIZE) cache.clear();
    cache.set(name, entry);
    return entry;
  };

  return {
    dimensions,
    term,
    writeUnit: (name, into) => void write(name, into),
    text: (terms) => {
      const sum = new Float32Array(dimensions);
      for (const name of terms) {
        const { unit, length } = term(name);
        for (let d = 0; d < dimensions; d += 1) sum[d] = (sum[d] as number) + length * (unit[d] as number);
      }
      normalise(sum);
      return sum;
    },
  };
}

/** Scales a vector to length 1 in place, and returns its former length. */
function normalise(vector: Float32Array): number {
  let square = 0;
  for (const value of vector) square += value * value;
  const length = Math.sqrt(square);
  if (length > 0) for (let d = 0; d < vector.length; d += 1) vector[d] = (vector[d] as number) / length;
  return length;
}

/** Dot product of two vectors with as many dimensions, which is the cosine of unit vectors. */
export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let d = 0; d < one.length; d += 1) sum += (one[d] as number) * (other[d] as number);
  return sum;
}
