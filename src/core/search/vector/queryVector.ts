import type { Similarity, SimilarityScale } from '../../embedding/similarity.ts';
import type { Nearest, VectorMatrices } from '../../embedding/vectorMatrix.ts';
import { dot } from '../../embedding/wordVectors.ts';
import type { Kind } from '../../items/index.ts';
import type { Calibration } from '../fusion/calibration.ts';

/** The vector of a question, and the vectors that it is compared with. */
export interface QueryVector {
  /** Of unit length, or all zeros if the question has no words. */
  values: Float32Array;
  matrices: Pick<VectorMatrices, 'vector' | 'nearest'>;
  scale: SimilarityScale;
  similarity: Similarity;
  /** What fused scores mean with these vectors; the built-in calibration by default. */
  calibration?: Calibration | undefined;
  /** The share of the fused score that a contextual embedder's cosines have here; a built-in one by default. */
  contextualShare?: number | undefined;
  /** Does the embedder read words in their context? Then its vectors tell more than sums of words do. */
  contextual: boolean;
}

/** Some rows of one kind, by both of their keys. */
export interface RowSet {
  rowids: ReadonlySet<number>;
  ids: ReadonlySet<string>;
}

export const rowSetOf = (
  rows: readonly { rowid: number; id: string }[],
): { rowids: Set<number>; ids: Set<string> } => ({
  rowids: new Set(rows.map((row) => row.rowid)),
  ids: new Set(rows.map((row) => row.id)),
});

/**
 * The cosine of question and item, moved so that the cosine which one pair of unrelated texts in twenty reaches is 0: from 0 to
 * 1. 0 if there is no vector of either.
 */
export function normalisedCosine(query: QueryVector | null, kind: Kind, id: string): number {
  const vector = query?.matrices.vector(kind, id);
  if (!query || !vector) return 0;
  const { chance } = query.scale;
  const moved = (dot(query.values, vector) - chance) / (1 - chance);
  // Of a damaged vector it may be anything.
  return moved > 0 ? Math.min(1, moved) : 0;
}

/** The items nearest to the question, best first; only those of `within` that are at least `leastSimilarity` (0 to 1) similar. */
export function nearestItems(
  query: QueryVector | null,
  kind: Kind,
  options: { limit: number; within: RowSet | null; leastSimilarity: number },
): Nearest[] {
  if (!query) return [];
  const { limit, within, leastSimilarity } = options;
  const accept = within ? (id: string) => within.ids.has(id) : undefined;
  return query.matrices
    .nearest(kind, query.values, { limit, accept })
    .filter(({ cosine }) => query.similarity(cosine) >= leastSimilarity);
}
