import { describe, expect, it } from 'vitest';
import { termOf } from '../../support/text/tokenise.ts';
import { loadRelatedWords, parseRelatedWords } from './relatedWords.ts';

describe('parseRelatedWords', () => {
  it('relates forms and synonyms both ways, and a wider word to narrower ones only', () => {
    const related = parseRelatedWords('# animals\n= mouse mice\n~ dog hound\n≈ hound cur\n> pet dog mouse\n');
    expect(related.get('mous')).toEqual([['mic', 0.8]]);
    expect(related.get('mic')).toEqual([['mous', 0.8]]);
    expect(related.get('hound')).toEqual([
      ['dog', 0.5],
      ['cur', 0.3],
    ]);
    expect(related.get('pet')).toEqual([
      ['dog', 0.3],
      ['mous', 0.3],
    ]);
    expect(related.get('dog')).toEqual([['hound', 0.5]]);
  });

  it('takes the closer of two relations, and leaves function words out', () => {
    const related = parseRelatedWords('> fly flew\n= fly flew\n~ fly été\n');
    expect(related.get(termOf('fly'))).toEqual([[termOf('flew'), 0.8]]);
  });
});

describe('loadRelatedWords', () => {
  const { related } = loadRelatedWords();
  const of = (word: string) => related(termOf(word)).map(([term]) => term);

  it('knows forms that share no stem, and everyday words, in English and in French', () => {
    expect(of('buy')).toEqual(expect.arrayContaining([termOf('bought'), termOf('purchase')]));
    expect(of('children')).toEqual(expect.arrayContaining([termOf('child')]));
    expect(of('recevoir')).toEqual(expect.arrayContaining([termOf('recu')]));
    expect(of('metier')).toEqual(expect.arrayContaining([termOf('infirmier')]));
    expect(of('infirmier')).not.toContain(termOf('metier'));
    expect(of('zyzzyva')).toEqual([]);
  });
});
