import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkNote, MAX_CHARACTERS } from './chunkNote.ts';
import { parseNote } from './obsidian/parseNote.ts';

const chunk = (content: string, path = 'Dossier/Une note.md') =>
  chunkNote('n1', path, parseNote(path, content));
const shape = (content: string) =>
  chunk(content).chunks.map(({ heading, markdown, startLine, endLine }) => [
    heading,
    markdown,
    startLine,
    endLine,
  ]);

describe('chunkNote', () => {
  it('follows headings, with the path down to each and the lines it stands on', () => {
    expect(shape('---\na: 1\n---\nIntro.\n\n# Un\n\nTexte.\n\n## Deux\n\nSuite.\n\n# Trois\n\nFin.')).toEqual(
      [
        [[], 'Intro.', 4, 4],
        [['Un'], 'Texte.', 8, 8],
        [['Un', 'Deux'], 'Suite.', 12, 12],
        [['Trois'], 'Fin.', 16, 16],
      ],
    );
  });

  it('takes no heading from code, nor from front matter', () => {
    expect(shape('# A\n\n```\n# pas un titre\n```')).toEqual([[['A'], '```\n# pas un titre\n```', 3, 5]]);
  });

  it('keeps a heading that stands alone, and a note that is only a title', () => {
    expect(shape('# A\n\n## Vide\n\n# B\n\nTexte.').map(([heading]) => heading)).toEqual([
      ['A', 'Vide'],
      ['B'],
    ]);
    expect(shape('')).toEqual([[[], '', 1, 1]]);
    expect(chunk('').titleTerms).toContain('not');
  });

  it('loses no word and cuts nothing too long, whatever the note', () => {
    const word = fc.stringMatching(/^[a-zé]{1,12}$/);
    const block = fc.oneof(
      fc.array(word, { minLength: 1, maxLength: 400 }).map((words) => words.join(' ')),
      fc
        .array(word, { minLength: 1, maxLength: 120 })
        .map((words) => words.map((one) => `- ${one}`).join('\n')),
      word.map((one) => `## ${one}`),
      word.map((one) => `\`\`\`\n${`${one}\n`.repeat(200)}\`\`\``),
      fc.stringMatching(/^[a-z]{1,3}$/).map((one) => one.repeat(1_500)),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 12 }), (blocks) => {
        const { chunks } = chunk(blocks.join('\n\n'));
        for (const { markdown, startLine, endLine } of chunks) {
          expect(markdown.length).toBeLessThanOrEqual(MAX_CHARACTERS);
          expect(endLine).toBeGreaterThanOrEqual(startLine);
        }
        const letters = (text: string) => text.replace(/[^a-zé]/g, '').length;
        const kept = chunks.reduce((sum, one) => sum + letters(one.markdown), 0);
        const headings = blocks
          .filter((one) => one.startsWith('## '))
          .reduce((sum, one) => sum + letters(one), 0);
        const all = blocks.reduce((sum, one) => sum + letters(one), 0);
        expect(kept).toBeGreaterThanOrEqual(all - headings);
      }),
      { numRuns: 60 },
    );
  });

  it('gives a passage the same id wherever it moves, and another once it changes', () => {
    const ids = (content: string) => chunk(content).chunks.map((one) => one.id);
    const [a, b] = ids('# A\n\nun\n\n# B\n\ndeux');
    expect(ids('# Z\n\nzéro\n\n# A\n\nun\n\n# B\n\ndeux').slice(1)).toEqual([a, b]);
    expect(ids('# A\n\nun peu\n\n# B\n\ndeux')[0]).not.toBe(a);
    expect(new Set(ids('# A\n\nun\n\n# A\n\nun')).size).toBe(2);
  });
});
