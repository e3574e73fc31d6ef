import { describe, expect, it } from 'vitest';
import { LARGE } from './largeNotes.ts';
import type { ParseFigures } from './parseInChild.ts';
import { runParseChild } from './runParseChild.ts';

const MOST_MB = 256;

function check({ notes, parsed, aside, overIdleMb }: ParseFigures): void {
  expect(overIdleMb).toBeLessThanOrEqual(MOST_MB);
  expect(parsed + Object.values(aside).reduce((sum, one) => sum + one, 0)).toBe(notes);
}

describe('a process that parses', () => {
  it.each(Object.keys(LARGE))(
    'takes no more than 256 MB over what it takes at rest, for a note of: %s',
    async (name) => {
      const figures = await runParseChild('large', name);
      check(figures);
      expect(figures.notes).toBe(1);
      // What is not parsed has a reason that is told; on a slow machine it is the time.
      for (const reason of Object.keys(figures.aside))
        expect(['parse-timeout', 'parse-memory']).toContain(reason);
    },
  );

  it('sets a note aside that would take more, and says why', async () => {
    const { aside } = await runParseChild('large', 'paragraphs');
    expect(aside['parse-memory'] ?? aside['parse-timeout']).toBe(1);
  });

  it('parses notes made by chance or says why not, and goes on', async () => {
    const figures = await runParseChild('notes', '1', '150');
    check(figures);
    expect(figures.notes).toBe(150);
  });
});
