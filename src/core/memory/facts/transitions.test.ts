import { expect, it } from 'vitest';
import { endsState } from './transitions.ts';

it.each([
  ['Lucie a accouché hier', 'Lucie est enceinte de 4 mois', false, true],
  ['Our Maren was born on Sunday', 'My wife is pregnant', false, true],
  ['Dad is home from hospital', 'Dad is in hospital', false, true],
  ['J’ai trouvé un appartement à Pau', 'Je cherche un appartement', true, true],
  // Of several things that somebody looks for one is found.
  ['I found a plumber', 'I am looking for a flat', false, false],
  // Nothing has ended.
  ['Lucie est enceinte de 5 mois', 'Lucie est enceinte de 4 mois', true, false],
  ['My wife is a nurse', 'My wife is pregnant', false, false],
])('%j ends %j: sharing words (%s), %s', (statement, fact, sharesWords, ends) => {
  expect(endsState(statement, fact, sharesWords)).toBe(ends);
});
