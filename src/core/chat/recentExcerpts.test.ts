import { describe, expect, it } from 'vitest';
import { RecentExcerpts } from './recentExcerpts.ts';

describe('excerpts of citations', () => {
  const counted = () => {
    let read = 0;
    const item = (markdown: string) => ({
      markdown,
      plain: () => {
        read += 1;
        return markdown;
      },
    });
    return { item, read: () => read };
  };

  it('are made once for a question and a text', () => {
    const { item, read } = counted();
    const excerpts = new RecentExcerpts();
    const first = excerpts.get('tomates ?', item('Les tomates se plantent en mai.'));
    expect(first.text).toBe('Les tomates se plantent en mai.');
    expect(excerpts.get('tomates ?', item('Les tomates se plantent en mai.'))).toBe(first);
    expect(read()).toBe(1);
    expect(excerpts.get('mai ?', item('Les tomates se plantent en mai.')).marks).not.toEqual(first.marks);
    expect(excerpts.get('tomates ?', item('Les tomates se plantent en juin.')).text).toContain('juin');
    expect(read()).toBe(3);
  });

  it('are dropped once many others were used since', () => {
    const { item, read } = counted();
    const excerpts = new RecentExcerpts();
    excerpts.get('?', item('Utilisé souvent'));
    excerpts.get('?', item('Utilisé une fois'));
    for (let number = 0; number < 999; number += 1) {
      excerpts.get('?', item(`Texte ${number}`));
      excerpts.get('?', item('Utilisé souvent'));
    }
    expect(read()).toBe(1_001);
    excerpts.get('?', item('Utilisé souvent'));
    expect(read()).toBe(1_001);
    excerpts.get('?', item('Utilisé une fois'));
    expect(read()).toBe(1_002);
  });
});
