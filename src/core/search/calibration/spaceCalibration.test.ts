import { expect, it } from 'vitest';
import { seeded } from '../../../../test/support/seeded.ts';
import { BUILT_IN_CALIBRATION, relevance } from '../fusion/calibration.ts';
import type { PairScores } from './pairMeter.ts';
import { anchor, bestShare, CONTEXTUAL_SHARES, fitMarks, fitScale } from './spaceCalibration.ts';

function pairs(count: number, change: (fused: number) => number): { own: PairScores; builtIn: PairScores }[] {
  const random = seeded(7);
  return Array.from({ length: count }, () => {
    const builtIn = { right: 0.3 + 0.6 * random(), wrong: 0.15 + 0.4 * random(), above: 0 };
    return { builtIn, own: { right: change(builtIn.right), wrong: change(builtIn.wrong), above: 0 } };
  });
}

it('leaves the built-in scale where an index scores as the built-in one does', () => {
  const { bias, slope } = anchor(pairs(200, (fused) => fused));
  expect(bias).toBeCloseTo(BUILT_IN_CALIBRATION.bias, 3);
  expect(slope).toBeCloseTo(BUILT_IN_CALIBRATION.slope, 3);
});

it('keeps the meaning of a relevance where an index scores higher, the more so the more pairs there are', () => {
  const change = (fused: number) => 0.25 + 1.1 * fused;
  const off = [3, 30, 300].map((count) => {
    const calibration = anchor(pairs(count, change));
    return Math.max(
      ...[0.3, 0.43, 0.6].map((fused) => Math.abs(relevance(change(fused), calibration) - relevance(fused))),
    );
  });
  expect(off[2]).toBeLessThan(0.06);
  expect(off).toEqual([...off].sort((one, other) => other - one));
  // A pair or two change little of what is built in.
  const tiny = anchor(pairs(2, change));
  expect(Math.abs(relevance(0.43, tiny) - relevance(0.43))).toBeLessThan(0.1);
});

it('carries the scale over where of some pairs one of the two has no other item', () => {
  const some = pairs(300, (fused) => 0.25 + fused);
  const [first] = some;
  if (first) first.builtIn.wrong = null;
  expect(relevance(0.25 + 0.43, anchor(some))).toBeLessThan(relevance(0.43) + 0.06);
});

it('takes a share only where it ranks better by more than chance', () => {
  const scores = (aboves: readonly number[]) => ({
    scores: CONTEXTUAL_SHARES.map((_, place) => ({ right: 0, wrong: 0, above: aboves[place] ?? 9 })),
  });
  expect(bestShare([])).toBe(0);
  expect(bestShare([scores([0, 0, 0, 0, 0])])).toBe(0);
  expect(bestShare([scores([1, 0]), scores([0, 1])])).toBe(0);
  const mostly = Array.from({ length: 100 }, (_, at) =>
    scores(at % 5 === 0 ? [0, 1, 1, 1, 1] : [3, 3, 3, 0, 3]),
  );
  expect(bestShare(mostly)).toBe(3);
});

it('moves with marks towards what the user says, and gives nothing away to a single one', () => {
  const wrong = (count: number) =>
    Array.from({ length: count }, () => ({ fused: 0.6, mark: 'wrong' as const }));
  const [one = 0, many = 0] = [1, 60].map((count) =>
    relevance(0.6, fitMarks(wrong(count), BUILT_IN_CALIBRATION)),
  );
  expect(one).toBeLessThan(relevance(0.6));
  expect(one).toBeGreaterThan(0.6);
  expect(many).toBeLessThan(0.5);
});

it('raises what says the same only where texts that chance drew would say it', () => {
  const scale = { unrelated: 0.7, chance: 0.76, same: 0.9 };
  const drawn = (highest: number) =>
    Array.from({ length: 1_000 }, (_, at) => 0.7 + ((highest - 0.7) * at) / 1_000);
  expect(fitScale(scale, drawn(0.85))).toEqual(scale);
  expect(fitScale(scale, drawn(0.95)).same).toBeCloseTo(0.9475, 3);
  expect(fitScale(scale, drawn(0.95).slice(900))).toEqual(scale);
  expect(
    fitScale(
      scale,
      Array.from({ length: 1_000 }, () => 1),
    ).same,
  ).toBe(0.95);
});
