import { describe, expect, it } from 'vitest';
import type { TurnBeside } from '../lexical/knownRows.ts';
import { gainsBeside } from './neighbours.ts';

const pair = (rowid: number, beside: number): TurnBeside => ({
  rowid,
  beside,
  distance: Math.abs(rowid - beside),
});
const scoring = (saturations: Record<number, number>) => ({
  saturation: (rowid: number) => saturations[rowid] ?? null,
  best: () => [],
});
const shares = { next: 0.4, second: 0.25 };

describe('gainsBeside', () => {
  it('adds a share of the better neighbour at either distance, and names the one that adds most', () => {
    const pairs = [pair(3, 1), pair(3, 2), pair(3, 4), pair(3, 5)];
    const gains = gainsBeside(pairs, scoring({ 1: 0.8, 2: 0.1, 4: 0.2 }), shares);
    expect(gains.get(3)?.added).toBeCloseTo(0.25 * 0.8 + 0.4 * 0.2);
    expect(gains.get(3)?.by).toBe(1);
  });

  it('adds nothing where no neighbour holds a word of the question', () => {
    expect(gainsBeside([pair(1, 2)], scoring({ 1: 0.9, 2: 0 }), shares).size).toBe(0);
  });
});
