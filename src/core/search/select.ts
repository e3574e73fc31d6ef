import type { VerdictReason } from '../../shared/contract/reasons.ts';
import type { ItemKind, Verdict } from '../../shared/contract/retrieval.ts';

/** A text and its vector, where it has one. */
export interface Comparable {
  text: string;
  vector: Float32Array | undefined;
}

/** What selection needs to know of a candidate. */
export interface Selectable extends Comparable {
  id: string;
  kind: ItemKind;
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
  reason: VerdictReason;
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
    const score = figure(candidate.score);
    if (candidate.expired) return decided('expired', 'expired');
    if (candidate.score < rules.minScore && candidate.standing === null) {
      return decided('below-minimum', 'below-minimum', { score, minimum: rules.minScore });
    }
    const turn = rules.carried.get(candidate.id);
    if (turn !== undefined) return decided('in-window', 'in-prompt', { turn });
    if (candidate.echo) return decided('similar', 'only-asks');
    const twin = likest(candidate, taken, rules);
    if (twin) {
      return decided('similar', 'like-selected', {
        similarity: figure(twin.similarity),
        item: twin.of.id,
      });
    }
    const said = likest(candidate, rules.buffer, rules);
    if (said) {
      return decided('similar', 'like-prompt', {
        similarity: figure(said.similarity),
        turn: said.of.turn,
      });
    }
    const learnt = learntFrom.get(candidate.id);
    if (learnt !== undefined) return decided('similar', 'taught-fact', { item: learnt });
    const asked = taken.filter(({ standing }) => standing === null || standing === 'named').length;
    if (candidate.standing === null && asked >= rules.maxResults) {
      return decided('over-limit', 'over-limit', { limit: rules.maxResults });
    }
    if (taken.length >= rules.maxInjected) {
      return decided('over-limit', 'over-limit', { limit: rules.maxInjected });
    }
    if (tokens + candidate.tokens > rules.tokenBudget) {
      return decided('over-budget', 'over-budget', {
        tokens: candidate.tokens,
        left: rules.tokenBudget - tokens,
        budget: rules.tokenBudget,
      });
    }
    taken.push(candidate);
    tokens += candidate.tokens;
    return decided('injected', candidate.standing ?? 'relevant', { score });
  };
  for (const candidate of candidates) decisions.set(candidate.id, decide(candidate));
  return decisions;
}

const figure = (value: number): number => Number(value.toFixed(2));

const decided = (
  verdict: Verdict,
  code: VerdictReason['code'],
  figures: VerdictReason['figures'] = {},
): Decision => ({ verdict, reason: { code, figures } });

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
