import { describe, expect, it } from 'vitest';
import type { TurnId } from '../../../shared/ids.ts';
import { BranchTree, type TreeTurn } from './branchTree.ts';

/** A turn after a version of another one: "b" after "a", "c" after the second version of "a". */
function turn(id: string, after: string | null = null, rest: Partial<TreeTurn> = {}): TreeTurn {
  const [parent = null, version = '1'] = after?.split('.') ?? [];
  return {
    id: id as TurnId,
    parentId: parent as TurnId | null,
    parentVersion: parent === null ? null : Number(version),
    activeVersion: 1,
    ordinal: id.charCodeAt(0) - 96,
    picked: 0,
    isForgotten: false,
    ...rest,
  };
}

/** The active path, and the turns of each fork. */
function shape(...turns: TreeTurn[]) {
  const placed = [...new BranchTree(turns).place()];
  const forks = Map.groupBy(
    placed.filter(([, { fork }]) => fork !== null),
    ([, { fork }]) => fork,
  );
  return {
    path: placed.flatMap(([id, { active }]) => (active ? [id] : [])).join(''),
    forks: [...forks].map(([fork, some]) => `${fork}: ${some.map(([id]) => id).join('')}`),
  };
}

describe('the tree of a conversation', () => {
  it('is one path where nothing was said twice', () => {
    expect(shape(turn('a'), turn('b', 'a'), turn('c', 'b'))).toEqual({ path: 'abc', forks: [] });
  });

  it('shows what was picked last of what was said after the same reply, and what was made last of what was never picked', () => {
    const said = [turn('a'), turn('b', 'a'), turn('c', 'b'), turn('d', 'a')];
    expect(shape(...said)).toEqual({ path: 'ad', forks: ['b: bd'] });
    expect(shape(...said.map((one) => (one.id === 'b' ? { ...one, picked: 1 } : one)))).toEqual({
      path: 'abc',
      forks: ['b: bd'],
    });
  });

  it('may have several first turns', () => {
    expect(shape(turn('a'), turn('b', 'a'), turn('c'))).toEqual({ path: 'c', forks: ['a: ac'] });
  });

  it('goes on after the version of a reply that is shown', () => {
    const said = [turn('a', null, { activeVersion: 2 }), turn('b', 'a.1'), turn('c', 'a.2'), turn('d', 'c')];
    expect(shape(...said)).toEqual({ path: 'acd', forks: [] });
  });

  it('shows what was said after a forgotten turn in its place, beside what else was said there', () => {
    const said = [
      turn('a'),
      turn('b', 'a', { isForgotten: true, picked: 1 }),
      turn('c', 'b'),
      turn('d', 'a'),
    ];
    expect(shape(...said)).toEqual({ path: 'ac', forks: ['c: cd'] });
    expect(shape(...said.filter(({ id }) => id !== 'c'))).toEqual({ path: 'ad', forks: [] });
  });

  it('has a turn whose parent is gone follow the one that was made before it', () => {
    expect(shape(turn('a'), turn('c', 'b'), turn('d', 'c'))).toEqual({ path: 'acd', forks: [] });
  });

  it('of ten thousand turns, all but two forgotten, is read', () => {
    const said = Array.from(
      { length: 10_000 },
      (_, place): TreeTurn => ({
        ...turn('a'),
        id: String(place) as TurnId,
        parentId: place === 0 ? null : (String(place - 1) as TurnId),
        parentVersion: place === 0 ? null : 1,
        ordinal: place + 1,
        isForgotten: place > 0 && place < 9_999,
      }),
    );
    expect(shape(...said)).toEqual({ path: '09999', forks: [] });
  });
});
