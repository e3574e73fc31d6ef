import { Dice } from '../../support/seeded.ts';

/** What one dialogue adds to a share: how many of how many. */
export interface Tally {
  part: number;
  whole: number;
}

/** 1 where there is nothing to share. */
export function shareOf(tallies: readonly Tally[]): number {
  const sum = (of: 'part' | 'whole') => tallies.reduce((total, tally) => total + tally[of], 0);
  return sum('whole') === 0 ? 1 : sum('part') / sum('whole');
}

/** So many that the bounds of a share move by less than 0.005 from seed to seed. */
const SAMPLES = 2_000;

/**
 * Between what the share of all tallies lies in 95 of 100 cases, from 0 to 1: by a percentile bootstrap that draws dialogues and not
 * statements, since those of one dialogue are right and wrong together.
 */
export function interval95(tallies: readonly Tally[]): [low: number, high: number] {
  const dice = new Dice(1);
  const shares = Array.from({ length: SAMPLES }, () => {
    return shareOf(tallies.map(() => dice.pick(tallies)));
  }).sort((one, other) => one - other);
  const at = (quantile: number) => Number((shares[Math.round(quantile * (SAMPLES - 1))] ?? 1).toFixed(4));
  return [at(0.025), at(0.975)];
}
