import type { TurnId } from '../../../shared/ids.ts';
import type { TurnBeside } from '../../items/turn.ts';
import type { Scores } from '../lexical/postings.ts';

/** What the turns around a turn add to its place: a share of the saturation of the best of them. */
export interface BesideShares {
  /** For the turns right before and right after. */
  next: number;
  /** For those one further away. */
  second: number;
}

/** What neighbours add to the fused score of a turn, and the one that adds most. */
export interface Beside {
  added: number;
  by: TurnId;
}

/**
 * What each turn gains from those around it: an answer often holds none of the words that it answers, which stand in the turn before.
 * At either distance the better side counts.
 * @returns by row id; turns without a neighbour that holds a word of the question are left out
 */
export function gainsBeside(
  pairs: readonly TurnBeside[],
  scores: Scores,
  { next, second }: BesideShares,
): Map<number, Beside> {
  const gains = new Map<number, Beside>();
  for (const [rowid, some] of Map.groupBy(pairs, (pair) => pair.rowid)) {
    const best = new Map<number, Beside>();
    for (const { beside, besideId, distance } of some) {
      const added = (distance === 1 ? next : second) * (scores.saturation(beside) ?? 0);
      if (added > (best.get(distance)?.added ?? 0)) best.set(distance, { added, by: besideId });
    }
    const [most] = [...best.values()].sort((one, other) => other.added - one.added);
    if (!most) continue;
    gains.set(rowid, { added: [...best.values()].reduce((sum, { added }) => sum + added, 0), by: most.by });
  }
  return gains;
}
