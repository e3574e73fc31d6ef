import type { TurnBeside } from '../lexical/knownRows.ts';
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
  /** Its row id. */
  by: number;
}

const NOBODY: Beside = { added: 0, by: -1 };

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
  /** Of each row, the better side at either distance. */
  const sides = new Map<number, { next: Beside; second: Beside }>();
  for (const { rowid, beside, distance } of pairs) {
    let best = sides.get(rowid);
    if (!best) {
      best = { next: NOBODY, second: NOBODY };
      sides.set(rowid, best);
    }
    const place = distance === 1 ? 'next' : 'second';
    const added = (distance === 1 ? next : second) * (scores.saturation(beside) ?? 0);
    if (added > best[place].added) best[place] = { added, by: beside };
  }
  const gains = new Map<number, Beside>();
  for (const [rowid, best] of sides) {
    const added = best.next.added + best.second.added;
    const { by } = best.second.added > best.next.added ? best.second : best.next;
    if (added > 0) gains.set(rowid, { added, by });
  }
  return gains;
}
