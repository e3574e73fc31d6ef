import MarkdownIt from 'markdown-it';
import { expect, test } from 'vitest';
import { GrowingMarkdown, renderMarkdown } from './parseMarkdown.ts';

const TEXT = [
  '## Titre',
  'Un paragraphe **en gras**,\nsur deux lignes.',
  '- un\n- deux\n\n  suite de deux\n- trois',
  '1. premier\n2. second',
  '| a | b |\n| - | - |\n| 1 | 2 |',
  '```\ncode(1)\n\ncode(2)\n```',
  '> citation\n> suite',
  '    indenté\n\n    encore',
  'Souligné\n===',
  '[lien]: https://exemple.fr',
  'Un [lien] et [[Note|une note]].',
  '***',
  'Fin.',
].join('\n\n');

const joined = ({ settled, last }: { settled: readonly string[]; last: string }) => settled.join('') + last;

test('a text that grows a character at a time reads as the whole text does', () => {
  const growing = new GrowingMarkdown();
  for (let end = 1; end <= TEXT.length; end += 1) {
    expect(joined(growing.update(TEXT.slice(0, end)))).toBe(renderMarkdown(TEXT.slice(0, end)));
  }
});

test('only the last block is parsed again: the work grows with the text, not with its square', () => {
  const parser = new MarkdownIt();
  let parsed = 0;
  const growing = new GrowingMarkdown((source, env) => {
    parsed += source.length;
    const tokens = parser.parse(source, env);
    return {
      starts: tokens.flatMap(({ level, nesting, map }) =>
        level === 0 && nesting >= 0 && map ? [map[0]] : [],
      ),
      html: source,
    };
  });
  const paragraph = `${'mot '.repeat(50)}\n\n`;
  const text = paragraph.repeat(200);
  const step = 20;
  for (let end = step; end <= text.length; end += step) growing.update(text.slice(0, end));
  // A paragraph is parsed once for each step within it, and a few times more when the next one begins.
  const steps = paragraph.length / step;
  expect(parsed).toBeLessThanOrEqual(text.length * (steps + 3));
});

test('a text that is replaced is read from its beginning', () => {
  const growing = new GrowingMarkdown();
  growing.update('# Un\n\nDeux\n\nTrois');
  expect(joined(growing.update('Autre'))).toBe(renderMarkdown('Autre'));
});
