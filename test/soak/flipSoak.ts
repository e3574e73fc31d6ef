import { removeFolder } from '../support/temporary.ts';
import { FlipWorld, type Outcome } from './flips.ts';

/** Flips a bit of a database, opens and repairs it, this many times; tells of every loss without a word. */
export async function soakFlips(count: number, first: number): Promise<void> {
  const world = await FlipWorld.make();
  const outcomes: Record<Outcome['outcome'], number> = { 'as before': 0, repaired: 0, told: 0, wrong: 0 };
  try {
    for (let seed = first; seed < first + count; seed += 1) {
      const found = await world.flip(seed);
      outcomes[found.outcome] += 1;
      if (found.outcome === 'wrong') console.log(JSON.stringify({ soak: 'flips', seed, ...found }));
    }
    console.log(JSON.stringify({ soak: 'flips', flips: count, firstSeed: first, ...outcomes }));
    if (outcomes.wrong > 0) process.exitCode = 1;
  } finally {
    removeFolder(world.root);
  }
}
