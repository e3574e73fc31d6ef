import type { SimilarityScale } from '../../embedding/similarity.ts';
import { similarityOn } from '../../embedding/similarity.ts';
import type { Serving } from '../../embedding/vectorIndexer.ts';
import { dot } from '../../embedding/wordVectors.ts';
import { isKind, items, type Kind } from '../../items/index.ts';
import type { Db } from '../../storage/database.ts';
import type { SpaceCalibration } from '../calibration/spaceCalibration.ts';
import type { ItemRef } from '../findings.ts';
import { type EmbeddedQuestion, embedQuestion } from './embedQuestion.ts';
import type { QueryVector } from './queryVector.ts';

/** An embedder that is asked in place of the one whose index answers, with the vectors that it has made so far. */
export interface OtherSpace {
  serving: Serving;
  /** What its scores mean on this computer; null for what is built in. */
  calibration: SpaceCalibration | null;
  /** By kind and id, with the hash of the text that each was made of. */
  made: Map<string, { hash: string; vector: Float32Array }>;
}

/** A question and some items as another embedder sees them. Plain data. */
export interface OtherVectors {
  query: EmbeddedQuestion;
  scale: SimilarityScale;
  calibration: SpaceCalibration | null;
  vectors: { kind: Kind; id: string; vector: Float32Array }[];
}

/**
 * Embeds a question and what was found for it. What has no text, or is not in use any more, has no vector.
 * @throws AppError EMBEDDER_FAILED; the signal's reason if it was aborted
 */
export async function embedFound(
  { text, refs }: { text: string; refs: readonly ItemRef[] },
  { serving, calibration, made }: OtherSpace,
  { db, now, signal }: { db: Db; now: number; signal?: AbortSignal | undefined },
): Promise<OtherVectors> {
  const wanted = refs.flatMap(({ kind, id }) => {
    const found = isKind(kind) ? items[kind].embeddable(db, id, now) : null;
    return found && isKind(kind) ? [{ kind, id, key: `${kind} ${id}`, ...found }] : [];
  });
  const due = wanted.filter(({ key, hash }) => made.get(key)?.hash !== hash);
  const vectors = await serving.embedder.embedPassages(
    due.map((one) => one.text),
    signal,
  );
  for (const [place, { key, hash }] of due.entries()) {
    const vector = vectors[place];
    if (vector) made.set(key, { hash, vector });
  }
  return {
    query: await embedQuestion(text, serving, signal),
    scale: calibration?.scale ?? serving.scale,
    calibration,
    vectors: wanted.flatMap(({ kind, id, key }) => {
      const vector = made.get(key)?.vector;
      return vector ? [{ kind, id, vector }] : [];
    }),
  };
}

/** What a search compares a question by. */
export function otherQuery({ query, scale, calibration, vectors }: OtherVectors): QueryVector {
  const byKind = Map.groupBy(vectors, ({ kind }) => kind);
  const byId = new Map(vectors.map(({ kind, id, vector }) => [`${kind} ${id}`, vector]));
  return {
    values: query.values,
    contextual: query.contextual,
    scale,
    similarity: similarityOn(scale),
    calibration: calibration?.relevance,
    contextualShare: calibration?.contextualShare ?? undefined,
    matrices: {
      vector: (kind, id) => byId.get(`${kind} ${id}`),
      nearest: (kind, vector, { limit, accept = () => true }) =>
        (byKind.get(kind) ?? [])
          .filter(({ id }) => accept(id))
          .map(({ id, vector: other }) => ({ id, cosine: dot(vector, other) }))
          .filter(({ cosine }) => cosine > 0)
          .sort((one, other) => other.cosine - one.cosine)
          .slice(0, limit),
    },
  };
}
