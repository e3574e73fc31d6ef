import type { WhyEmpty } from './contract/chat.ts';
import type { Language } from './errors.ts';
import { withFrenchSpaces } from './frenchSpaces.ts';

const WORDS: Readonly<Record<Language, Readonly<Record<WhyEmpty, string>>>> = {
  en: {
    'nothing-found': 'Nothing about this in your notes or conversations.',
    'partly-searched': 'Not all of your notes and memory could be searched. Ask again.',
    'not-searched': 'Your notes and conversations were not searched for this.',
    greeting: 'Hello. What are you looking for?',
    thanks: 'You’re welcome.',
    farewell: 'See you soon.',
    agreement: 'All right.',
  },
  fr: {
    'nothing-found': 'Rien à ce sujet dans vos notes ni dans vos conversations.',
    'partly-searched':
      'Vos notes et votre mémoire n’ont pas pu être consultées en entier. Reposez la question.',
    'not-searched': 'Vos notes et vos conversations n’ont pas été consultées.',
    greeting: 'Bonjour. Que cherchez-vous ?',
    thanks: 'Je vous en prie.',
    farewell: 'À bientôt.',
    agreement: 'D’accord.',
  },
};

/** What a reply of Passages says that cites nothing: a courtesy is returned, and nothing is claimed to have been searched. */
export function wordsOfEmptyReply(why: WhyEmpty, language: Language): string {
  const words = WORDS[language][why];
  return language === 'fr' ? withFrenchSpaces(words) : words;
}
