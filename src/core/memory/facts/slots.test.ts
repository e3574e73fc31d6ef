import { expect, it } from 'vitest';
import type { FactId } from '../../../shared/ids.ts';
import { loadWordVectors } from '../../embedding/wordVectors.ts';
import { loadLexicon } from '../../search/lexical/lexicon.ts';
import { Particularity } from '../../support/text/particulars.ts';
import { Consolidation } from './consolidate.ts';
import { Words } from './words.ts';

const words = new Words(loadLexicon(), loadWordVectors);
const consolidation = new Consolidation(new Particularity(words), words);

/** Words alone: no subjects and no people are known. */
const said = (content: string) => ({
  content,
  subjects: [],
  kind: 'fact' as const,
  people: new Set<string>(),
  key: null,
  value: null,
});

const becomes = (before: string, now: string): string =>
  consolidation.decide(said(now), [{ ...said(before), id: 'fact_a' as FactId }]).is;

it.each([
  ['L’examen de chimie est en salle B12', 'L’examen de chimie aura lieu dans l’amphi Lavoisier'],
  ['The maths exam is in room 4', 'The maths exam is in the gym'],
  ['Le mot de passe du wifi est BleuetRond', 'Le mot de passe du wifi est désormais PrunierVert'],
  ['The code of the shed is 4471', 'The code of the shed is 9120 now'],
  ['Notre loyer est de 610 euros', 'Notre loyer passe à 640 euros'],
  ['The train to Hull leaves at 07:15 from platform 2', 'The train to Hull leaves at 09:40 now'],
  ['Mon train de retour part à 17h52', 'Mon train de retour part à 19h34'],
  ['Mon téléphone est un Fairphone 4', 'Mon nouveau téléphone est un Pixel 9'],
  ['I drive a 2011 Honda Jazz', 'I drive a Kia Niro now'],
  ['La réunion du club est le mardi', 'La réunion du club passe du mardi au jeudi'],
  ['My rent is £780 a month', 'My rent has gone up to £830'],
  ['J’ai une vieille Clio diesel', 'J’ai vendu la Clio et repris un vélo'],
  ['Je chante dans la chorale des Merles', 'J’ai quitté la chorale, plus le temps'],
  ['I sing with the Harbour Singers', 'I quit the Harbour Singers last week'],
  ['Choir practice is on Tuesdays', 'Choir practice has moved to Thursdays'],
  ['Le café va s’appeler Le Tilleul', 'Le café s’appellera Les Glycines'],
])('another value of one thing takes the place of the former: %s, then %s', (before, now) => {
  expect(becomes(before, now)).toBe('successor');
});

it.each([
  ['L’examen de chimie est en salle B12', 'L’examen de physique est en salle B14'],
  ['The French exam is in room 4', 'The Spanish exam is in room 6 now'],
  ['Le cours de yoga du lundi est à 18 h 30', 'Le cours de yoga du jeudi est à 20 h'],
  ['The code of the shed is 4471', 'The code of the gate is 9120'],
  ['Meter number at the shop ends in 7714', 'Meter number at the garage ends in 7741'],
  ['Ma voiture est une Zoé', 'La voiture de ma femme est un Kangoo'],
  ['The car is 12 years old', 'The car is a 2011 Honda'],
  ['I have two cats', 'I have three dogs'],
  ['J’ai un ami à Lyon', 'J’ai quitté Lyon'],
  ['I sing with the Harbour Singers', 'I quit smoking last spring'],
  ['Gran’s pills are in the blue box', 'Grandad’s pills are in the red box'],
  ['The Tuesday pottery class is full', 'The Saturday pottery class has two places left'],
  ['My right wrist hurts', 'I broke my left wrist'],
])('two things of one kind are kept apart: %s, then %s', (before, now) => {
  expect(becomes(before, now)).toBe('new');
});

it('what was spoken of for the first time is told more of', () => {
  expect(becomes('I share my flat with a cat', 'My cat is a ginger tom called Mungo, he is twelve')).toBe(
    'refinement',
  );
});

it('what is given another number without a word that it changed is left to the user', () => {
  expect(becomes('The budget for the roof is 60k', 'The budget for the roof is 85k')).toBe('contradiction');
});
