import { readFileSync } from 'node:fs';
import { resourcePath } from '../../support/resources.ts';
import type { PairEvidence, Relation } from './pairEvidence.ts';

/** Where the weights are that `npm run eval -- facts --fit` makes. */
export const PAIR_WEIGHTS = 'pair-weights.json';

/** The relations that are told apart, in the order of the weights. */
export const RELATIONS: readonly Relation[] = [null, 'same', 'refinement', 'successor', 'contradiction'];

/** Multinomial logistic regression: of each name, what it counts for each relation; the name `''` counts for every pair. */
export type PairWeights = Readonly<Record<string, readonly number[]>>;

/** How likely each relation is, in the order of `RELATIONS`: their sum is 1. */
export type WeighPair = (shown: PairEvidence) => readonly number[];

/** The likeliest relation. @param odds in the order of `RELATIONS` */
export const likeliest = (odds: readonly number[]): Relation =>
  RELATIONS[odds.indexOf(Math.max(...odds))] ?? null;

/** The built-in weighing, read when it is first needed. */
export const weighPair: WeighPair = (shown) => {
  builtIn ??= weighPairBy(JSON.parse(readFileSync(resourcePath(PAIR_WEIGHTS), 'utf8')) as PairWeights);
  return builtIn(shown);
};
let builtIn: WeighPair | undefined;

export const weighPairBy =
  (weights: PairWeights): WeighPair =>
  (shown) => {
    const sums = RELATIONS.map((_, at) => weights['']?.[at] ?? 0);
    for (const [name, value] of shown)
      for (const [at, weight] of weights[name]?.entries() ?? [])
        sums[at] = (sums[at] as number) + value * weight;
    const most = Math.max(...sums);
    const odds = sums.map((sum) => Math.exp(sum - most));
    const whole = odds.reduce((sum, one) => sum + one, 0);
    return odds.map((one) => one / whole);
  };
