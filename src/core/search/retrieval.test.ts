import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginning, makeExcerpt } from './excerpt.ts';
import { idf, scoreText } from './lexical/textScore.ts';
import { readQuestion } from './query/question.ts';

describe('readQuestion', () => {
  it('weighs names more and function words less', () => {
    const { weights } = readQuestion('Où habite David depuis le déménagement ?');
    expect(weights.get('david')).toBe(1.3);
    expect(weights.get('demenag')).toBe(1);
    expect(weights.get('depuis·')).toBe(0.3);
    expect(weights.get('ou·')).toBe(0.3);
  });
});

describe('scoreText', () => {
  const terms = [
    { term: 'a', weight: 1, idf: idf(100, 2), forms: [['a', 1]] as const },
    { term: 'b', weight: 1, idf: idf(100, 50), forms: [['b', 1]] as const },
  ];
  const score = (body: string, title = '') =>
    scoreText({ fields: { title, body }, termCount: 4 }, terms, { averageTerms: 4 });

  it('prefers rare terms, titles, and more of the question', () => {
    expect(score('a x x x').bm25).toBeGreaterThan(score('b x x x').bm25);
    expect(score('x x x x', 'a').bm25).toBeGreaterThan(score('a x x x').bm25);
    expect(score('a b x x').saturation).toBeGreaterThan(score('a x x x').saturation);
    expect(score('x x x x')).toEqual({ bm25: 0, saturation: 0 });
  });
});

describe('makeExcerpt', () => {
  const { weights } = readQuestion('Quand planter les tomates ?');

  it('takes the sentences that say most, whole, and marks the matches', () => {
    const text = `${'Phrase sans rapport. '.repeat(20)}On plante les tomates en mai. ${'Autre chose. '.repeat(40)}`;
    const { text: excerpt, marks } = makeExcerpt(text, weights, 100);
    expect(excerpt).toContain('On plante les tomates en mai.');
    expect(marks.map(({ start, end }) => excerpt.slice(start, end))).toEqual(['plante', 'tomates']);
  });

  it('marks what it says, within the length asked for, whatever the text', () => {
    const words = fc.constantFrom('tomates', 'planter', 'a', 'été.', 'Oui !', '\n', 'x'.repeat(90), '😀');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 150 }), fc.integer({ min: 40, max: 300 }), (parts, max) => {
        const { text, marks } = makeExcerpt(parts.join(' '), weights, max);
        expect(text.length).toBeLessThanOrEqual(max + 4);
        for (const { start, end } of marks) expect(text.slice(start, end)).toMatch(/^(tomates|planter)$/);
      }),
    );
  });
});

describe('beginning', () => {
  it('takes the first words of a text, and all of a short one', () => {
    expect(beginning('On plante les tomates. ', 100)).toEqual({
      text: 'On plante les tomates.',
      span: { start: 0, end: 22 },
      marks: [],
    });
    const text = 'On plante les tomates en mai, après les saints de glace.';
    const { text: excerpt, span } = beginning(text, 24);
    expect(excerpt).toBe('On plante les tomates …');
    expect(text.slice(span.start, span.end)).toBe('On plante les tomates');
    expect(beginning('x'.repeat(50), 20).text).toBe(`${'x'.repeat(18)} …`);
  });
});
