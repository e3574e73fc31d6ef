import { describe, expect, it } from 'vitest';
import { findStatements } from './findStatements.ts';
import { settingOf } from './settings.ts';

const at = new Date(2026, 2, 2, 9, 15).getTime();
const learnt = (message: string) => findStatements(message, at).map(({ content }) => content);

describe('the setting of a message', () => {
  it.each([
    ['Au Scrabble j’ai un joker, quel mot ?', 'setting game'],
    ['How many each? Granny made 36 pancakes.', 'setting sum'],
    ['Chapitre 3. Il rentra chez lui.', 'setting verse'],
    ['Proofread the lines below.', 'setting work on'],
    ['One of my patients is 58, a smoker.', 'setting case'],
    ['La Cour de cassation a cassé l’arrêt.', 'setting news'],
    ['The washing machine is stuck again.', 'setting fault'],
    ['Attends, je cherche mes lunettes', 'setting remark'],
    ['200 g de farine, 3 œufs, laisser reposer', 'setting recipe'],
    ['On hésite : soit on vend, soit on reste.', 'setting undecided'],
  ])('of %j holds %j', (message, setting) => {
    expect(settingOf(message)).toContain(setting);
  });

  it('tells whose matter a question is', () => {
    expect(settingOf('The dealer won’t answer. What are her rights?')).toContain('asks of theirs');
    expect(settingOf('Granny turns 90. What do I give her?')).toContain('asks of mine');
    expect(settingOf('A rectangle is 5 by 4. Area?')).toEqual(
      expect.arrayContaining(['asks of nobody', 'asks briefly']),
    );
  });

  it('tells that what stands above is to be worked on', () => {
    expect(settingOf('M. Diallo part au 30 juin. Fais-en trois puces.')).toEqual(
      expect.arrayContaining(['rework last', 'bids back']),
    );
  });

  it.each([
    [
      'Mme Kerbrat reprend le dossier mutuelle le 3 mai.',
      'Mme Kerbrat reprend le dossier mutuelle le 3 mai. Fais-en trois puces.',
    ],
    ['Notre chaudière est une Frisquet de 2009.', 'La chaudière affiche F28, ça veut dire quoi ?'],
  ])('bears on what is learnt: from %j more than from %j', (own, other) => {
    expect(learnt(other)).toEqual([]);
    expect(learnt(own)).toHaveLength(1);
  });

  it('is read in time linear in the length of a message', () => {
    const evidence = settingOf('Recette : 3 œufs, (((« — '.repeat(20_000));
    expect(evidence).toContain('setting recipe');
  });
});
