import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectLanguage } from './language.ts';
import { splitSentences } from './sentences.ts';
import { fold, stem, tokenise } from './tokenise.ts';

const words = (text: string) => tokenise(text).map((token) => token.word);

describe('tokenise', () => {
  it('folds case, accents, ligatures and either Unicode form', () => {
    expect(words('Œuvre ÉTÉ e\u0301te\u0301 Straße')).toEqual(['oeuvre', 'ete', 'ete', 'strasse']);
  });

  it('splits French elisions and keeps whole words with an apostrophe', () => {
    expect(words("l'été qu’il aujourd'hui jusqu'à")).toEqual([
      'l',
      'ete',
      'qu',
      'il',
      'aujourdhui',
      'jusqu',
      'a',
    ]);
  });

  it('drops English endings', () => {
    expect(words("it's don't John's")).toEqual(['it', 'do', 'john']);
  });

  it('gives one term to the forms of a word, in French and in English', () => {
    expect(stem(fold('données'))).toBe(stem(fold('donnée')));
    expect(stem(fold('réutilisations'))).toBe(stem(fold('réutilisation')));
    expect(stem('linking')).toBe(stem('links'));
  });

  it('keeps figures and versions apart', () => {
    expect(words('v2 3,5 2024-02-28')).toEqual(['v2', '3', '5', '2024', '02', '28']);
  });

  it('gives offsets that point at the word in the text as it stands', () => {
    const text = 'Écrire l’été, puis réécrire.';
    expect(tokenise(text).map((token) => text.slice(token.start, token.end))).toEqual([
      'Écrire',
      'l',
      'été',
      'puis',
      'réécrire',
    ]);
  });

  it('never overlaps, never leaves the text, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        let last = 0;
        for (const token of tokenise(text)) {
          expect(token.start).toBeGreaterThanOrEqual(last);
          expect(token.end).toBeGreaterThan(token.start);
          expect(token.end).toBeLessThanOrEqual(text.length);
          expect(token.term).not.toMatch(/\s/);
          last = token.end;
        }
      }),
    );
  });
});

describe('splitSentences', () => {
  it('cuts at sentence ends and lines, not inside numbers or addresses', () => {
    const text = 'Le site data.gouv.fr sert. Il a 3.5 millions de lignes !\nVoilà';
    expect(splitSentences(text).map((span) => text.slice(span.start, span.end).trim())).toEqual([
      'Le site data.gouv.fr sert.',
      'Il a 3.5 millions de lignes !',
      'Voilà',
    ]);
  });
});

describe('detectLanguage', () => {
  it('tells French from English by their function words', () => {
    expect(detectLanguage('Comment publier un jeu de données ?', 'en')).toBe('fr');
    expect(detectLanguage('How do I link notes together?', 'fr')).toBe('en');
    expect(detectLanguage('wikilinks', 'fr')).toBe('fr');
    expect(detectLanguage('Bonjour !', 'en')).toBe('fr');
    expect(detectLanguage('Good morning, thanks', 'fr')).toBe('en');
    expect(detectLanguage('réutilisation', 'en')).toBe('fr');
  });
});
