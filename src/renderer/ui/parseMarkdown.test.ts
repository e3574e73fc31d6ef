import MarkdownIt from 'markdown-it';
import { describe, expect, it, test } from 'vitest';
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

describe('a text that no reader would write', () => {
  const LENGTH = 200_000;
  const parser = new MarkdownIt();

  it.each(['[', '![', '[[', '*', '**a', '[a](', '`', '<', '&', '\\\\', '[1,', '~', '_'])(
    'of nothing but %j is shown as it is written, and whole',
    (piece) => {
      const source = `a${piece.repeat(LENGTH / piece.length)}`;
      expect(renderMarkdown(source)).toBe(`<p>${parser.utils.escapeHtml(source)}</p>\n`);
    },
  );

  it.each([
    ['headings', '#\n'],
    ['items', '- a\n'],
    ['quotes', '>\n\n'],
    ['rows', '|1|2|\n'],
  ])('of nothing but %s is shown as it is written', (_, piece) => {
    const source = piece.repeat(LENGTH / piece.length);
    expect(renderMarkdown(source)).toBe(`<pre>${parser.utils.escapeHtml(source)}</pre>\n`);
  });

  it('is nested no deeper than a page can be', () => {
    const deep = (open: string) => open.repeat(LENGTH / open.length);
    for (const source of [deep('> '), deep('- '), deep('1. '), deep('*a _b ')]) {
      const html = renderMarkdown(`${source}x`);
      let depth = 0;
      let deepest = 0;
      for (const [tag] of html.matchAll(/<\/?(?:blockquote|ul|ol|li|em|strong)>/g)) {
        depth += tag.startsWith('</') ? -1 : 1;
        deepest = Math.max(deepest, depth);
      }
      expect(deepest).toBeLessThanOrEqual(200);
    }
  });

  it('takes work in proportion to its length while it grows, and shows all of it', () => {
    let parsed = 0;
    const growing = new GrowingMarkdown((source, env) => {
      parsed += source.length;
      return { starts: [0], html: parser.render(source, env) };
    });
    const words = 'mot '.repeat(LENGTH / 4);
    for (let end = 100; end <= words.length; end += 100) {
      const { settled, last } = growing.update(words.slice(0, end));
      expect(settled).toEqual([]);
      if (end % 10_000 === 0)
        expect(last.replace(/<[^>]+>|\s/g, '')).toBe(words.slice(0, end).replaceAll(' ', ''));
    }
    // The first 20,000 characters at each step; then five times its length at most.
    expect(parsed).toBeLessThan((20_000 / 100) * 20_000 + 6 * LENGTH);
  });
});
