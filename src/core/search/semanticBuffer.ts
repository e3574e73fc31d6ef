import type { Embedder } from '../embedding/embedder.ts';
import { sha256 } from '../support/ids.ts';
import type { Comparable } from './select.ts';

/** A text that the next prompt carries, and the number of its turn. */
export interface CarriedText {
  turn: number;
  text: string;
}

/** Vectors of so many messages and items are kept between turns. */
const CACHE_SIZE = 2_000;

/**
 * Vectors of what the next prompt carries. It keeps no state but a cache: what is held back follows from the prompt alone.
 */
export function createSemanticBuffer() {
  const cache = new Map<string, Float32Array>();
  return {
    /** The latest `limit` texts with their vectors. @throws AppError EMBEDDER_FAILED; the signal's reason */
    embed: async (
      texts: readonly CarriedText[],
      options: { limit: number; embedder: Embedder; signal: AbortSignal | undefined },
    ): Promise<(Comparable & { turn: number })[]> => {
      const { limit, embedder, signal } = options;
      const latest = limit === 0 ? [] : texts.slice(-limit);
      const keys = latest.map(({ text }) => `${embedder.id} ${sha256(text)}`);
      const missing = latest.flatMap(({ text }, index) =>
        cache.has(keys[index] as string) ? [] : [{ text, key: keys[index] as string }],
      );
      if (missing.length > 0) {
        const vectors = await embedder.embedPassages(
          missing.map(({ text }) => text),
          signal,
        );
        if (cache.size + missing.length > CACHE_SIZE) cache.clear();
        for (const [index, { key }] of missing.entries()) cache.set(key, vectors[index] as Float32Array);
      }
      return latest.map(({ turn, text }, index) => ({
        turn,
        text,
        vector: cache.get(keys[index] as string),
      }));
    },
  };
}
