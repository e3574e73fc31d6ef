import { expect, it } from 'vitest';
import { seeded } from '../../../../test/support/seeded.ts';
import { dot, loadWordVectors } from '../../embedding/wordVectors.ts';
import { Terms } from '../lexical/terms.ts';
import { MaxSim } from './maxSim.ts';

interface Term {
  term: string;
  weight: number;
  idf: number;
}

const vectors = loadWordVectors();
const WORDS = 'jardin garden tomat plant bat boat reunion meet vend frid the· le· 42 xylophon'.split(' ');

const idsOf = (terms: Terms, streams: readonly string[]) =>
  Uint32Array.from(
    streams.flatMap((stream) => (stream === '' ? [] : stream.split(' '))),
    (term) => terms.idOf(term),
  );

/** The definition, word by word. */
function plainly(terms: readonly Term[], streams: readonly string[]): number {
  const words = streams.flatMap((stream) => (stream === '' ? [] : stream.split(' ')));
  const cosine = (one: string, other: string) => dot(vectors.term(one).unit, vectors.term(other).unit);
  const worth = terms.reduce((sum, { weight, idf }) => sum + weight * idf, 0);
  if (worth === 0) return 0;
  const found = terms.map(
    ({ term, weight, idf }) => weight * idf * Math.max(0, ...words.map((word) => cosine(term, word))),
  );
  return found.reduce((sum, one) => sum + one, 0) / worth;
}

it('gives each part of a question the cosines of its nearest words, also while questions take turns', () => {
  const random = seeded(11);
  const some = (most: number) =>
    Array.from(
      { length: Math.floor(random() * (most + 1)) },
      () => WORDS[Math.floor(random() * WORDS.length)] as string,
    );
  const terms = new Terms();
  const maxSim = new MaxSim(vectors, terms);
  const questions = Array.from({ length: 20 }, () => {
    const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
      [...new Set(some(6))].map((term): Term => ({ term, weight: random(), idf: random() * 5 })),
    );
    return { parts, similarity: maxSim.of(parts) };
  });
  for (let round = 0; round < 15; round += 1) {
    for (const { parts, similarity } of questions) {
      const streams = [some(3).join(' '), some(30).join(' ')];
      const found = similarity(idsOf(terms, streams));
      expect(found).toHaveLength(parts.length);
      for (const [index, part] of parts.entries()) {
        expect(found[index]).toBeCloseTo(plainly(part, streams), 5);
      }
    }
  }
});

it('takes a question of more words than its memory begins with, and passages of many', () => {
  const many = Array.from({ length: 700 }, (_, index) => `word${index}`);
  const parts = [many.slice(0, 64).map((term) => ({ term, weight: 1, idf: 2 }))];
  const terms = new Terms();
  const similarity = new MaxSim(vectors, terms).of(parts);
  const streams = [many.slice(50).join(' ')];
  const ids = idsOf(terms, streams);
  expect(similarity(ids)[0]).toBeCloseTo(plainly(parts[0] as Term[], streams), 5);
  expect(similarity(ids)[0]).toBe(similarity(ids)[0]);
});
