import { englishFunctionWords, frenchFunctionWords } from '../../support/text/stopWords.ts';
import { isAdjective, isPet, kinshipAt } from './kinship.ts';
import { isVerb } from './verbs.ts';
import type { Word } from './words.ts';

const words = (text: string) => new Set(text.split(/\s+/));

/** Words that are capitalised though they name nobody: days, months, titles, beginnings of sentences. Folded. */
const NO_NAME = words(
  `lundi mardi mercredi jeudi vendredi samedi dimanche monday tuesday wednesday thursday friday saturday sunday mon tue wed thu
   fri sat sun janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre january february march
   april may june july august september october november december noel paques christmas easter aujourdhui demain hier today
   tomorrow yesterday bonjour bonsoir salut merci hello hi hey thanks please ok okay yes no oui non bref sinon alors donc
   finalement actuellement maintenant now then well oh ah ici desole sorry attention rappel note info apparemment super genial nothing everything whatever quelquun certains people anyone anybody quelque chaque celui celle
   cool rien tout personne quelqu since although though whereas unless despite besides however meanwhile anyway puisque lorsque quoique malgre vu selon
   someone everyone everybody nobody something chaque every`,
);
const NO_LOWER_NAME = words(
  `cadet cadette aine ainee jumeau jumelle direct directe actuel actuelle prefere preferee traitant biologique too who
   whose which qui que dont aussi toujours encore maintenant still now just really actually finally currently always never
   deja enfin recemment desormais vraiment here there ici la hier demain today tomorrow de du des a au aux en chez pour with
   from in at on near of and et or ou but mais back favourite prefere name nom prenom birthday anniversaire avec both
   chambre house car phone is was 's recently already also probably officially ancien nouveau vegan vegetarian`,
);
/** Between the parts of a name: "Jean de La Fontaine", "Châlons-sur-Saône", "Stoke on Trent". */
const PARTICLES = words(
  'de du des d la le les l sur sous en lez aux von van der den of the upon on under di da del saint st',
);

const isFunctionWord = (word: string) => frenchFunctionWords.has(word) || englishFunctionWords.has(word);
const LETTERS = /^\p{L}[\p{L}\p{M}']*$/u;

/** May this word be part of a name because of its capital? */
export function isNameWord(word: Word | undefined): boolean {
  return (
    word?.isCapital === true && LETTERS.test(word.plain) && !NO_NAME.has(word.plain) && !isOrdinary(word)
  );
}

/** "Je", "The", "Mon": capitals that only begin a sentence. A single letter is an initial only after a name. */
function isOrdinary(word: Word): boolean {
  if (word.plain.length === 1) return true;
  return isFunctionWord(word.plain) && word.plain !== 'will';
}

/**
 * The end of the name that begins at a word, excluded: up to four capitalised words, joined by particles; `index` itself if none
 * begins there.
 */
export function nameEnd(all: readonly Word[], index: number): number {
  if (isTitle(all[index]) && isNameWord(all[index + 1])) return nameEnd(all, index + 1);
  if (!isNameWord(all[index]) && !isPlaceArticle(all, index)) return index;
  let end = index + 1;
  while (end < all.length && end - index < 7) {
    if (isNameWord(all[end])) {
      end += 1;
      continue;
    }
    let next = end;
    while (next < all.length && next - end < 2 && PARTICLES.has(all[next]?.plain ?? '')) next += 1;
    const joins = next > end && isNameWord(all[next]) && !isVerb(all[next]?.plain ?? '');
    // "David et Léa" are two; "Saint-Jean-de-Luz" is one. A particle without hyphen joins only "de" and its like.
    if (!joins || !isJoin(all, end, next)) break;
    end = next + 1;
  }
  return end;
}

/** "M. Lagarde", "Dr Hale", "Mrs Adeyemi". */
const isTitle = (word: Word | undefined) =>
  word?.isCapital === true &&
  /^(?:m|mme|mr|mrs|ms|miss|dr|mlle|pr|maitre|sir|madame|monsieur)$/.test(word.plain);

/** "La Rochelle", "Le Mans", "The Hague": an article with a capital before a name. */
function isPlaceArticle(all: readonly Word[], index: number): boolean {
  const word = all[index];
  return (
    word?.isCapital === true &&
    /^(?:la|le|les|the|l)$/.test(word.plain) &&
    isNameWord(all[index + 1]) &&
    index > 0
  );
}

function isJoin(all: readonly Word[], end: number, next: number): boolean {
  const isHyphenated = all.slice(end, next + 1).every(({ isJoined }) => isJoined);
  const first = all[end]?.plain ?? '';
  return isHyphenated || /^(?:de|du|des|d|von|van|of|di|da|del|upon)$/.test(first);
}

/** A given name in lower case, where its place says that it is one: right after a kinship and before a verb or a comma. */
export function isLowerName(all: readonly Word[], index: number): boolean {
  const word = all[index];
  if (!word || word.plain.length < 2 || word.plain.length > 15 || !/^\p{L}+$/u.test(word.plain)) return false;
  if (isFunctionWord(word.plain) || isVerb(word.plain) || isAdjective(word.plain)) return false;
  if (NO_LOWER_NAME.has(word.plain) || isPet(word.plain) || kinshipAt(all, index)) return false;
  const next = all[index + 1]?.plain;
  return next !== undefined && (isVerb(next) || next === 'n');
}

/** Capitalised names of a clause, each from its first word to its last; what only begins the sentence is left out. */
export function namesIn(all: readonly Word[], isStart: boolean): [number, number][] {
  const found: [number, number][] = [];
  for (let index = 0; index < all.length; index += 1) {
    const end = nameEnd(all, index);
    if (end === index) continue;
    const isFirst = index === 0 && isStart;
    // At the beginning of a sentence a capital says nothing; a verb after it, or a second capital, does.
    if (!isFirst || end > index + 1 || isVerb(all[end]?.plain ?? '')) found.push([index, end]);
    index = end - 1;
  }
  return found;
}
