import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IndexedRow, Postings } from './postings.ts';
import { Terms } from './terms.ts';
import { scoreText, type WeightedTerm } from './textScore.ts';

const FIELDS = ['title', 'heading', 'body'];
const WORDS = ['a', 'b', 'c', 'd', 'e', 'f'];

const stream = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(' '));
const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ put: fc.nat(20), streams: fc.tuple(stream, stream, stream) }) },
  { weight: 2, arbitrary: fc.record({ remove: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.constant('merge' as const) },
  // As many terms as a portion of a merge is to have.
  { weight: 3, arbitrary: fc.record({ some: fc.integer({ min: 1, max: 6 }) }) },
);
const term = fc.record({
  term: fc.constantFrom(...WORDS),
  weight: fc.constantFrom(0.3, 1, 1.3),
  idf: fc.double({ min: 0.1, max: 8, noNaN: true }),
  forms: fc.uniqueArray(fc.tuple(fc.constantFrom(...WORDS, 'absent'), fc.constantFrom(1, 0.8, 0.25)), {
    minLength: 1,
    maxLength: 3,
    selector: ([form]) => form,
  }),
});

const countOf = (text: string) => (text === '' ? 0 : text.split(' ').length);

/** What the index is to say, row by row. */
function expected(rows: ReadonlyMap<number, IndexedRow>, terms: readonly WeightedTerm[]) {
  const lengths = [...rows.values()].map(({ streams }) => countOf(streams[2] as string));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const averageTerms = rows.size > 0 ? Math.max(1, total / rows.size) : 1;
  const saturation = new Map(
    [...rows].map(([rowid, { streams }]) => {
      const [title, heading, body] = streams as [string, string, string];
      const row = { fields: { title, heading, body }, termCount: countOf(body) };
      return [rowid, scoreText(row, terms, { averageTerms }).saturation];
    }),
  );
  return { averageTerms, saturation };
}

describe('Postings', () => {
  it('score what scoring row by row gives, after any writes, deletions and merges', () => {
    fc.assert(
      fc.property(
        fc.array(act, { maxLength: 60 }),
        fc.array(term, { minLength: 1, maxLength: 4 }),
        (acts, terms) => {
          const numbers = new Terms();
          const postings = new Postings(FIELDS, {}, numbers);
          const rows = new Map<number, IndexedRow>();
          for (const one of acts) {
            if (one === 'merge') while (!postings.mergeSome());
            else if ('some' in one) postings.mergeSome(one.some);
            else if ('remove' in one) {
              postings.remove(one.remove);
              rows.delete(one.remove);
            } else {
              const row = { rowid: one.put, streams: one.streams };
              postings.put(row);
              rows.set(one.put, row);
            }
          }
          const { averageTerms, saturation } = expected(rows, terms);
          expect(postings.rows).toBe(rows.size);
          expect(postings.averageTerms).toBeCloseTo(averageTerms, 9);
          for (const word of [...WORDS, 'absent']) {
            const holding = [...rows.values()].filter(({ streams }) =>
              streams.some((text) => text.split(' ').includes(word)),
            );
            expect(postings.documentFrequency(word)).toBe(holding.length);
          }
          const scores = postings.score(terms);
          for (const [rowid, right] of saturation) expect(scores.saturation(rowid)).toBeCloseTo(right, 5);
          expect(scores.saturation(99)).toBeNull();
          for (const [rowid, { streams }] of rows) {
            const held = [...(postings.termsOf(rowid) ?? [])].map((id) => numbers.at(id));
            const words = streams.flatMap((text) => (text === '' ? [] : text.split(' ')));
            expect(held.sort()).toEqual([...new Set(words)].sort());
          }
          expect(postings.termsOf(99)).toBeNull();
          const even = new Set([...rows.keys()].filter((rowid) => rowid % 2 === 0));
          for (const within of [null, even]) {
            const best = scores.best(5, within);
            const right = [...saturation]
              .filter(([rowid, score]) => score > 0 && (within?.has(rowid) ?? true))
              .map(([, score]) => score)
              .sort((one, other) => other - one)
              .slice(0, 5);
            expect(best).toHaveLength(right.length);
            for (const [place, rowid] of best.entries()) {
              expect(saturation.get(rowid)).toBeCloseTo(right[place] as number, 5);
              expect(within?.has(rowid) ?? true).toBe(true);
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  const body = (length: number, from = 0) => Array.from({ length }, (_, word) => `w${from + word}`).join(' ');

  it('are due for a merge once their log is long, and not after it', () => {
    const postings = new Postings(FIELDS);
    for (let rowid = 0; rowid < 1_000; rowid += 1) postings.put({ rowid, streams: ['', '', body(70)] });
    expect(postings.isDue).toBe(true);
    while (!postings.mergeSome());
    expect(postings.isDue).toBe(false);
    expect(postings.logged).toBe(0);
    expect(postings.documentFrequency('w0')).toBe(1_000);
  });

  it('are due once a fifth of many rows was deleted', () => {
    const postings = new Postings(FIELDS);
    for (let rowid = 0; rowid < 10_000; rowid += 1) postings.put({ rowid, streams: ['', '', body(2)] });
    while (!postings.mergeSome());
    for (let rowid = 0; rowid < 2_000; rowid += 1) postings.remove(rowid);
    expect(postings.isDue).toBe(false);
    postings.remove(2_000);
    expect(postings.isDue).toBe(true);
    while (!postings.mergeSome());
    expect(postings.isDue).toBe(false);
    expect(postings.documentFrequency('w0')).toBe(7_999);
  });

  it('take no more room and have no longer log after thousands of updates, if each of them merges a portion', () => {
    const postings = new Postings(FIELDS);
    const rows = 500;
    for (let rowid = 0; rowid < rows; rowid += 1) postings.put({ rowid, streams: ['', '', body(60, rowid)] });
    while (!postings.mergeSome());
    let places = 0;
    let logged = 0;
    for (let update = 0; update < 5_000; update += 1) {
      postings.remove(update);
      postings.put({ rowid: rows + update, streams: ['', '', body(60, update % rows)] });
      if (postings.isDue) postings.mergeSome(2_000);
      places = Math.max(places, postings.places);
      logged = Math.max(logged, postings.logged);
    }
    expect(postings.rows).toBe(rows);
    // A merge begins after 65,536 terms, which are those of 1,093 rows, and takes 48 updates.
    expect(places).toBeLessThan(4 * rows);
    expect(logged).toBeLessThan(1.1 * 65_536);
    expect(postings.documentFrequency('w59')).toBe(60);
    expect(postings.termsOf(rows + 4_999)).toHaveLength(60);
  });
});
