import { expect, it } from 'vitest';
import { loadLexicon } from './lexical/lexicon.ts';
import { createDiffers } from './sameness.ts';

const differs = createDiffers(loadLexicon());

it.each([
  ['David habite à Toulouse', 'David habite à Ordizan', true],
  ['Le code est 4812', 'Le code est 4813', true],
  ['Rendez-vous mardi', 'Rendez-vous jeudi', true],
  ['Rendez-vous mardi', 'The appointment is on Tuesday', false],
  ['Il aime le café', 'Il n’aime pas le café', true],
  ["I don't like coffee", 'I like coffee', true],
  ['Il habite à Londres', 'He lives in London', false],
  ['La chaudière est en panne', 'La chaudière est cassée', false],
])('texts that differ in a particular are not the same: %s / %s', (one, other, expected) => {
  expect(differs(one, other)).toBe(expected);
});
