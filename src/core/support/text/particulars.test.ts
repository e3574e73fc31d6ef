import { expect, it } from 'vitest';
import { Particularity } from './particulars.ts';

const LONDON = new Map([
  ['londr', [['london', 1]]],
  ['london', [['londr', 1]]],
] as const);
const particularity = new Particularity({
  translations: (term) => LONDON.get(term as 'london') ?? [],
});

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
  expect(particularity.differs(one, other)).toBe(expected);
});

it.each([
  ['Le code est 4812', 'Le code est 4813', true],
  ['Il aime le café', 'Il n’aime pas le café', true],
  ['Rendez-vous mardi', 'Rendez-vous jeudi', true],
  ['Mon frère s’appelle Luc', 'Mon frère s’appelle Paul', true],
  ['Le lot 1 du chantier 2 est livré', 'Le lot 2 du chantier 1 est livré', true],
  ['Le lot 1 du chantier 2 est livré', 'Le lot 2 du chantier 2 est livré', true],
  ['We have 2 cats and 3 dogs', 'We have 3 cats and 2 dogs', true],
  ['Sur le chantier 2, le lot 1 est livré', 'Le lot 1 du chantier 2 est livré', false],
  ['My son, 7 years, 25 kg', 'My son 25 kg, 7 years', false],
  ['Il s’est cassé l’épaule', 'Il s’est cassé l’épaule le 10 janvier 2026', false],
  ['Rendez-vous mardi', 'Rendez-vous mardi à 10 h avec Luc', false],
])('texts disagree if each says what the other does not: %s / %s', (one, other, expected) => {
  expect(particularity.disagrees(one, other)).toBe(expected);
  expect(particularity.disagrees(other, one)).toBe(expected);
});

it.each([
  ['Il s’est cassé l’épaule le 10 janvier 2026', 'Il s’est cassé l’épaule', true],
  ['Il s’est cassé l’épaule', 'Il s’est cassé l’épaule le 10 janvier 2026', false],
  ['Il habite ici avec Luc', 'Il habite ici', true],
  ['Il habite ici', 'Il habite ici', false],
])(
  'one text adds to the other if it alone has a number, a date or a name: %s / %s',
  (one, other, expected) => {
    expect(particularity.adds(one, other)).toBe(expected);
  },
);
