import { oc, type } from '@orpc/contract';

/** What an embedder is. */
export interface EmbedderCard {
  /** Changes whenever the vectors would. */
  id: string;
  dimensions: number;
  /** Of one text; what is longer is cut. */
  maxTokens: number;
  /** Does it read words in their context, as a transformer does? */
  contextual: boolean;
}

/** What the core asks of the embedder's thread. Both ends are ours and in one process: types, without checks. */
export const embedderContract = {
  open: oc.input(type<{ setting: string }>()).output(type<EmbedderCard | { problem: string }>()),
  /** `values` holds one vector after another, in the order of the texts. */
  embed: oc
    .input(type<{ kind: 'query' | 'passage'; texts: string[] }>())
    .output(type<{ values: Float32Array }>()),
};

/** Vectors of the same length, one after another. */
export function joinVectors(vectors: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const values = new Float32Array(vectors.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const vector of vectors) {
    values.set(vector, at);
    at += vector.length;
  }
  return values;
}

/** The inverse of `joinVectors`, for vectors of `dimensions` values. */
export function splitVectors(values: Float32Array, dimensions: number): Float32Array[] {
  return Array.from({ length: values.length / dimensions }, (_, index) =>
    values.subarray(index * dimensions, (index + 1) * dimensions),
  );
}
