import { type SimilarityScale, similarityOn } from '../embedding/similarity.ts';
import { dot } from '../embedding/wordVectors.ts';
import type { Comparable } from './select.ts';

/**
 * Similarity of two texts, 0 to 1, by their vectors. Of two that differ in a number, a date, a name or a negation none stands for
 * the other, however alike they read: theirs is `threshold` at most. 0 if a vector is missing.
 */
export function similarityOf(
  scale: SimilarityScale | null,
  { differs, threshold }: { differs: (one: string, other: string) => boolean; threshold: number },
): (one: Comparable, other: Comparable) => number {
  if (!scale) return () => 0;
  const similarity = similarityOn(scale);
  return (one, other) => {
    if (!one.vector || !other.vector || one.vector.length !== other.vector.length) return 0;
    const value = similarity(dot(one.vector, other.vector));
    return value > threshold && differs(one.text, other.text) ? threshold : value;
  };
}
