import { seeded } from '../support/seeded.ts';

/** Mean of nDCG@10 and recall@5 over questions that have one right answer each; `ranks` from 1, 0 where it is not found. */
export function meanMetrics(ranks: readonly number[]): { ndcg10: number; recall5: number } {
  const mean = (value: (rank: number) => number) =>
    ranks.reduce((sum, rank) => sum + value(rank), 0) / Math.max(1, ranks.length);
  return {
    ndcg10: mean((rank) => (rank >= 1 && rank <= 10 ? 1 / Math.log2(rank + 1) : 0)),
    recall5: mean((rank) => (rank >= 1 && rank <= 5 ? 1 : 0)),
  };
}

/** 95 % interval of the mean difference of two paired lists, by 1,000 seeded resamplings. */
export function differenceInterval(one: readonly number[], other: readonly number[]): [number, number] {
  const differences = one.map((value, index) => value - (other[index] ?? 0));
  const random = seeded(42);
  const means = Array.from({ length: 1_000 }, () => {
    let sum = 0;
    for (let index = 0; index < differences.length; index += 1) {
      sum += differences[Math.floor(random() * differences.length)] ?? 0;
    }
    return sum / differences.length;
  }).sort((a, b) => a - b);
  return [means[25] ?? 0, means[974] ?? 0];
}

/** Discounted gain at 10 of one rank. */
export function gain10(rank: number): number {
  return rank >= 1 && rank <= 10 ? 1 / Math.log2(rank + 1) : 0;
}
