import { describe, expect, it } from 'vitest';
import { activeParts, NO_PARTS, toFilter } from './searchFilter.ts';

describe('the filter of a search', () => {
  it('asks for nothing while no part is chosen', () => {
    expect(toFilter(NO_PARTS)).toEqual({});
    expect(activeParts(NO_PARTS)).toEqual([]);
  });

  it('includes both of its days, the longer one of a change of the clock too', () => {
    const day = { ...NO_PARTS, from: '2026-10-25', to: '2026-10-25' };
    const { from = 0, to = 0 } = toFilter(day);
    expect(new Date(from).getDate()).toBe(25);
    expect(new Date(to - 1).getDate()).toBe(25);
    expect([new Date(to).getDate(), new Date(to).getHours()]).toEqual([26, 0]);
    expect(activeParts(day)).toEqual(['from', 'to']);
  });

  it('tells summaries of one turn from those of several', () => {
    expect(toFilter({ ...NO_PARTS, kind: 'attachment' })).toEqual({ kinds: ['attachment'] });
    expect(toFilter({ ...NO_PARTS, kind: 'summary' })).toEqual({ kinds: ['summary'], levels: [1] });
    expect(
      toFilter({ ...NO_PARTS, kind: 'summaries', role: 'tool', author: 'Léa', folder: 'Maison' }),
    ).toEqual({
      kinds: ['summary'],
      levels: [2],
      roles: ['tool'],
      author: 'Léa',
      folder: 'Maison',
    });
  });
});
