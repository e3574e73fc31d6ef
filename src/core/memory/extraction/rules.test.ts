import { describe, expect, it } from 'vitest';
import { findPlainFacts } from './rules.ts';

const found = (message: string) =>
  findPlainFacts(message).map(({ content, kind, key }) => [content, kind, key]);

describe('findPlainFacts', () => {
  it.each([
    ['Souviens-toi que le code du portail est 4812. Merci.', [['Le code du portail est 4812', 'fact', null]]],
    ['Au fait, n’oublie pas que Inès part lundi', [['Inès part lundi', 'fact', null]]],
    [
      'Please remember that the boiler is serviced in September.',
      [['The boiler is serviced in September', 'fact', null]],
    ],
    [
      'Bonjour, je m’appelle Mickael Duval et j’habite à Ordizan.',
      [
        ['Je m’appelle Mickael Duval', 'identity', 'user.name'],
        ['J’habite à Ordizan', 'identity', 'user.home'],
      ],
    ],
    [
      'My name is Ana. My sister lives in New York.',
      [
        ['My name is Ana', 'identity', 'user.name'],
        ['My sister lives in New York', 'relation', 'user.sister.home'],
      ],
    ],
    ['Mon chat s’appelle Moustache', [['Mon chat s’appelle Moustache', 'relation', 'user.chat.name']]],
    ['Souviens-toi que je m’appelle Ana', [['Je m’appelle Ana', 'fact', null]]],
  ])('in %j', (message, facts) => {
    expect(found(message)).toEqual(facts);
  });

  it.each([
    'Quel est le code du portail ?',
    'Tu te souviens que nous avons parlé ?',
    'Comment je m’appelle ?',
    'Is my name is Ana?',
    'Je note que rien ne change pas',
    'What did I ask you to remember?',
  ])('nothing in %j', (message) => {
    expect(found(message)).toEqual([]);
  });
});
