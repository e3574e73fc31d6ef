import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SummaryId } from '../../../shared/ids.ts';
import type { SummaryNode } from '../../storage/summaries.ts';
import { nextRollUp } from './rollUp.ts';

/** A conversation whose turns have so many characters, rolled up as far as it goes after each turn, or only once in the end. */
function rolledUp(lengths: readonly number[], isGradual: boolean): SummaryNode[] {
  const nodes = new Map<SummaryId, SummaryNode>();
  const rollAll = (count: number) => {
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    for (;;) {
      const tops = [...nodes.values()]
        .filter(({ parentId }) => parentId === null)
        .sort((one, other) => (one.numbers[0] ?? 0) - (other.numbers[0] ?? 0));
      const next = nextRollUp(tops, numbers);
      if (!next) return;
      const children = next.children.map((id) => nodes.get(id) as SummaryNode);
      const own = children.flatMap((child) => child.numbers).sort((one, other) => one - other);
      const id = `${next.level}:${own.join(',')}` as SummaryId;
      for (const child of children) child.parentId = id;
      nodes.set(id, {
        id,
        level: next.level,
        parentId: null,
        numbers: own,
        characters: children.reduce((sum, { characters }) => sum + characters, 0),
        madeBy: 'rules',
      });
    }
  };
  for (const [index, characters] of lengths.entries()) {
    const number = index + 1;
    const id = `1:${number}` as SummaryId;
    nodes.set(id, { id, level: 1, parentId: null, numbers: [number], characters, madeBy: 'rules' });
    if (isGradual) rollAll(number);
  }
  rollAll(lengths.length);
  return [...nodes.values()];
}

const tops = (nodes: readonly SummaryNode[]) => nodes.filter(({ parentId }) => parentId === null);

describe('summaries of turns', () => {
  it('are rolled up once there are more than ten, but for the last three turns', () => {
    expect(tops(rolledUp(Array(10).fill(100), true)).every(({ level }) => level === 1)).toBe(true);
    const after = tops(rolledUp(Array(11).fill(100), true));
    expect(after.map(({ level, numbers }) => [level, numbers.length])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
      [2, 8],
    ]);
  });

  it('are rolled up once their turns have more than 5,000 characters', () => {
    expect(tops(rolledUp(Array(5).fill(1_000), true)).every(({ level }) => level === 1)).toBe(true);
    expect(tops(rolledUp(Array(6).fill(1_000), true)).find(({ level }) => level === 2)?.numbers).toEqual([
      1, 2, 3,
    ]);
  });

  it('hold every turn exactly once, whatever their lengths, and so few stand side by side', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9_000 }), { maxLength: 120 }), (lengths) => {
        const nodes = rolledUp(lengths, true);
        const all = tops(nodes).flatMap(({ numbers }) => numbers);
        expect(all.sort((one, other) => one - other)).toEqual(lengths.map((_, index) => index + 1));
        for (const node of nodes.filter(({ level }) => level > 1)) {
          const children = nodes.filter(({ parentId }) => parentId === node.id);
          expect(children.length).toBeGreaterThan(1);
          expect(Math.max(...children.map(({ level }) => level))).toBe(node.level - 1);
          expect(node.characters).toBe(
            node.numbers.reduce((sum, number) => sum + (lengths[number - 1] ?? 0), 0),
          );
        }
        const old = tops(nodes).filter(
          ({ level, numbers }) => level > 1 && (numbers.at(-1) ?? 0) < lengths.length - 9,
        );
        expect(old.length).toBeLessThanOrEqual(2);
      }),
      { numRuns: 100 },
    );
  });
});
