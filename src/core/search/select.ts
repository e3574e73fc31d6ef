import type { Verdict } from '../../shared/contract/retrieval.ts';

/** A text and its vector, where it has one. */
export interface Comparable {
  text: string;
  vector: Float32Array | undefined;
}

/** What selection needs to know of a candidate. */
export interface Selectable extends Comparable {
  id: string;
  kind: 'note' | 'turn' | 'fact';
  /** Why it passes the minimum whatever its score; null where it does not. */
  standing: 'identity' | 'pinned' | 'named' | null;
  /** Its time is over. */
  expired: boolean;
  /** The turn that a fact was learnt from. */
  originTurn: string | null;
  score: number;
  tokens: number;
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
  /** What the next prompt carries, as texts. */
  buffer: readonly (Comparable & { turn: number })[];
  dedupThreshold: number;
  /** 0 to 1; 0 where there is nothing to compare by. */
  similarity(one: Comparable, other: Comparable): number;
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
    if (candidate.score < rules.minScore && candidate.standing === null) {
      return {
        verdict: 'below-minimum',
        because: `${score} is below the minimum of ${rules.minScore.toFixed(2)}`,
      };
    }
    const since = rules.carried.get(candidate.id);
    if (since !== undefined)
      return { verdict: 'in-window', because: `the prompt carries it since turn ${since}` };
    if (candidate.echo) return { verdict: 'similar', because: 'only asks, and tells nothing' };
    const twin = likest(candidate, taken, rules);
    if (twin) return { verdict: 'similar', because: `${twin.similarity.toFixed(2)} like ${twin.of.id}` };
    const said = likest(candidate, rules.buffer, rules);
    if (said) {
      return {
        verdict: 'similar',
        because: `${said.similarity.toFixed(2)} like what turn ${said.of.turn} holds`,
      };
    }
    const learnt = learntFrom.get(candidate.id);
    if (learnt !== undefined) return { verdict: 'similar', because: `${learnt} was learnt from it` };
    const asked = taken.filter(({ standing }) => standing === null || standing === 'named').length;
    if ((candidate.standing === null && asked >= rules.maxResults) || taken.length >= rules.maxInjected) {
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
      because:
        candidate.standing === null ? `relevance ${score}` : `${candidate.standing}, relevance ${score}`,
    };
  };
  for (const candidate of candidates) decisions.set(candidate.id, decide(candidate));
  return decisions;
}

/** The first of `others` that says the same as the candidate. */
function likest<T extends Comparable>(
  candidate: Comparable,
  others: readonly T[],
  { similarity, dedupThreshold }: SelectionRules,
): { of: T; similarity: number } | null {
  for (const of of others) {
    const alike = of.text === candidate.text ? 1 : similarity(candidate, of);
    if (alike > dedupThreshold) return { of, similarity: alike };
  }
  return null;
}
