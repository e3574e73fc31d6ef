import { describe, expect, it } from 'vitest';
import { conversationAbout, madeUpNotes } from '../support/madeUpVault.ts';
import { prefixShares, startsWithWhole } from '../support/recordedPrompts.ts';

const prompt = (...contents: string[]) => ({
  messages: contents.map((content, index) => ({ role: index === 0 ? 'system' : 'user', content })),
});

describe('what a prefix cache keeps of recorded prompts', () => {
  it('is all of a prompt that the next one begins with', () => {
    expect(startsWithWhole(prompt('a', 'b'), prompt('a', 'b', 'c'))).toBe(true);
    expect(startsWithWhole(prompt('a', 'b'), prompt('a', 'b'))).toBe(true);
    expect(prefixShares([prompt('a', 'b'), prompt('a', 'b', 'c'), prompt('a', 'b', 'c', 'd')])).toEqual([
      1, 1,
    ]);
  });

  it('ends at the first message that differs, a longer one or another role included', () => {
    expect(startsWithWhole(prompt('a', 'b'), prompt('a', 'b and more'))).toBe(false);
    expect(startsWithWhole(prompt('a', 'b'), prompt('a'))).toBe(false);
    const other = prompt('a', 'b');
    other.messages[1] = { role: 'assistant', content: 'b' };
    expect(startsWithWhole(prompt('a', 'b'), other)).toBe(false);
    const [share] = prefixShares([prompt('a'.repeat(900), 'b'.repeat(900)), prompt('a'.repeat(900), 'c')]);
    expect(share).toBeCloseTo(0.5, 1);
    expect(prefixShares([prompt('a', 'b'), prompt('x', 'b')])).toEqual([0]);
  });
});

describe('a made-up vault', () => {
  it('and the questions about it are the same for the same seed', () => {
    const notes = madeUpNotes(20, 4);
    expect(madeUpNotes(20, 4)).toEqual(notes);
    expect(madeUpNotes(20, 5)).not.toEqual(notes);
    expect(Object.keys(notes)).toHaveLength(20);
    const questions = conversationAbout(notes, 40, 9);
    expect(conversationAbout(notes, 40, 9)).toEqual(questions);
    expect(questions).toHaveLength(40);
    expect(new Set(questions).size).toBeGreaterThan(15);
  });
});
