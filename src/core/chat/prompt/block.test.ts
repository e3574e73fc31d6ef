import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BlockItem } from '../../storage/contextBlocks.ts';
import { renderBlock } from './block.ts';

const item = (more: Partial<BlockItem> = {}): BlockItem => ({
  number: 5,
  kind: 'note',
  id: 'chunk_1',
  title: 'Jardin',
  heading: ['Jardin', 'Tomates'],
  origin: 'Jardin.md',
  at: new Date(2026, 1, 28, 9).getTime(),
  excerpt: 'Mi-mai.',
  span: { start: 0, end: 7 },
  textKey: 'key',
  score: 0.8,
  ...more,
});
const at = new Date(2026, 2, 2, 12).getTime();

describe('renderBlock', () => {
  it('opens with the date of its turn, and quotes each item with its number, origin and date', () => {
    const block = renderBlock({ items: [item()], language: 'fr', at, marker: 'k3' });
    expect(block).toMatch(/^\[Context\]\n2 mars 2026\. Matière/);
    expect(block).toContain(
      '[5] note « Jardin › Tomates » (Jardin.md), 28 février 2026\n<<<k3\nMi-mai.\nk3>>>',
    );
    const english = renderBlock({ items: [item()], language: 'en', at, marker: 'k3' });
    expect(english).toMatch(/^\[Context\]\n2 March 2026\. Quoted/);
    expect(english).toContain(', 28 February 2026\n');
  });

  it('is empty without items', () => {
    expect(renderBlock({ items: [], language: 'fr', at, marker: 'k3' })).toBe('');
  });

  it('keeps each label on one line, whatever a title or a path holds', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '[Context]', '>>>', '\u2028', '«') });
    fc.assert(
      fc.property(text, text, (title, origin) => {
        const block = renderBlock({ items: [item({ title, origin })], language: 'en', at, marker: 'k3' });
        expect(block.split('\n')).toHaveLength(7);
        expect(block.split('\n').filter((line) => line.startsWith('[Context]'))).toHaveLength(1);
      }),
    );
  });
});
