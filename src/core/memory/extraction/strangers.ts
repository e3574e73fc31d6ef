import type { Described } from './evidence.ts';
import { hasTopic } from './evidence.ts';
import { holdsDate } from './expiry.ts';
import { kinshipAt } from './kinship.ts';
import { isNameWord, nameEnd } from './names.ts';
import { isNear } from './near.ts';
import { POSSESSIVE } from './people.ts';
import { readPredicate } from './predicate.ts';
import { settingsIn } from './settings.ts';
import type { Subject } from './subjects.ts';
import { isVerb } from './verbs.ts';
import { classesOf } from './wordClasses.ts';
import { plainText, type Word } from './words.ts';

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
/** Whoever is somebody's work, before a question about their case. */
const CASE =
  /^(?:(?:un|une|a|an|my|mon|ma|notre|our)|(?:un|une|one) (?:de|of) (?:mes|nos|my|our)|(?:le|la|les|l) \p{L}+ (?:de|d) (?:un|une|mes|nos) (?:\p{L}+ )?) ?(?:\p{L}+ )?(?:clients?|clientes?|patients?|patientes?|eleves?|pupils?|students?|etudiante?s?|adherente?s?|usagers?|tenant farmer|member of the club)(?= |$)/u;
/** Whoever has no name and is nobody's, before a question about them. */
const SOMEBODY =
  /^(?:un|une|a|an|this|that|ce|cet|cette) (?:\p{L}+ )?(?:chap|bloke|guy|lady|woman|man|kid|boy|girl|gars|type|mec|dame|monsieur|homme|femme|gamin|gamine|gosse|employee|worker|tenant|applicant|resident|salarie|salariee|locataire|candidat|candidate|beneficiaire)(?= |$)/u;

/** Is a clause about somebody whom the user met, or deals with at work? One who is named is somebody to remember. */
export function isCase(words: readonly Word[]): boolean {
  const { text } = plainText(words);
  const [met] = CASE.exec(text) ?? SOMEBODY.exec(text) ?? [];
  if (met === undefined) return false;
  const next = words.slice(met.trim().split(' ').length).find(({ plain }) => plain !== ',');
  return next === undefined || !isNameWord(next);
}

/** « Au Scrabble il me reste un W », "on Stardew I'm married": how a game stands about which the message asks. */
const isInGame = (words: readonly Word[]): boolean =>
  /^(?:a|au|aux|sur|dans|en|at|on|in)$/.test(words[0]?.plain ?? '') &&
  settingsIn(plainText(words.slice(0, 4)).text).includes('game') &&
  !holdsDate(plainText(words).text) &&
  !classesOf(plainText(words).text).includes('habit');

/** What somebody is working on with the assistant. */
const IN_HAND =
  /^(?:script|fonction|function|programme|program|requete|query|regex|formule|formula|boucle|loop|tableur|spreadsheet|macro|build|test|tests|texte|text|phrase|sentence|paragraphe|paragraph|exercice|exercise|question|questions|reponse|answer|erreur|error|faute|mistake|avis|opinion|idee|idea|dieu|god|foi|oeil|pote|coeur|heart|tete|head|brain|cerveau|journee|day|soiree|evening|matinee|morning|humeur|mood|total|somme|sum|resultat|result|version|proposition|option)(?= |$)/;

