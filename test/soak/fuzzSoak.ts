import { fuzz } from '../fuzz/target.ts';
import { TARGETS } from '../fuzz/targets.ts';

/** Seeds for every target, or for one of them. */
export async function soakFuzz(count: number, first: number, only: string | undefined): Promise<void> {
  for (const target of TARGETS) {
    if (only !== undefined && target.name !== only) continue;
    await fuzz(target, first, count);
    console.log(
      JSON.stringify({ soak: 'fuzz', target: target.name, seeds: count, firstSeed: first, broken: 0 }),
    );
  }
}
