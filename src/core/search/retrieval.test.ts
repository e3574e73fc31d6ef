import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatContextBlock, relativeDate } from './contextBlock.ts';
import { makeExcerpt } from './excerpt.ts';
import { idf, scoreText } from './lexical/textScore.ts';
import { readQuestion } from './query/question.ts';
import { type Comparable, type Selectable, select } from './select.ts';

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

describe('select', () => {
  const candidate = (id: string, score: number, more: Partial<Selectable> = {}): Selectable => ({
    id,
    kind: 'note',
    score,
    tokens: 100,
    text: id,
    vector: undefined,
    echo: false,
    standing: null,
    expired: false,
    originTurn: null,
    ...more,
  });
  const rules = {
    minScore: 0.5,
    maxResults: 2,
    maxInjected: 20,
    tokenBudget: 250,
    carried: new Map([['shown', 1]]),
    buffer: [{ turn: 2, text: 'what was said', vector: undefined }],
    dedupThreshold: 0.85,
    similarity: (one: Comparable, other: Comparable) =>
      one.text.startsWith('nearly ') && one.text.endsWith(other.text) ? 0.91 : 0,
  };
  const verdicts = (candidates: Selectable[]) =>
    Object.fromEntries([...select(candidates, rules)].map(([id, decision]) => [id, decision.verdict]));

  it('gives every candidate its verdict, in the order of the rules', () => {
    expect(
      verdicts([
        candidate('best', 0.9),
        candidate('shown', 0.85, { kind: 'turn' }),
        candidate('twin', 0.8, { text: 'best' }),
        candidate('near', 0.8, { text: 'nearly best' }),
        candidate('said', 0.8, { text: 'nearly what was said' }),
        candidate('pinned', 0.1, { standing: 'pinned', tokens: 10 }),
        candidate('echo', 0.8, { kind: 'turn', echo: true }),
        candidate('big', 0.75, { tokens: 200 }),
        candidate('second', 0.7),
        candidate('third', 0.6),
        candidate('low', 0.4),
      ]),
    ).toEqual({
      best: 'injected',
      shown: 'in-window',
      twin: 'similar',
      near: 'similar',
      said: 'similar',
      pinned: 'injected',
      echo: 'similar',
      big: 'over-budget',
      second: 'injected',
      third: 'over-limit',
      low: 'below-minimum',
    });
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

describe('formatContextBlock', () => {
  const now = new Date(2024, 2, 2, 12).getTime();
  it('quotes each item between fences, with its origin and a relative date', () => {
    const at = new Date(2024, 1, 28).getTime();
    const item = {
      kind: 'note' as const,
      title: 'Jardin',
      heading: ['Jardin', 'Tomates'],
      origin: 'Jardin.md',
      at,
      excerpt: 'Mi-mai.',
    };
    const block = formatContextBlock([item], { language: 'fr', now, marker: 'k3' });
    expect(block).toMatch(/^\[Context\]\n/);
    expect(block).toContain('« Jardin › Tomates » (Jardin.md), il y a 3 jours\n<<<k3\nMi-mai.\nk3>>>');
    expect(formatContextBlock([], { language: 'fr', now, marker: 'k3' })).toBe('');
  });

  it.each([
    ['fr', new Date(2024, 2, 1), 'hier'],
    ['en', new Date(2024, 2, 1), 'yesterday'],
    ['en', new Date(2024, 1, 3), 'on 3 February'],
    ['fr', new Date(2023, 1, 3), 'le 3 février 2023'],
  ] as const)('dates in %s', (language, date, text) => {
    expect(relativeDate(date.getTime(), { language, now })).toBe(text);
  });
});
