import { FULL_WEEKDAYS } from '../../support/text/calendar.ts';
import { functionWords } from '../../support/text/stopWords.ts';
import { foldedWords } from '../../support/text/tokenise.ts';

/** Recognises some words and phrases in a text, whatever its accents and case. */
export type Phrases = (text: string) => boolean;

/**
 * @param listed words and phrases in both languages, between commas and line breaks; a star at the end of a word stands for any ending
 */
export function phrases(...listed: readonly string[]): Phrases {
  const patterns = listed
    .flatMap((some) => some.split(/[,\n]/))
    .map((phrase) => phrase.trim())
    .filter(Boolean)
    .map((phrase) => phrase.split(' ').map(patternOf).join(' '));
  const pattern = new RegExp(`(?:^| )(?:${patterns.join('|')})(?= |$)`);
  return (text) => pattern.test(wordsOf(text));
}

/** Texts that are asked about again: a statement is compared with many facts, and each of them in many ways. */
const READ = 500;
const read = new Map<string, string>();

function wordsOf(text: string): string {
  const known = read.get(text) ?? foldedWords(text);
  if (read.size >= READ) read.clear();
  read.set(text, known);
  return known;
}

/** Folded words without a cause: what it says has not changed what is told. */
const withoutCause = (text: string): string =>
  wordsOf(text.replace(/(?<=\S )(?:parce qu|puisqu|because)[^,;.:!?]*/gi, ''));

const patternOf = (word: string): string =>
  foldedWords(word.replaceAll('*', '')) + (word.endsWith('*') ? '\\S*' : '');

/** Folded words of a list, between blanks and line breaks. */
export const wordSet = (...lists: readonly string[]): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => list.split(/\s+/).filter(Boolean)));

/** Something has changed. */
const CHANGE = [
  `désormais, dorénavant, maintenant, à présent, à partir de, nouveau, nouvel, nouvelle*, nouveaux, déménag*, emménag*, quitt*, lâch*,
   arrêt*, passe, passent, passé, passée, passer, remplac*, deven*, devient, deviennent, depuis, plus, install*, termin*, fini, finie, finis,
   repris*, vendu*, rendu*, pris, prise, voilà, reclass*, reconver*, embauch*, retraite, ne marche plus, l'ancien, l'ancienne`,
  `now, nowadays, actually, moved, moves, moving, relocated, left, leaving, quit, stopped, anymore, any more, no longer, longer, new, became, become,
   settled, turned, replaced, these days, switched, switches, switching, swapped, sold, gave up, given up, used to, ended up, turns out, from now on, as of,
   jacked in, the old one, taken on, retired, of my own, of her own, of his own, of their own`,
];
/** It is the very thing that was spoken of that has changed. */
const REVISION = [
  `finalement, plutôt, en fait, en réalité, au lieu, avis, à la place, chang*, report*, repouss*, avanc*, recul*, retard*, décal*, déplac*,
   gliss*, bascul*, annul*, abandonn*, renonc*, tombe à l'eau, tombé à l'eau, remis à, remis au, remise à, remise au, ramen*, prolong*,
   rallong*, tranché, se fera, aura lieu finalement, monte, montent, montée, baiss*, augment*, passe à, passe au, passent au, passent à,
   passé à, passé au, je me suis trompé*, erreur de ma part`,
  `instead, rather, after all, in the end, change*, changing, postpon*, resched*, shift*, slips to, slipped to, slipping to, slid, slides, delay*, bump*, switch*, swap*,
   scrapp*, dropped, extend*, cancel*, called off, pulled forward, brought forward, put back, pushed back, moved to, moved back,
   scratch that, scrap that, my mistake, moved up, moved forward, gets moved, got moved, raise*, lowered, lowers, increase*, goes up, went up, gone up, going up, goes down, went
   down, gone down`,
];
/** It will not be. */
const CANCELS = [
  "annul*, abandonn*, renonc*, tombe à l'eau, tombé à l'eau",
  'cancel*, called off, scrapp*, given up on, gave up on',
];
/** Between the verb and its particle stands what was moved: "they put my physio back". */
const MOVED_APART =
  /(?:^| )(?:put|push(?:ed)?|moved?|brought|bring|shifted|pulled) (?:\S+ ){1,5}(?:back|forward|up|to|off)(?= |$)/;
