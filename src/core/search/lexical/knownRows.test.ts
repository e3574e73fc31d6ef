import { describe, expect, it } from 'vitest';
import { seeded } from '../../../../test/support/seeded.ts';
import { KnownRows, type TurnBeside } from './knownRows.ts';

const turn = (rowid: number, ordinal: number, conversationId = 'conv_a') => ({
  rowid,
  id: `turn_${rowid}`,
  createdAt: rowid,
  conversationId,
  ordinal,
});
const inOrder = (pairs: readonly TurnBeside[]) =>
  pairs
    .map(({ rowid, beside, distance }) => `${rowid} ${beside} ${distance}`)
    .sort((one, other) => one.localeCompare(other));

describe('KnownRows', () => {
  it('knows which turns stand beside one another, two apart at most, within their conversation', () => {
    const rows = new KnownRows();
    for (const ordinal of [0, 1, 2, 3, 4]) rows.put(turn(10 + ordinal, ordinal));
    rows.put(turn(30, 2, 'conv_b'));
    expect(inOrder(rows.beside([12], undefined))).toEqual(['12 10 2', '12 11 1', '12 13 1', '12 14 2']);
    expect(inOrder(rows.beside([12], 13))).toEqual(['12 10 2', '12 11 1', '12 14 2']);
    expect(rows.beside([30], undefined)).toEqual([]);
  });

  it('is, after random changes, what it would be if it were filled anew', () => {
    const random = seeded(5);
    for (let round = 0; round < 50; round += 1) {
      const rows = new KnownRows();
      const now = new Map<string, ReturnType<typeof turn>>();
      for (let change = 0; change < 200; change += 1) {
        const ordinal = Math.floor(random() * 12);
        const conversation = `conv_${Math.floor(random() * 3)}`;
        const place = `${conversation} ${ordinal}`;
        const stands = now.get(place);
        if (random() < 0.3) {
          if (stands) rows.remove(stands.rowid);
          now.delete(place);
          continue;
        }
        // Another branch takes the place of a turn, or a turn moves to a free one.
        const moved = [...now].find(([, { rowid }]) => rowid === change % 20);
        if (moved) {
          now.delete(moved[0]);
          rows.remove(moved[1].rowid);
        }
        if (now.get(place)) rows.remove((now.get(place) as { rowid: number }).rowid);
        const row = turn(change % 20, ordinal, conversation);
        now.set(place, row);
        rows.put(row);
      }
      const anew = new KnownRows();
      for (const row of now.values()) anew.put(row);
      const rowids = [...now.values()].map(({ rowid }) => rowid);
      expect(inOrder(rows.beside(rowids, undefined))).toEqual(inOrder(anew.beside(rowids, undefined)));
      for (let rowid = 0; rowid < 20; rowid += 1) {
        expect(rows.get(rowid)).toEqual(anew.get(rowid));
        expect(rows.rowid(`turn_${rowid}`)).toBe(anew.rowid(`turn_${rowid}`));
      }
    }
  });
});
