import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FlipWorld } from '../soak/flips.ts';
import { removeFolder } from '../support/temporary.ts';

/** A few of those that `npm run soak -- flips` draws without end. */
const FLIPS = 5;

let world: FlipWorld;

beforeAll(async () => {
  world = await FlipWorld.make();
});
afterAll(() => removeFolder(world.root));

describe('one bit that flips in the closed database', () => {
  it('ends as before, repaired or told, and never in another text without a word', async () => {
    const outcomes = [];
    for (let seed = 1; seed <= FLIPS; seed += 1) outcomes.push(await world.flip(seed));
    expect(outcomes.filter(({ outcome }) => outcome === 'wrong')).toEqual([]);
  });

  it.each([
    ['the mode of the log', 18],
    ['the format of the schema', 47],
    ['the version of the schema', 63],
  ])('is put right where it says %s', async (_, byte) => {
    expect(await world.flipBit(byte * 8 + 3)).toMatchObject({ outcome: 'as before' });
  });
});