/** « Mon code plante », "the code returns 404": a program, where no code opens anything or is told. */
const PROGRAM =
  /(?:^| )code(?! (?:de|d|du|des|of|for|to|at|pour|wifi|postal)(?= ))(?!.* (?:est|is|'s|are|sera|devient|becomes|change|changed) (?:\S+ ){0,4}\S*\d)(?= )/;

/** The head of what somebody has stands first in French, last in English: « ma requête SQL », "my SQL query". */
const isInHand = (noun: string) => IN_HAND.test(noun) || IN_HAND.test(noun.split(' ').at(-1) ?? '');

/** Whoever is called so before a name is known to everybody. Folded. */
const PUBLIC =
  /^(?:(?:le|la|l|the|un|une|a|an) )?(?:(?:\S+ )?(?:ex|former|ancien|ancienne) )?(?:\p{L}+ )?(?:chanteur|chanteuse|singer|acteur|actrice|actor|actress|comedien|comedienne|romancier|romanciere|novelist|ecrivain|ecrivaine|author|poete|poet|peintre|painter|sculpteur|sculptor|compositeur|compositrice|composer|pianiste|pianist|violoniste|violinist|rappeur|rappeuse|rapper|soprano|tenor|cineaste|realisateur|realisatrice|film maker|president|presidente|ministre|minister|senateur|senatrice|senator|depute|deputee|roi|reine|king|queen|prince|princesse|princess|juge|judge|prefet|prefete|sheriff|maire|mayor|procureure?|prosecutor|astronome|astronomer|duc|duchesse|duke|duchess|empereur|emperor|pape|pope|general|philosophe|philosopher|milliardaire|billionaire|astronaute|astronaut|navigateur|navigatrice|sailor|alpiniste|mountaineer|parachutiste|skydiver|explorateur|exploratrice|explorer|champion|championne|footballeur|footballeuse|footballer|cycliste|cyclist|boxeur|boxeuse|boxer|influenceur|influenceuse|influencer|youtubeur|youtubeuse|youtuber|savant|physicien|physicienne|physicist|inventeur|inventor|paquebot|navire|ship|liner|fleuve|river|mont|mount|planete|planet|musee|museum)(?= )/u;
/** How long, high, fast or peopled something is, or how much of something there is more or less. */
const MEASURED =
  /(?:^| )(?:\d\S*(?: \d+)* (?:(?:millions?|milliards?|billions?|thousand) )?(?:d |de |of )?(?:m|km|metres?|meters?|kilometres?|kilometers?|miles|feet|ft|mph|hectares|km2|tonnes?|tons?|degres?|degrees|habitants|inhabitants|people|ames|annees lumiere|light years|millions?|milliards?|billions?)|(?:over|about|around|more than|up to|almost|nearly|plus de|plus d|environ|pres de|jusqu a) (?:\d\S*|cent|mille|a hundred|a thousand|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|vingt|trente|quarante|cinquante|soixante) \p{L}+|(?:\S+ )?(?:millions?|milliards?|billions?) (?:de |d |of )?\p{L}+)(?= |$)/u;
/** What states hold and decide together. */
const OF_STATES =
  /(?:^| )(?:g7|g8|g20|onu|otan|nato|unesco|unicef|fmi|imf|brexit|cop ?\d\d|union europeenne|european union)(?= |$)/;
/** A year in which nobody lived of whom one tells. */
const HISTORY = /(?:^| )(?:en|in|since|depuis|vers|born|around) 1(?:[0-8]\d\d|90\d)(?= |$)/;
/** How long it takes: the same for everybody. */
const TAKES_TIME =
  /(?:^| )(?:met|prend|dure|takes|lasts) (?:\S+ ){1,3}(?:heures?|hours?|minutes?|mins?|jours?|days?)(?= |$)/;
/** What people tell an assistant of things that have a name: when, what was decided, how to reach or open them, whose they are. */
const TIES = new Set('meeting decision contact code rule goal home use work health'.split(' '));

/** Does anything in a clause tie what it says to the user: a date, somebody of theirs, a matter that is theirs to deal with? */
function isTied(words: readonly Word[], subject: Subject | null): boolean {
  const { text } = plainText(words);
  return (
    holdsDate(text) ||
    isNear(words, subject) ||
    words.some(({ plain }, index) => POSSESSIVE.test(plain) || kinshipAt(words, index) !== null) ||
    classesOf(text).some((name) => TIES.has(name))
  );
}

/** « La tour Eiffel … », « Le parachutiste Quenouillard … », "the British Museum …": the index behind an article, a noun and a name; 0 if none. */
function namedThing(words: readonly Word[]): number {
  if (!/^(?:le|la|l|les|the)$/.test(words[0]?.plain ?? '')) return 0;
  const at = words.slice(0, 5).findIndex(isNameWord);
  const isHead =
    at > 0 && words.slice(1, at).every(({ plain }) => !isVerb(plain) && /^[\p{L}-]+$/u.test(plain));
  return isHead ? nameEnd(words, at) : 0;
}

/**
 * Is it what everybody may know, or the doings of somebody known to everybody? A thing or a person with a name that nothing ties to the
 * user, a measure of what has a name or is nobody's, and whoever is called by what makes them known.
 */
function isOfTheWorld({ words, subject }: Met): boolean {
  const { text } = plainText(words);
  const isBare = subject?.type === 'person' && subject.isBare;
  // « Le viaduc de Millau » reads as what somebody has.
  const isOf = subject?.type === 'owned' && subject.owner.entity === 'person' && !subject.owner.kinship;
  const isThing = subject?.type === 'thing' || (subject === null && /^(?:le|la|l|les|the) /.test(text));
  if (!isBare && !isOf && !isThing) return false;
  if (isThing && PUBLIC.test(text) && words.slice(1, 5).some(isNameWord)) return true;
  if (isBare && PUBLIC.test(text)) return true;
  if (HISTORY.test(text) || OF_STATES.test(text)) return true;
  const isTheirs = isTied(words, subject);
  if (isOf && !isTheirs && !hasTopic(words)) return true;
  const hasName = isBare || namedThing(words) > 0;
  if (MEASURED.test(text)) return hasName ? !holdsDate(text) : isThing && !isTheirs;
  if (isThing && TAKES_TIME.test(text)) return !isTheirs;
  return isThing && hasName && !isTheirs;
}

/**
 * Does a clause speak of what is none of the user's: of the famous, of whoever was asked about, of what is worked on here? `story` if it
 * is told of people in a book or a film, who go on in the clauses behind; `case` if of somebody's client, patient or pupil.
 */
export function isStranger(one: Met): boolean | 'story' | 'case' {
  const { words, subject } = one;
  if (one.isKnown) return false;
  const { text } = plainText(words);
  const isBare = subject?.type === 'person' && subject.isBare;
  const isIn = /^(?:dans|in)$/.test(words[0]?.plain ?? '') && words.slice(1, 3).some(isNameWord);
  if (isIn && (isBare || subject === null) && !holdsDate(text)) {
    return 'story';
  }
  if (isBare && one.isStory) return true;
  const rest = plainText(words.slice(subject?.next ?? 0)).text;
  if ((isBare || subject?.type === 'thing') && REPORTS.test(rest)) return true;
  if (subject?.type === 'owned' && isInHand(subject.noun)) return true;
  if (subject?.type === 'thing' && IN_HAND.test(words[1]?.plain ?? '')) return true;
  const isThing = subject?.type === 'owned' || subject?.type === 'thing';
  if (isThing && PROGRAM.test(` ${text} `)) return true;
  if (one.asks && isCase(words)) return 'case';
  if (one.asks && isInGame(words)) return true;
  const isIndefinite =
    /^(?:un|une|a|an)$/.test(words[0]?.plain ?? '') && (subject === null || subject.type === 'thing');
  if (isIndefinite && !one.isPersonal) return true;
  if (one.isPersonal || (subject?.type === 'pronoun' && one.followsKept)) return false;
  if (isOfTheWorld(one)) return true;
  if (subject?.type === 'pronoun') return one.asks || !one.isFirst || !BEFELL.test(text);
  if (!isBare) return false;
  const { isOver, isPast, text: said } = readPredicate(words.slice(subject.next));
  const isDescribed =
    subject.people.length === 1 &&
    subject.next > nameEnd(words, 0) &&
    !/\d/.test(plainText(words.slice(0, subject.next)).text);
  return isOver || (one.asks && !(isDescribed && !isPast)) || DEFINES.test(said);
}
