import { describe, expect, it } from 'vitest';
import { isFollowUp } from './followUp.ts';
import { readQuestion } from './question.ts';

const NOW = Date.UTC(2026, 4, 12);

describe('a follow-up', () => {
  it.each([
    'Et lui ?',
    'Et Nadia, elle habite où ?',
    'Depuis quand ?',
    'Pourquoi ?',
    'Elle s’appelle comment, sa fille ?',
    'Combien gagnait-il ?',
    'À quoi l’avait-elle compris ?',
    'Qu’a-t-elle pensé de l’idée ?',
    'And what does she do there?',
    'What about May?',
    'Why?',
    'How old is he?',
    'What happened to them?',
    'Who else?',
  ])('leaves something out: %s', (text) => {
    expect(isFollowUp(text)).toBe(true);
  });

  it.each([
    'Où habite David ?',
    'Quand faut-il tailler les rosiers ?',
    'Y a-t-il des notes sur le compost ?',
    'À qui les femmes peuvent-elles s’adresser ?',
    'Qu’a dit Camille de son nouvel appartement ?',
    'Combien Hugo perd-il par mois ?',
    'How long does it take to boil eggs?',
    'What exercise does Grace do for her joints?',
    'Recette des crêpes',
    '',
    '   ',
    '😀',
  ])('is not: %s', (text) => {
    expect(isFollowUp(text)).toBe(false);
  });

  it('is read with the content words of the question before, which count less', () => {
    const { weights, followsUp } = readQuestion('Et sa sœur ?', NOW, ['Où habite David ?']);
    expect(followsUp).toBe(true);
    const before = readQuestion('Où habite David ?', NOW).weights;
    const [david, own] = [[...before].findLast(([, weight]) => weight > 1)?.[0], [...weights.keys()]];
    expect(own).toContain(david);
    expect(weights.get(david ?? '')).toBeLessThan(1);
    expect(own).not.toContain('ou');
  });

  it('of a follow-up reaches the question that both follow', () => {
    const asked = ['Et depuis quand ?', 'Et son chef ?', 'Qui est Awa ?'];
    const [text = '', ...before] = asked;
    const { weights } = readQuestion(text, NOW, before);
    const weightOf = (word: string) => weights.get([...readQuestion(word, NOW).weights.keys()][0] ?? '') ?? 0;
    expect(weightOf('chef')).toBeGreaterThan(weightOf('Awa'));
    expect(weightOf('Awa')).toBeGreaterThan(0);
  });

  it('of thanks, of a question about the talk, or of nothing stands by itself', () => {
    for (const before of [['Merci !'], ['De quoi a-t-on parlé hier ?'], []]) {
      const read = readQuestion('Pourquoi ?', NOW, before);
      expect(read).toEqual(readQuestion('Pourquoi ?', NOW));
    }
  });

  it('is no question that stands by itself, whatever was asked before', () => {
    const text = 'Quand faut-il tailler les rosiers ?';
    expect(readQuestion(text, NOW, ['Où habite David ?'])).toEqual(readQuestion(text, NOW));
  });
});