/** It is another one. */
const OTHER = [
  `un autre, une autre, d'autres, l'autre, autre rendez vous, aussi, également, retour, par contre,
   en revanche, quant à, de son côté`,
  'other, another, also, too, back from, further, on the other hand, as for, whereas',
];
/** A second one of its kind; "the second Thursday" is a day of the month. */
const SECOND = new RegExp(
  `(?:^| )(?:second|seconde|deuxieme)(?! (?:hand|main|${[...FULL_WEEKDAYS, 'week', 'weekend', 'floor', 'year', 'semaine', 'etage', 'annee'].join('|')})(?= |$))(?= |$)`,
);
/** « Malo, lui, vit à Belfort » */
const CONTRAST = /,\s*(?:lui|elle|eux|elles)\s*(?:,|$)/i;
/** « rien d'autre » is no other one. */
const NO_OTHER = [`rien d'autre, personne d'autre, entre autres`, 'nothing else, other than, second hand'];
/** It goes on as it was. */
const CONTINUES = [
  'toujours, encore, reste, restent, continue, continuent, comme avant',
  'still, remain*, stays, carry on, carries on, keep on, same as before',
];
/** It has ended. */
const ENDED = [
  `ne plus, suis plus, fais plus, mange plus, bois plus, est plus, ai plus, a plus, va plus, arrêté de, arrête de, arrêtée de, arrêté les, arrêté la, arrêté l', fini, finie,
   vendu*, rendu*`,
  'anymore, any more, no longer, quit, stopped, gave up, given up, sold',
];
/** « je ne mange plus » */
const NO_LONGER = /(?:^| )(?:ne|n) (?:\S+ ){1,3}plus(?= |$)/;
/** It is told of something that is over, and cannot be moved any more. */
const PAST =
  /(?:^| )(?:(?:ai|as|a|avons|avez|ont|suis|est|sommes|sont|etais|etait|etions|etaient) (?:ete )?\S{2,}(?:e|ee|es|ees|i|is|it|u|us|ert|ait)|was|were|met|went|did|had|\S{3,}ed)(?= |$)/;

const change = phrases(...CHANGE);
const revision = phrases(...REVISION);
const other = phrases(...OTHER);
const noOther = phrases(...NO_OTHER);
const ended = phrases(...ENDED);

/** Does a text say that the very thing it speaks of has changed? */
export const revises: Phrases = (text) =>
  revision(withoutCause(text)) || MOVED_APART.test(withoutCause(text));
/** « Au lieu de lundi », « du mardi au jeudi », "instead of Monday", "from Tuesday to Thursday": what no longer holds. */
const REPLACED =
  /(?<!\p{L})(?:(?:au lieu d|plutôt qu|et (?:non|plus) |instead of |rather than |and not )[^,;.]*|(?:du|de|from) (?:\S+ ){1,3}?(?=(?:à|au|aux|to) ))/giu;
/** A text without what it says is no longer so. */
export const withoutReplaced = (text: string): string => (changes(text) ? text.replace(REPLACED, '') : text);

/** What somebody got rid of, or does no more; the thing itself stands behind it. */
const ENDING =
  /(?:^| )(?:vendu|revendu|rendu|donne|quitte|lache|laisse|cede|transmis|refile|confie|arrete|resilie|handed over|passed on|sold|quit|dropped|ditched|stopped|gave up|given up|got rid of|left(?= (?:the|my|our) )) (?:(?:l|le|la|les|de|du|d|mon|ma|mes|notre|nos|the|my|our|its) )*((?:\S+ ?){1,4})/;

/** Folded words of what a text says somebody got rid of or does no more: "I sold the Clio". Empty if it says no such thing. */
export function endedIn(text: string): string[] {
  const [, ended = ''] = ENDING.exec(withoutCause(text)) ?? [];
  const words = ended.trim().split(' ').filter(Boolean);
  const end = words.findIndex((word) => functionWords.has(word) || EMPTY.has(word));
  return end === -1 ? words : words.slice(0, end);
}

