import type { Candidate } from '../../shared/contract/retrieval.ts';

/** Id of the built-in answerer, as stored with its replies. */
export const PASSAGES = 'passages';

/**
 * The answerer that needs no model. It writes no prose: its answer is the passages that retrieval injected, best first,
 * to be cited. Between two of them it lets a stop come through.
 */
export async function* answerWithPassages(
  candidates: readonly Candidate[],
  signal: AbortSignal,
): AsyncGenerator<Candidate> {
  for (const candidate of candidates) {
    if (candidate.verdict !== 'injected') continue;
    await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) return;
    yield candidate;
  }
}
