import type { Dice } from '../support/seeded.ts';

/** Something that a run may do. */
export interface Act {
  name: string;
  /** How often it happens beside the others. */
  weight: number;
  /** Does it to the core and to the model. @returns what it did, in a few words; null if nothing of the kind could be done */
  run(): Promise<string | null>;
}

/** One of several acts, each as often as its weight says. */
export function pickByWeight(acts: readonly Act[], dice: Dice): Act {
  let left = dice.random() * acts.reduce((sum, { weight }) => sum + weight, 0);
  const act = acts.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  return act ?? (acts.at(-1) as Act);
}
