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
  embed: oc.input(type<{ kind: 'query' | 'passage'; texts: string[] }>()).output(type<{ vectors: string }>()),
};

/** Vectors one after the other, as base64 of little-endian 32-bit floats: typed arrays do not cross oRPC as they are. */
export function encodeVectors(vectors: readonly Float32Array[]): string {
  return Buffer.concat(
    vectors.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  ).toString('base64');
}

/** The inverse of `encodeVectors`, for vectors of `dimensions` values. */
export function decodeVectors(text: string, dimensions: number): Float32Array[] {
  const bytes = Buffer.from(text, 'base64');
  const values = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  return Array.from({ length: values.length / dimensions }, (_, index) =>
    values.slice(index * dimensions, (index + 1) * dimensions),
  );
}
