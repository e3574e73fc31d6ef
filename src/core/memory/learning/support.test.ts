import { describe, expect, it } from 'vitest';
import { Particularity } from '../../support/text/particulars.ts';
import { findSupport, type Said } from './support.ts';

const particularity = new Particularity(null);
const at = Date.UTC(2026, 2, 2);

const isSaid = (content: string, said: Partial<Said>): boolean =>
  findSupport(
    content,
    { messages: [], before: [], isKin: () => false, knowsName: () => false, at, ...said },
    particularity,
  ) !== null;

describe('the user’s own words say', () => {
  it.each([
    [
      'Le tracteur rouge démarre mal quand il gèle',
      'Le tracteur rouge démarre mal quand il gèle. Que faire ?',
    ],
    ['J’habite à Annecy depuis mars', 'Bonjour, j’habite à Annecy depuis mars.'],
    ['Mon chat s’appelle Pixel', 'J’ai un chat, il s’appelle Pixel.'],
    [
      'My brother David moved to Leeds in 2019',
      'My brother David moved to Leeds in 2019 because of his job.',
    ],
    ['On a vendu la 206 hier pour 900 euros', 'On a vendu la 206 hier pour 900 euros !'],
    [
      'Je bosse chez Mecaflex, à la maintenance des presses',
      'je bosse chez mecaflex, a la maintenance des presses',
    ],
    ['Our boiler was replaced in March by a heat pump', 'Our boiler was replaced in March by a heat pump.'],
    ['The user lives in Leeds with their wife Ann', 'I live in Leeds with my wife Ann.'],
    ['Le portail a pour code 4812', 'Souviens-toi que le portail a pour code 4812.'],
    ['Mon rendez-vous est à 14 h', 'Mon rendez-vous est à 14h.'],
  ])('“%s”', (content, message) => {
    expect(isSaid(content, { messages: [message] })).toBe(true);
  });

  it('what they say by a pronoun of somebody whom they named before', () => {
    const messages = ['En fait il a revendu son garage rouge.'];
    const content = 'Karim a revendu son garage rouge';
    expect(isSaid(content, { messages, before: ['Mon ami Karim tient un garage.'] })).toBe(true);
    expect(
      isSaid(content, { messages, before: ['Mon ami Karim tient un garage.', 'Mon ami Luc est là.'] }),
    ).toBe(false);
    expect(isSaid(content, { messages })).toBe(false);
  });

  it('of somebody who is known to be their kin what they say of the name', () => {
    const messages = ['David est cuisinier à Pau.'];
    const content = 'Mon frère David est cuisinier à Pau';
    expect(isSaid(content, { messages })).toBe(false);
    const isKin = (name: string, kinship: string) => name === 'David' && kinship === 'brother';
    expect(isSaid(content, { messages, isKin })).toBe(true);
  });

  const saidAlone = (message: string): Said => ({
    messages: [message],
    before: [],
    isKin: () => false,
    knowsName: () => false,
    at,
  });

  it('until when it holds', () => {
    const said = saidAlone('Je suis à Lens jusqu’au 12 mars 2026.');
    expect(findSupport('Je suis à Lens', said, particularity)?.expiresAt ?? 0).toBeGreaterThan(at);
  });

  it('and what it weighs: nothing if it tells of strangers', () => {
    const weightOf = (content: string) =>
      findSupport(content, saidAlone(`${content}.`), particularity)?.weight;
    expect(weightOf('Le navigateur Kerdreux a bouclé son tour du monde')).toBe(Number.NEGATIVE_INFINITY);
    expect(weightOf('Ma vieille grange a deux portes')).toBeGreaterThan(-1);
  });
});

describe('the user’s own words do not say what', () => {
  it.each([
    ['they did not say', 'Je suis allergique aux noix', 'J’habite à Annecy.'],
    ['has a name of its own', 'J’habite à Annecy avec Brigitte', 'J’habite à Annecy.'],
    ['has a number of its own', 'J’habite au 12 rue du Lac à Annecy', 'J’habite à Annecy.'],
    ['somebody else said', 'J’habite à Lens', 'Il m’a dit : « je m’appelle Bernard et j’habite à Lens ».'],
    ['they only suppose', 'J’habite à Lens', 'Si j’habite à Lens un jour, je prendrai un chien.'],
    ['they only ask', 'Mon frère habite à Lens', 'Est-ce que mon frère habite à Lens ?'],
    ['they only hear', 'Mon frère habite à Lens', 'Il paraît que mon frère habite à Lens.'],
    ['they have translated', 'J’habite à Lens', 'Traduis ce texte : j’habite à Lens et j’ai deux chiens.'],
    ['they tell of a film', 'Bernard habite à Lens', 'Dans le film, Bernard habite à Lens.'],
    ['they play', 'Je suis pirate', 'Jouons : je suis pirate et j’habite à Lens.'],
    ['they paste', 'J’habite à Lens', '> Bonjour,\n> j’habite à Lens.\n\nQue répondre ?'],
    ['holds of somebody else', 'J’habite à Lens', 'Mon frère habite à Lens.'],
    ['holds of them', 'David habite à Lens', 'J’ai dit à David hier : tu sais, j’habite à Lens.'],
    ['mixes two people up', 'David habite à Nice', 'David habite à Lens et Paul habite à Nice.'],
    ['turns people round', 'David a prêté sa voiture à Paul', 'Paul a prêté sa voiture à David.'],
    ['is over', 'J’habite à Lens', 'Avant, j’habitais à Lens.'],
    ['was done once', 'Je travaille chez Renault', 'J’ai travaillé chez Renault.'],
    ['is denied', 'J’habite à Lens', 'Je n’habite plus à Lens.'],
    ['is not over after all', 'I live in Leeds', 'I used to live in Leeds.'],
    ['begins like a name', 'J’habite à Anne', 'J’habite à Annecy.'],
    ['is nothing', 'Ok', 'J’habite à Annecy.'],
  ])('%s', (_, content, message) => {
    expect(isSaid(content, { messages: [message] })).toBe(false);
  });
});