const NOT_SO =
  /(?:^|[\s,;])(?:et (?:non|pas|plus)|not|and not|non|pas|plus)\s+(?:(?:le|la|les|l'|à|au|chez|en|the|at|in|on)\s*)*(\p{Lu}[\p{L}\p{M}'-]+)/gu;

/** Folded names of which a text says that it is not they: "Morgan, not Robin", « Marceau et pas Sacha ». */
export const namesNotMeant = (text: string): string[] =>
  [...text.matchAll(NOT_SO)].map(([, name = '']) => foldedWords(name));

/** Does a text say that something will not be? */
export const cancels: Phrases = phrases(...CANCELS);
/** Does a text say that something has changed? */
export const changes: Phrases = (text) => change(withoutCause(text)) || revises(text);
/** Does a text say that it speaks of another one? */
export const namesAnother: Phrases = (text) =>
  (other(text) && !noOther(text)) || SECOND.test(wordsOf(text)) || CONTRAST.test(text);
/** Does a text say that something goes on as it was? */
export const continues: Phrases = phrases(...CONTINUES);
/** Does a text say that something has ended? */
export const ends: Phrases = (text) => ended(withoutCause(text)) || NO_LONGER.test(withoutCause(text));
/** Does a text name the one thing of its kind that somebody likes best? */
export const isFavourite: Phrases = phrases('préféré*', 'favourite, favorite');
/** Does a text say that somebody has left somebody, a place or an employer? */
export const leaves: Phrases = phrases(
  'quitt*, démission*, viré, virée, licenci*, sépar*, rompu, divorc*, largu*',
  'split up, broke up, divorced, left, leaving, quit, resigned, fired, laid off, moved out',
);
/** Does a text tell of something that is over? */
export const isPast: Phrases = (text) => PAST.test(wordsOf(text));

/** Opposites that tell two things of one kind apart. */
export const SIDES: ReadonlyMap<string, string> = new Map(
  [
    ['gauche', 'droit'],
    ['gauche', 'droite'],
    ['left', 'right'],
    ['aller', 'retour'],
    ['matin', 'soir'],
    ['morning', 'evening'],
    ['paternel', 'maternel'],
    ['nord', 'sud'],
    ['north', 'south'],
  ].flatMap(([one = '', opposite = '']) => [
    [one, opposite],
    [opposite, one],
  ]),
);

/** Words that say nothing of what a statement is about: verbs of being, doing, moving, deciding and happening, relative times, chat. */
export const EMPTY = wordSet(
  `aller vais va allons vont aura sera seront mis mettre met prevu prevue prevus lieu tient fera ferai fais fait font premiere premier fois
   an annee ans mois semaine jour jours prochain prochaine dernier derniere heure heures h ete hiver printemps automne matin soir midi nuit
   jai jsuis jfais jme jhabite g c jvais chui toujours encore decide decidee choisi choisie tranche finalement plutot donc dit
   pars part partons partent vient viens venir passe passent passer prend prends prenons pratique monte sais sait savoir appartient
   bientot projet prevoir acheter achete acheter penser cause veux voudrais veut euros euro`,
  `soon project need needs buy bought take takes happen happens will first time go going goes gonna gone get gets getting got cant wont dont till til
   year years month months week weeks day days next last hour hours summer winter spring autumn morning evening noon tonight
   monsieur madame mademoiselle mme mlle mr mrs ms btw fyi tbh imo still always decided settled picked planning plan know knows doing done make makes come comes coming want wants instead belongs beside`,
);
/** Words that say what is told of a thing, where there is only one: that it is liked, called something, or worked at. */
export const LIGHT = wordSet(
  `appelle appeler appel nom prenom nomme nommee travaille travailler bosse bossent aime aimes aiment adore adorent deteste detestent
   interdit interdite autorise autorisee supporte supportent horreur`,
  'work works working call called name named love loves like likes enjoy hate hates dislike stand bear favourite',
);
