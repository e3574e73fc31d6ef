import { describe, expect, it } from 'vitest';
import { countTerms, termStream } from '../../support/text/tokenise.ts';
import { type AttachedFile, bestSections, type ChosenSection, chooseSections } from './attached.ts';

const file = (ordinal: number, texts: readonly string[]): AttachedFile => ({
  ordinal,
  sections: texts.map((text, place) => ({
    item: {
      kind: 'attachment',
      id: `${ordinal}.${place + 1}`,
      title: `f${ordinal}.txt`,
      heading: [],
      origin: '',
      place: null,
      at: 0,
      excerpt: text,
      span: { start: 0, end: text.length },
      textKey: text,
    },
    fields: { title: '', body: termStream(text) },
    termCount: countTerms(termStream(text)),
  })),
});
/** One token for each word, and one for what stands around a section. */
const tokensOf = (items: readonly ChosenSection[]) =>
  items.reduce((sum, { excerpt }) => sum + 1 + excerpt.split(/\s+/).length, 0);
const choose = (files: readonly AttachedFile[], question: string, limit: number) =>
  chooseSections(files, { question, limit, tokensOf });
const ids = (items: readonly ChosenSection[]) => items.map(({ id }) => id);

const FILL = 'mot '.repeat(9).trim();
const LONG = file(1, [
  `introduction ${FILL}`,
  `le toit en zinc ${FILL}`,
  `la chaudière ${FILL}`,
  `le zinc du toit se soude ${FILL}`,
]);

describe('what of attachments goes into a prompt', () => {
  it('is everything, in order, if it fits', () => {
    const both = [file(1, ['a b c', 'd e f']), file(2, ['g'])];
    const all = choose(both, 'g', tokensOf(choose(both, 'g', 1_000)));
    expect(all.map(({ id, attached }) => [id, attached])).toEqual([
      ['1.1', 1],
      ['1.2', 1],
      ['2.1', 2],
    ]);
  });

  it('is what answers best, in the order of the file, and never more than fits', () => {
    expect(ids(choose([LONG], 'Comment souder le zinc du toit ?', 32))).toEqual(['1.2', '1.4']);
    expect(ids(choose([LONG], 'Comment souder le zinc du toit ?', 18))).toEqual(['1.4']);
    for (let limit = 0; limit < 70; limit += 1)
      expect(tokensOf(choose([LONG], 'le zinc', limit))).toBeLessThanOrEqual(limit);
  });

  it('is the beginning for a question that names nothing of it', () => {
    expect(ids(choose([LONG], 'Résume ce document.', 26))).toEqual(['1.1', '1.2']);
  });

  it('is the beginning of the best section where not even that fits, visibly cut', () => {
    const one = file(1, [`zinc ${'et encore du métal '.repeat(30)}`]);
    const [cut] = choose([one], 'zinc', 20);
    expect(cut?.excerpt).toMatch(/^zinc et encore .* \[…\]$/);
    expect(cut?.span.end).toBe((cut?.excerpt.length ?? 0) - ' […]'.length);
  });

  it('leaves a small file whole beside a large one, and shares what is left', () => {
    const chosen = choose([LONG, file(2, ['pain lait', 'beurre'])], 'le zinc du toit', 30);
    expect(ids(chosen).filter((id) => id.startsWith('2.'))).toEqual(['2.1', '2.2']);
    expect(ids(chosen)).toContain('1.2');
    expect(tokensOf(chosen)).toBeLessThanOrEqual(30);
  });

  it('is for an answerer without a model what says something of the question, best first', () => {
    const best = bestSections([LONG], { question: 'souder le zinc', limit: 2, minScore: 0.5 });
    expect(ids(best)).toEqual(['1.4', '1.2']);
    expect(best.every(({ score }) => score >= 0.5)).toBe(true);
    expect(ids(bestSections([LONG], { question: 'Résume.', limit: 2, minScore: 0.5 }))).toEqual([
      '1.1',
      '1.2',
    ]);
  });
});
