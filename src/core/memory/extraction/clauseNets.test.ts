import { describe, expect, it } from 'vitest';
import { type ClauseNets, parseNets, weigh, weighBy, writeNets } from './clauseNets.ts';
import { joinMeanings, meaningOf, wordingOf } from './shown.ts';
import { readWords } from './words.ts';

/** Two names, one number of meaning, one hidden unit. */
const nets: ClauseNets = {
  names: ['kin', 'wish'],
  dimensions: 1,
  hidden: 1,
  nets: [
    {
      // Of each input: its weight to the unit, then its own.
      inputs: Float32Array.from([2, 1, -4, -1, 0, 0.5]),
      // What the unit begins with, what it counts, and what every clause begins with.
      ends: Float32Array.from([1, 3, -0.5]),
    },
  ],
};
const meaning = Float32Array.from([2]);

describe('nets weigh a clause', () => {
  it.each([
    [['kin'], 3 * (1 + 2) + 1 + 1 - 0.5],
    // A unit that nothing speaks for is silent.
    [['wish'], 0 - 1 + 1 - 0.5],
    [['kin', 'wish'], 0 + 1 - 1 + 1 - 0.5],
    [['unheard of'], 3 + 1 - 0.5],
  ])('that shows %j', (evidence, weight) => {
    expect(weighBy(nets)({ evidence, meaning })).toBeCloseTo(weight, 5);
  });

  it('by their mean', () => {
    const [net] = nets.nets;
    const lower = { inputs: net?.inputs ?? new Float32Array(), ends: Float32Array.from([1, 3, -2.5]) };
    const both = { ...nets, nets: [...nets.nets, lower] };
    const shown = { evidence: ['kin'], meaning };
    expect(weighBy(both)(shown)).toBeCloseTo(weighBy(nets)(shown) - 1, 5);
  });

  it('as before once they were written and read', () => {
    const read = parseNets(writeNets(nets));
    expect({ ...read, nets: [] }).toEqual({ ...nets, nets: [] });
    for (const evidence of [['kin'], ['wish'], ['kin', 'wish'], []]) {
      const shown = { evidence, meaning };
      expect(weighBy(read)(shown)).toBeCloseTo(weighBy(nets)(shown), 0);
    }
  });

  it('by what the built-in ones were trained on: kin count more than wishes', () => {
    const nothing = joinMeanings(meaningOf(''), meaningOf(''));
    expect(weigh({ evidence: ['kin'], meaning: nothing })).toBeGreaterThan(
      weigh({ evidence: ['wish'], meaning: nothing }),
    );
  });
});

it('the wording of a clause is its words, pairs of them and how it begins, without the numbers', () => {
  const text = 'J’ai 34 ans';
  expect(wordingOf(readWords(text, { start: 0, end: text.length }, 'fr'))).toEqual([
    'word j',
    'word ai',
    'word 0',
    'word ans',
    'pair j ai',
    'pair ai 0',
    'pair 0 ans',
    'opens j ai',
    'opens j ai 0',
  ]);
});

it('the meaning of a text is a unit vector, and that of none is zero', () => {
  const length = (vector: Float32Array) => Math.hypot(...vector);
  expect(length(meaningOf('my sister lives in Leeds'))).toBeCloseTo(1, 4);
  expect(length(meaningOf(''))).toBe(0);
});
