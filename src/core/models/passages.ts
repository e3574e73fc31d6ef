import type { Candidate } from '../../shared/contract/retrieval.ts';

/** Id of the built-in answerer, as stored with its replies. */
export const PASSAGES = 'passages';

/**
 * The answerer that needs no model. It writes no prose: its answer is the passages that retrieval injected, best first,
 * to be cited. Between two of them it lets a stop come through.
 */
export async function* answerWithPassages(
  candidates: readonly Candidate[],
  minScore: number,
  signal: AbortSignal,
): AsyncGenerator<Candidate> {
  for (const candidate of candidates) {
    // Who the user is is given to every turn, but answers few questions.
    if (candidate.verdict !== 'injected' || candidate.score < minScore) continue;
    await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) return;
    yield candidate;
  }
}
