import { describe, expect, it } from 'vitest';
import { DuePaths } from './duePaths.ts';

describe('DuePaths', () => {
  it('takes each path once, those that seem gone first', () => {
    const due = new DuePaths();
    due.add('b.md');
    due.add('a.md');
    due.add('b.md');
    due.addGone('z.md');
    due.addGone('a.md');
    expect(due.size).toBe(3);
    expect(due.take(2)).toEqual(['z.md', 'a.md']);
    expect(due.take(2)).toEqual(['b.md']);
    expect(due.take(2)).toEqual([]);
  });

  it('makes a path due again that changes after it was taken', () => {
    const due = new DuePaths();
    due.addGone('a.md');
    expect(due.take(5)).toEqual(['a.md']);
    due.add('a.md');
    expect(due.take(5)).toEqual(['a.md']);
    due.add('b.md');
    due.clear();
    expect(due.size).toBe(0);
  });
});
