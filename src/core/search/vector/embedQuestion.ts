import { AppError } from '../../../shared/errors.ts';
import type { Serving } from '../../embedding/vectorIndexer.ts';

/** The vector of a question, and the index whose vectors it may be compared with. */
export interface EmbeddedQuestion {
  fingerprint: string;
  /** Of unit length, or all zeros if the question has no words. */
  values: Float32Array;
  /** Does the embedder read words in their context? */
  contextual: boolean;
}

/** @throws AppError EMBEDDER_FAILED; the signal's reason if it was aborted */
export async function embedQuestion(
  text: string,
  { embedder, fingerprint }: Serving,
  signal?: AbortSignal,
): Promise<EmbeddedQuestion> {
  const values = await embedder.embedQuery(text, signal);
  if (values.length !== embedder.dimensions || !values.every(Number.isFinite)) {
    throw new AppError('EMBEDDER_FAILED', { reason: 'its vectors make no sense' });
  }
  return { fingerprint, values, contextual: embedder.contextual };
}
