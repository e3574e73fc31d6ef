import { expect, it } from 'vitest';
import { differencesIn } from './wordDifference.ts';

const marked = (text: string, other: string) =>
  differencesIn(text, other).map(({ start, end }) => text.slice(start, end));

it.each([
  ['Le toit fuit depuis lundi', 'Le toit fuit', ['depuis lundi'], []],
  ['David habite à Ordizan', 'David habite à Toulouse', ['Ordizan'], ['Toulouse']],
  ['Réunion le 3 mars à 14 h', 'La réunion est le 4 mars', ['3', 'à 14 h'], ['La', 'est', '4']],
  ['Le toit fuit.', 'le toit fuit', [], []],
  ['a b a', 'a', ['b a'], []],
])('of “%s” and “%s” what only one says is marked', (one, other, ours, theirs) => {
  expect(marked(one, other)).toEqual(ours);
  expect(marked(other, one)).toEqual(theirs);
});
