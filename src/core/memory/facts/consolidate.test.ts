import { expect, it } from 'vitest';
import type { FactKind } from '../../../shared/contract/facts.ts';
import type { FactId } from '../../../shared/ids.ts';
import { loadWordVectors } from '../../embedding/wordVectors.ts';
import { Particularity } from '../../support/text/particulars.ts';
import { Consolidation } from './consolidate.ts';
import { Words } from './words.ts';

const words = new Words({ translations: () => [] }, loadWordVectors);
const consolidation = new Consolidation(new Particularity(words), words);

interface Said {
  content: string;
  subjects?: string[];
  people?: string[];
  kind?: FactKind;
  /** Key and value. */
  states?: [string, string];
}

const comparable = ({ content, subjects = [], people = [], kind = 'fact', states }: Said) => ({
  content,
  subjects,
  kind,
  people: new Set(people),
  key: states?.[0] ?? null,
  value: states?.[1] ?? null,
});

const becomes = (before: Said, now: Said): string =>
  consolidation.decide(comparable(now), [{ ...comparable(before), id: 'fact_a' as FactId }]).is;

it.each<[string, Said, Said]>([
  [
    'same',
    { content: 'J’habite à Besançon', states: ['user.home', 'Besançon'] },
    { content: 'Je vis à Besançon', states: ['user.home', 'Besançon'] },
  ],
  [
    'refinement',
    { content: 'J’habite à Nantes', states: ['user.home', 'Nantes'] },
    { content: 'J’habite à Nantes depuis 2019', states: ['user.home', 'Nantes'] },
  ],
  [
    'successor',
    { content: 'J’habite à Anne', states: ['user.home', 'Anne'] },
    { content: 'J’habite à Annecy', states: ['user.home', 'Annecy'] },
  ],
  [
    'new',
    { content: 'Luc habite à Lorient', states: ['person:luc.home', 'Lorient'] },
    { content: 'Yann habite à Lorient', states: ['person:yann.home', 'Lorient'] },
  ],
  [
    'refinement',
    { content: 'Il s’est cassé l’épaule' },
    { content: 'Il s’est cassé l’épaule le 10 janvier 2026 en tombant de vélo' },
  ],
  ['same', { content: 'Il s’est cassé l’épaule le 10 janvier 2026' }, { content: 'Il s’est cassé l’épaule' }],
  [
    'same',
    { content: 'La réunion est à 14 h dans la salle bleue' },
    { content: 'La réunion a lieu à 14h dans la salle bleue' },
  ],
  [
    'contradiction',
    { content: 'Hugo est allergique aux noix', people: ['hugo'] },
    { content: 'Hugo n’est pas allergique aux noix', people: ['hugo'] },
  ],
  [
    'new',
    { content: 'Ma sœur est allergique aux noix', people: ['sister'] },
    { content: 'Mon frère n’est pas allergique aux noix', people: ['brother'] },
  ],
  [
    'new',
    { content: 'Le code du portail est 4812', subjects: ['portail'] },
    { content: 'Le code du garage est 4813', subjects: ['garage'] },
  ],
  [
    'successor',
    { content: 'Rendez-vous chez le dentiste le 12 mars', subjects: ['dentiste'], kind: 'event' },
    {
      content: 'Le rendez-vous chez le dentiste est reporté au 15 mars',
      subjects: ['dentiste'],
      kind: 'event',
    },
  ],
  [
    'new',
    { content: 'Rendez-vous chez le dentiste le 12 mars', subjects: ['dentiste'], kind: 'event' },
    {
      content: 'J’ai un autre rendez-vous chez le dentiste le 15 mars',
      subjects: ['dentiste'],
      kind: 'event',
    },
  ],
  [
    'new',
    { content: 'David aime le thé vert', subjects: ['David', 'thé'], people: ['david'] },
    { content: 'David aime le café noir', subjects: ['David', 'café'], people: ['david'] },
  ],
])('a statement is %s: %o, then %o', (is, before, now) => {
  expect(becomes(before, now)).toBe(is);
});

it('of several facts the one that says the same counts', () => {
  const known = ['Le toit fuit', 'Le toit du hangar fuit depuis lundi'].map((content, index) => ({
    ...comparable({ content }),
    id: `fact_${index}` as FactId,
  }));
  expect(consolidation.decide(comparable({ content: 'Le toit du hangar fuit depuis lundi' }), known)).toEqual(
    {
      is: 'same',
      id: 'fact_1',
    },
  );
});
