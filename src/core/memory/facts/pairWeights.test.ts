import { expect, it } from 'vitest';
import { seeded } from '../../../../test/support/seeded.ts';
import { RELATIONS, weighPair, weighPairBy } from './pairWeights.ts';

it('gives each relation its likelihood, and what a name counts moves it', () => {
  const weigh = weighPairBy({ '': [1, 0, 0, 0, 0], changes: [0, 0, 0, 3, 0] });
  const plain = weigh(new Map());
  expect(plain).toHaveLength(RELATIONS.length);
  expect(plain.indexOf(Math.max(...plain))).toBe(0);
  const changed = weigh(
    new Map([
      ['changes', 1],
      ['unheard of', 1],
    ]),
  );
  expect(RELATIONS[changed.indexOf(Math.max(...changed))]).toBe('successor');
});

it('gives likelihoods that are finite and add up to 1, whatever is shown', () => {
  const random = seeded(3);
  const names = ['rules none', 'rules successor', 'share', 'added', 'changes', 'fact changes', 'near', 'x'];
  for (let round = 0; round < 200; round += 1) {
    const shown = new Map(names.filter(() => random() < 0.5).map((name) => [name, random()]));
    const odds = weighPair(shown);
    expect(odds.every((one) => one >= 0 && one <= 1)).toBe(true);
    expect(odds.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1);
  }
});
