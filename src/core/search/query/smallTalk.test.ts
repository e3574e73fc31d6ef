import { describe, expect, it } from 'vitest';
import { readSmallTalk } from '../../../../test/eval/talk/talk.ts';
import { courtesyOf } from './courtesy.ts';
import { readQuestion } from './question.ts';

const { fr, en } = readSmallTalk().tune;

describe('a message of small talk', () => {
  it.each([
    ...fr,
    ...en,
    'MERCI BEAUCOUP',
    'Ok Merci',
    'Merci et bonne continuation !',
    'à lundi, bon appétit',
    'see you on Friday, good luck!',
    'C’est très gentil de votre part, merci.',
    'Hahahaha, excellent.',
    'Oh nice, thank you so so much',
    'pas mal du tout',
    'Good evening, how are things?',
    'et toi ?',
    'thanks, that helps',
    'I’ll think about it',
    'c’est réglé, merci pour l’explication',
    'Je suis fatiguée, bonne nuit',
    'Are you sure?',
    'tu es sûr ?',
    '…',
    'fair point, thanks',
    'MUCH OBLIGED!',
    'merci, peu importe',
  ])('« %s » asks for nothing', (text) => {
    expect(readQuestion(text).isSmallTalk).toBe(true);
  });

  it.each([
    'Bonjour, où habite David ?',
    'fair point about the roof',
    'peu importe le prix',
    'merci pour le gâteau au citron',
    'ok, et le jardin ?',
    'What is the problem?',
    'c’est quoi le meilleur ?',
    'Thanks. What about Theo?',
    'Et Will ?',
    '[[Merci]]',
    'on se voit lundi à la piscine',
    'quoi de neuf avec le toit ?',
    'hier ?',
    '12 ?',
    'sleep',
    'problème',
    'Le problème est la chaudière',
    'I think the boiler is broken',
    'j’aime les figues',
    'Je dois appeler Léa',
    'réponses de la mairie',
    'Is Léa sure?',
    'Is the answer known?',
    'mes amis',
    'un chapeau',
    'Quel est le problème',
    'Good morning routine',
    'top secret',
    'night shift',
    'Qui suis-je ?',
    'On a parlé de quoi ?',
  ])('« %s » asks for something', (text) => {
    expect(readQuestion(text).isSmallTalk).toBe(false);
  });
});

describe('what small talk is above all', () => {
  it.each([
    ['Merci beaucoup, à demain !', 'thanks'],
    ['Thanks, bye!', 'thanks'],
    ['Bonjour, ça va ?', 'greeting'],
    ['Good morning!', 'greeting'],
    ['Good evening, how are things?', 'greeting'],
    ['Bonne nuit', 'farewell'],
    ['Au revoir et bonne journée', 'farewell'],
    ['see you on Friday, good luck!', 'farewell'],
    ['D’accord, très bien', 'agreement'],
    ['OK, got it', 'agreement'],
  ])('« %s »: %s', (text, courtesy) => {
    expect(readQuestion(text).isSmallTalk).toBe(true);
    expect(courtesyOf(text)).toBe(courtesy);
  });
});

describe('a greeting before a question', () => {
  it('is not looked for', () => {
    expect(readQuestion('Bonjour, où habite David ?').weights.get('bonjour')).toBe(0.3);
    expect(readQuestion('Merci ! Quand planter les tomates ?').weights.get('merc')).toBe(0.3);
  });

  it('is looked for by itself, as a search for it would', () => {
    expect(readQuestion('bonjour').weights.get('bonjour')).toBe(1);
  });
});
