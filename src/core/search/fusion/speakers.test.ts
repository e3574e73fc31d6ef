import { describe, expect, it } from 'vitest';
import { readSpeakers } from './speakers.ts';

const term = (name: string, weight = 1) => ({ term: name, weight, idf: 1, forms: [[name, 1]] as const });

describe('readSpeakers', () => {
  it('tells whether somebody speaks whom the question names, by any of their names', () => {
    const speakers = readSpeakers(
      [
        { rowid: 1, author: 'Anna Blum', asks: 0 },
        { rowid: 2, author: 'Ben', asks: 0 },
        { rowid: 2, author: null, asks: 0 },
        { rowid: 3, author: 'The', asks: 0 },
      ],
      [term('blum', 1.3), term('bought'), term('the·', 0.3)],
    );
    expect([...speakers].map(([rowid, { isNamed }]) => [rowid, isNamed])).toEqual([
      [1, true],
      [2, false],
      [3, false],
    ]);
  });

  it('takes a turn for one that only asks if every message of it does', () => {
    const speakers = readSpeakers(
      [
        { rowid: 1, author: 'Anna', asks: 1 },
        { rowid: 2, author: 'Anna', asks: 1 },
        { rowid: 2, author: 'Ben', asks: 0 },
      ],
      [],
    );
    expect(speakers.get(1)?.onlyAsks).toBe(true);
    expect(speakers.get(2)?.onlyAsks).toBe(false);
  });
});
