import { describe, expect, it } from 'vitest';
import { countEdits, Spellings } from './spellings.ts';

describe('spellings', () => {
  it.each([
    ['tomat', 'tomatt', 1],
    ['tomat', 'tomta', 1],
    ['jardin', 'jradni', 2],
    ['chaudier', 'chodier', 2],
    ['été', 'ete', 2],
    ['', 'abc', 3],
    ['pomm', 'pomm', 0],
  ])('%s and %s are %i edits apart', (one, other, edits) => {
    expect(countEdits(one, other)).toBe(edits);
    expect(countEdits(other, one)).toBe(edits);
  });

  it('gives what an exhaustive comparison gives, whatever the alphabet', () => {
    const letters = 'abceirtéжш';
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const word = () => Array.from({ length: 2 + random(6) }, () => letters[random(letters.length)]).join('');
    const terms = [...new Set(Array.from({ length: 3_000 }, word))];
    const spellings = new Spellings();
    for (const term of terms) spellings.add(term);
    for (const asked of [...terms.slice(0, 40), 'abba', 'cerise']) {
      for (const most of [1, 2]) {
        const expected = terms.filter((term) => term !== asked && countEdits(asked, term) <= most);
        expect(
          spellings
            .near(asked, most)
            .map(({ term }) => term)
            .sort(),
        ).toEqual(expected.sort());
      }
    }
  });
});
