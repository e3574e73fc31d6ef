import { describe, expect, it } from 'vitest';
import { parseNote } from '../../src/core/vaults/obsidian/parseNote.ts';
import { Dice } from '../support/seeded.ts';
import { checkNote } from './checkNote.ts';
import { corpus, mutate } from './generator.ts';

const SEEDS = 400;

describe('a note made by chance', () => {
  it.each([
    ['note.md', 'notes'],
    ['board.canvas', 'canvas'],
  ])('is parsed, cut and tokenised as every %s must be', (path, name) => {
    const seeds = corpus(name);
    for (const text of seeds) checkNote(path, text);
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const text = mutate(new Dice(seed), seeds, 40_000);
      try {
        checkNote(path, text);
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
  });

  it('keeps the keys of its properties from what they name', () => {
    const note = parseNote('a.md', '---\n__proto__:\n  tags: [x]\nconstructor: y\ntoString: z\n---\nTexte.');
    expect(note.tags).toEqual([]);
    expect(note.properties).toEqual(['y', 'z']);
  });

  it('may have a heading as long as a book, which its passages do not carry along', () => {
    const long = 'Un titre sans fin. '.repeat(100_000);
    const paragraphs = Array.from(
      { length: 500 },
      (_, index) => `Paragraphe ${index}. ${'mot '.repeat(300)}`,
    );
    for (const content of [`# ${long}`, `# ${long}\n\n${paragraphs.join('\n\n')}`]) {
      checkNote('a.md', content);
      for (const { heading } of parseNote('a.md', content).sections) expect(heading[0]?.length).toBe(500);
    }
  });

  it('may be a canvas with more links than a function takes arguments', () => {
    const card = { type: 'text', text: '[[a]] #b\n'.repeat(150_000) };
    expect(() => checkNote('a.canvas', JSON.stringify({ nodes: [card] }))).not.toThrow();
  });
});
