import { seeded } from '../support/seeded.ts';

/** What a share, or a mean of shares, is measured to be, from 0 to 1, with its 95 % interval over questions. */
export interface Measured {
  mean: number;
  interval95: [low: number, high: number];
}

const SAMPLES = 1_000;

/** Of one value for each question. */
export function measure(values: readonly number[]): Measured {
  const sum = values.reduce((total, value) => total + value, 0);
  return { mean: rounded(sum / Math.max(1, values.length)), interval95: meanInterval(values) };
}

/** 95 % interval of the mean difference of two paired lists. */
export function differenceInterval(one: readonly number[], other: readonly number[]): [number, number] {
  return meanInterval(one.map((value, index) => value - (other[index] ?? 0)));
}

/** 95 % interval of a mean: a percentile bootstrap of seeded resamplings. */
function meanInterval(values: readonly number[]): [number, number] {
  if (values.length === 0) return [0, 0];
  const random = seeded(42);
  const means = Array.from({ length: SAMPLES }, () => {
    let sum = 0;
    for (let index = 0; index < values.length; index += 1) {
      sum += values[Math.floor(random() * values.length)] ?? 0;
    }
    return sum / values.length;
  }).sort((a, b) => a - b);
  const at = (quantile: number) => rounded(means[Math.round(quantile * SAMPLES) - 1] ?? 0);
  return [at(0.026), at(0.975)];
}

const rounded = (value: number): number => Number(value.toFixed(4));

/** Discounted gain at 10 of one rank, from 1; 0 is not found. */
export function gain10(rank: number): number {
  return rank >= 1 && rank <= 10 ? 1 / Math.log2(rank + 1) : 0;
}

/** Is a rank, from 1, among the best five? 0 is not found. */
export const isInFive = (rank: number): number => (rank >= 1 && rank <= 5 ? 1 : 0);

/** Which share of what is right is among the best `k`. */
export function recallAt(k: number, found: readonly string[], right: readonly string[]): number {
  return shareFound(found.slice(0, k), right);
}

/** Which share of what is right was found. */
export function shareFound(found: readonly string[], right: readonly string[]): number {
  const all = new Set(found);
  return right.filter((id) => all.has(id)).length / right.length;
}

/** The discounted gain of the best ten, in shares of the highest that is possible. */
export function ndcg10(found: readonly string[], right: readonly string[]): number {
  const gains = found.slice(0, 10).map((id, place) => (right.includes(id) ? gain10(place + 1) : 0));
  const most = right.slice(0, 10).reduce((sum, _, place) => sum + gain10(place + 1), 0);
  return gains.reduce((sum, gain) => sum + gain, 0) / most;
}
