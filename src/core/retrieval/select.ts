import type { Verdict } from '../../shared/contract/retrieval.ts';

/** What selection needs to know of a candidate. */
export interface Selectable {
  id: string;
  kind: 'note' | 'turn' | 'fact';
  /** Passes the minimum and does not count against the results: identity facts. */
  standing: boolean;
  /** Its time is over. */
  expired: boolean;
  /** The turn that a fact was learnt from. */
  originTurn: string | null;
  score: number;
  tokens: number;
  /** Equal texts have equal hashes. */
  textHash: string;
  /** Only asks, as the question does: it tells nothing. */
  echo: boolean;
}

export interface SelectionRules {
  minScore: number;
  maxResults: number;
  /** In all, standing facts included. */
  maxInjected: number;
  tokenBudget: number;
  /** Ids of what the next prompt carries, in blocks or as messages, with the number of its turn. */
  carried: ReadonlyMap<string, number>;
}

export interface Decision {
  verdict: Verdict;
  because: string;
}

/**
 * Gives every candidate its verdict, best first: below the minimum, in the window, the same as another, over the limit,
 * over the budget; what is left is injected. Pure.
 */
export function select(candidates: readonly Selectable[], rules: SelectionRules): Map<string, Decision> {
  const decisions = new Map<string, Decision>();
  const taken: Selectable[] = [];
  // A fact says what its turn said, in fewer words: where both answer, the fact does.
  const learntFrom = new Map(
    candidates
      .filter(
        (candidate) =>
          candidate.originTurn !== null && !candidate.expired && candidate.score >= rules.minScore,
      )
      .map((candidate) => [candidate.originTurn as string, candidate.id]),
  );
  let tokens = 0;
  const decide = (candidate: Selectable): Decision => {
    const score = candidate.score.toFixed(2);
    if (candidate.expired) return { verdict: 'expired', because: 'its time is over' };
    if (candidate.score < rules.minScore && !candidate.standing) {
      return {
        verdict: 'below-minimum',
        because: `${score} is below the minimum of ${rules.minScore.toFixed(2)}`,
      };
    }
    const since = rules.carried.get(candidate.id);
    if (since !== undefined)
      return { verdict: 'in-window', because: `the prompt carries it since turn ${since}` };
    if (candidate.echo) return { verdict: 'similar', because: 'only asks, and tells nothing' };
    const twin = taken.find((other) => other.textHash === candidate.textHash);
    if (twin) return { verdict: 'similar', because: `1.00 like ${twin.id}` };
    const learnt = learntFrom.get(candidate.id);
    if (learnt !== undefined) return { verdict: 'similar', because: `${learnt} was learnt from it` };
    const asked = taken.filter((other) => !other.standing).length;
    if ((!candidate.standing && asked >= rules.maxResults) || taken.length >= rules.maxInjected) {
      return { verdict: 'over-limit', because: `${asked} better ones were taken` };
    }
    if (tokens + candidate.tokens > rules.tokenBudget) {
      const left = rules.tokenBudget - tokens;
      return {
        verdict: 'over-budget',
        because: `${candidate.tokens} tokens, ${left} of ${rules.tokenBudget} left`,
      };
    }
    taken.push(candidate);
    tokens += candidate.tokens;
    return {
      verdict: 'injected',
      because: candidate.standing ? `identity, relevance ${score}` : `relevance ${score}`,
    };
  };
  for (const candidate of candidates) decisions.set(candidate.id, decide(candidate));
  return decisions;
}
