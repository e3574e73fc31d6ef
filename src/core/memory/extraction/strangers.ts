import type { Described } from './evidence.ts';
import { hasTopic } from './evidence.ts';
import { holdsDate } from './expiry.ts';
import { isNameWord, nameEnd } from './names.ts';
import { readPredicate } from './predicate.ts';
import { plainText } from './words.ts';

type Met = Pick<
  Described,
  'words' | 'subject' | 'isKnown' | 'isPersonal' | 'isStory' | 'asks' | 'isFirst' | 'followsKept'
>;

/** Who says this of a name says what it is, as one says of what everybody may know. */
const DEFINES = /^(?:is|was|are|were|est|etait|sont) (?:a|an|the|un|une|le|la|l) /;
/** « Il s’est cassé l’épaule »: news of somebody of whom an earlier message spoke. */
const BEFELL =
  /^\S+ (?:s est (?:casse|fait|foule|blesse|marie|fiance|pacse|separe)\S*|a (?:accouche|demenage|ete opere)\S*|est (?:morte?|decedee?|ne|nee)|(?:has |'s )?(?:broken|broke|had (?:surgery|an operation|a baby)|died|got (?:married|engaged|divorced)))(?= |$)/;
/** Who says it is neither the user nor one of theirs. */
const REPORTS =
  /^(?:a |has |had )?(?:dit|disait|raconte|affirme|pretend|ecrit|explique|says?|said|claims?|writes?|reckons?|explains?|argues?)(?: (?:que|qu|that|his|her|their|he|she|they|the|a)(?= )|$)/;
/** What somebody is working on with the assistant. */
const IN_HAND =
  /^(?:code|script|fonction|function|programme|program|requete|query|regex|formule|formula|boucle|loop|tableur|spreadsheet|macro|build|test|tests|texte|text|phrase|sentence|paragraphe|paragraph|exercice|exercise|question|questions|reponse|answer|erreur|error|faute|mistake|avis|opinion|idee|idea|dieu|god|foi|oeil|pote|coeur|heart|tete|head|brain|cerveau|journee|day|soiree|evening|matinee|morning|humeur|mood|total|somme|sum|resultat|result|version|proposition|option)(?= |$)/;

/**
 * Does a clause speak of what is none of the user's: of the famous, of whoever was asked about, of what is worked on here? `story` if it
 * is told of people in a book or a film, who go on in the clauses behind.
 */
export function isStranger(one: Met): boolean | 'story' {
  const { words, subject } = one;
  if (one.isKnown) return false;
  const isBare = subject?.type === 'person' && subject.isBare;
  const isIn = /^(?:dans|in)$/.test(words[0]?.plain ?? '') && words.slice(1, 3).some(isNameWord);
  if (isIn && (isBare || subject === null) && !holdsDate(plainText(words).text)) {
    return 'story';
  }
  if (isBare && one.isStory) return true;
  const rest = plainText(words.slice(subject?.next ?? 0)).text;
  if ((isBare || subject?.type === 'thing') && REPORTS.test(rest)) return true;
  if (subject?.type === 'owned' && IN_HAND.test(subject.noun)) return true;
  if (subject?.type === 'thing' && IN_HAND.test(words[1]?.plain ?? '')) return true;
  const isIndefinite =
    /^(?:un|une|a|an)$/.test(words[0]?.plain ?? '') && (subject === null || subject.type === 'thing');
  if (isIndefinite && !one.isPersonal) return true;
  if (one.isPersonal || (subject?.type === 'pronoun' && one.followsKept)) return false;
  if (subject?.type === 'thing') return words.slice(0, subject.next).some(isNameWord) && !hasTopic(words);
  if (subject?.type === 'pronoun') return one.asks || !one.isFirst || !BEFELL.test(plainText(words).text);
  if (!isBare) return false;
  const { isOver, isPast, text } = readPredicate(words.slice(subject.next));
  const isDescribed =
    subject.next > nameEnd(words, 0) && !/\d/.test(plainText(words.slice(0, subject.next)).text);
  return isOver || (one.asks && !(isDescribed && !isPast)) || DEFINES.test(text);
}
