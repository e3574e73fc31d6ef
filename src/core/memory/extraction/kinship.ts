import { kinshipOf } from '../../support/text/kinship.ts';
import type { Word } from './words.ts';

const PETS = new Set(
  `chat chatte chaton chien chienne chiot lapin lapine hamster perroquet tortue cheval jument poney poule poules chevre ane
   perruche furet serpent poisson vache mouton cat dog kitten puppy rabbit bunny parrot tortoise turtle horse mare pony hen
   hens goat donkey budgie ferret snake fish cow sheep pup labrador chats chiens cats dogs lapins poissons chihuahua
   spaniel terrier poodle collie beagle cob gelding guinea cochon iguana iguane gecko rat souris`.split(
    /\s+/,
  ),
);

/** Adjectives that may stand before a kinship or a possession. */
const ADJECTIVES = new Set(
  `petit petite petits petites grand grande grands grandes vieux vieille vieil nouveau nouvelle nouvel nouveaux nouvelles
   ancien ancienne cher chere meilleur meilleure gros grosse jeune autre deux trois premier premiere second deuxieme
   troisieme tendre adorable future futur dear older elder eldest younger youngest oldest middle little big new old best
   late former other two three first second third future current great only own lovely upcoming next ma mon eldest twin
   young prochain prochaine`.split(/\s+/),
);

/** Kinships by which people call their own without a possessive: "dad", « maman », "Aunt Maud". */
const CALLED = new Set(
  'ma pa maman papa mamie mamy papi papy meme pepe tonton tata tatie dad daddy mum mom mummy mommy grandma grandpa granddad grandad gran granny nan nana aunt auntie uncle'.split(
    ' ',
  ),
);
export const isCalled = (word: string) => CALLED.has(word);

export const isPet = (word: string) => PETS.has(word);
export const isAdjective = (word: string) => ADJECTIVES.has(word);

/** The longest kinship that begins at a word, four words at most; null if none does. */
export function kinshipAt(words: readonly Word[], index: number): { kinship: string; next: number } | null {
  for (let length = 4; length >= 1; length -= 1) {
    if (index + length > words.length) continue;
    const text = words
      .slice(index, index + length)
      .map(({ plain }) => plain)
      .join(' ');
    const kinship = kinshipOf(text);
    if (kinship) return { kinship, next: index + length };
  }
  return null;
}

/** Kinships that one has one of: "my sister" with no name is then somebody in particular only if nothing else is known. */
const PARTNERS = new Set(['wife', 'husband', 'partner', 'boyfriend', 'girlfriend', 'fiance']);
export const isPartner = (kinship: string | null) => kinship !== null && PARTNERS.has(kinship);

const GENDERS: Readonly<Record<string, 'm' | 'f'>> = {
  mother: 'f',
  sister: 'f',
  daughter: 'f',
  wife: 'f',
  girlfriend: 'f',
  grandmother: 'f',
  aunt: 'f',
  niece: 'f',
  granddaughter: 'f',
  'mother-in-law': 'f',
  'sister-in-law': 'f',
  'half-sister': 'f',
  stepmother: 'f',
  'daughter-in-law': 'f',
  godmother: 'f',
  father: 'm',
  brother: 'm',
  son: 'm',
  husband: 'm',
  boyfriend: 'm',
  grandfather: 'm',
  uncle: 'm',
  nephew: 'm',
  grandson: 'm',
  'father-in-law': 'm',
  'brother-in-law': 'm',
  'half-brother': 'm',
  stepfather: 'm',
  'son-in-law': 'm',
  godfather: 'm',
};
/** "he" or "she", where the word says it. */
export const genderOf = (kinship: string | null): 'm' | 'f' | null =>
  kinship === null ? null : (GENDERS[kinship] ?? null);
