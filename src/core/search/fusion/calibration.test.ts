import { expect, it } from 'vitest';
import { seeded } from '../../../../test/support/seeded.ts';
import {
  BUILT_IN_CALIBRATION,
  type Calibration,
  type Example,
  fitCalibration,
  relevance,
} from './calibration.ts';

const TRUE: Calibration = { bias: -4, slope: 9 };

/** Examples of a known model: each is right as often as the model says. */
function drawn(count: number, model: Calibration = TRUE): Example[] {
  const random = seeded(3);
  return Array.from({ length: count }, () => {
    const fused = random() * 1.2;
    return { fused, target: random() < relevance(fused, model) ? 1 : 0, weight: 1 };
  });
}

const evenAt = ({ bias, slope }: Calibration): number => -bias / slope;

it('finds the model that examples were drawn from', () => {
  const fitted = fitCalibration(drawn(5_000));
  expect(evenAt(fitted)).toBeCloseTo(evenAt(TRUE), 1);
  expect(fitted.slope).toBeGreaterThan(7);
  expect(fitted.slope).toBeLessThan(11);
});

it('holds to the prior without examples, nears what examples say with their number, and passes neither', () => {
  const prior = { calibration: BUILT_IN_CALIBRATION, weight: 50 };
  const none = fitCalibration([], prior);
  expect(none.bias).toBeCloseTo(BUILT_IN_CALIBRATION.bias, 3);
  expect(none.slope).toBeCloseTo(BUILT_IN_CALIBRATION.slope, 3);
  const far: Calibration = { bias: -8, slope: 9 };
  const distances = [0, 10, 100, 1_000].map((count) =>
    Math.abs(evenAt(fitCalibration(drawn(count, far), prior)) - evenAt(far)),
  );
  expect(distances).toEqual([...distances].sort((one, other) => other - one));
});

it('never lets a higher score mean less, whatever the examples say', () => {
  const against = [0.1, 0.2, 0.3, 0.8, 0.9, 1].flatMap((fused): Example[] =>
    Array.from({ length: 200 }, () => ({ fused, target: fused < 0.5 ? 1 : 0, weight: 1 })),
  );
  const { slope } = fitCalibration(against, { calibration: BUILT_IN_CALIBRATION, weight: 50 });
  expect(slope).toBeGreaterThanOrEqual(BUILT_IN_CALIBRATION.slope / 4);
});

it('stays finite where all examples have one score', () => {
  const { bias, slope } = fitCalibration([{ fused: 0.5, target: 1, weight: 1 }]);
  expect(Number.isFinite(bias) && Number.isFinite(slope)).toBe(true);
});
