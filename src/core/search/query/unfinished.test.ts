import { describe, expect, it } from 'vitest';
import { termOf } from '../../support/text/tokenise.ts';
import type { FullText } from '../lexical/fullText.ts';
import { Spellings } from '../lexical/spellings.ts';
import { readQuestion } from './question.ts';
import { asTyped, prolongationsOf } from './unfinished.ts';

const WORDS =
  `jardin jardinage jardinier utilisation utiliser chevaux cheval nationaux heureuse heureuses histoire quiétude
  école écoliers événement rapidement possibilités kubernetes gardening gardener stories happily organisation organization
  running neighbours nationality responsible`.split(/\s+/);
const folded = (word: string) => word.normalize('NFD').replace(/\p{M}/gu, '');

function indexOf(words: readonly string[]) {
  const terms = [...new Set(words.map((word) => termOf(folded(word))))];
  const spellings = new Spellings();
  for (const term of terms) spellings.add(term);
  const fullText = { beginningWith: (term: string) => spellings.beginningWith(term) } as FullText;
  return { fullText, frequencyOf: (term: string) => (terms.includes(term) ? 1 : 0) };
}

describe('an unfinished word', () => {
  const { fullText, frequencyOf } = indexOf(WORDS);

  it.each(WORDS)('finds %s from each of its beginnings of three letters or more', (whole) => {
    const word = folded(whole);
    for (let length = 3; length < word.length; length += 1) {
      const begun = word.slice(0, length);
      const own = termOf(begun);
      const found = [own, ...prolongationsOf({ word: begun, term: own }, fullText, frequencyOf)];
      expect(found, begun).toContain(termOf(word));
    }
  });

  it('finds nothing that does not begin so', () => {
    const begun = (word: string) => prolongationsOf({ word, term: termOf(word) }, fullText, frequencyOf);
    expect(begun('jardi').every((term) => term.startsWith('jardi'))).toBe(true);
    expect(begun('ardin')).toEqual([]);
    expect(begun('kuberx')).toEqual([]);
  });

  it('is the last one, unless a space or a sign ends it', () => {
    const unfinished = (text: string) => asTyped(readQuestion(text)).unfinished?.word;
    expect(unfinished('le jardi')).toBe('jardi');
    expect(unfinished('Où est l’écol')).toBe('ecol');
    for (const text of ['le jardi ', 'le jardi.', 'le jardi ?', '« le jardi »', 'le jardin, p']) {
      expect([text, unfinished(text)]).toEqual([text, undefined]);
    }
  });
});
