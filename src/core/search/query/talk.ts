import { functionWords } from '../../support/text/stopWords.ts';
import { fold } from '../../support/text/tokenise.ts';

/** What a question asks of the talk between the user and Souvenir itself. */
export interface Talk {
  /** What was said, asked or decided; or what is known about the user. */
  asks: 'said' | 'about-user';
  /** Words of the matter that it is about, folded; empty if it asks of everything. */
  topic: ReadonlySet<string>;
  /** The channel that it names, folded; null if it names none. */
  channel: string | null;
}

/** A longer message tells or asks more than what was said. */
const MOST_WORDS = 40;

// Classes of words, folded; hyphens and apostrophes part words ("t'ai-je" is "t ai je"). Subjects and verbs make a question about the
// talk only together: "we decided" between us, "the council decided" not.
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const WE = words('on nous we');
/** What two do who talk. */
const TALKED = words(`
 parle parlait parlions parler dit dits dite disait disions dire discute discutait discutions discuter cause causait bavarde
 decide decidait decider conclu conclure convenu evoque evoquait aborde abordes abordees echange raconte racontes traite traites tranche
 choisi arrete arretes prevu promis accord decision decisions pris partis travaille travaillait bosse planche fait vu
 talk talked talking discuss discussed discussing say said saying decide decided deciding agree agreed speak spoke spoken speaking
 cover covered covering mention mentioned settle settled conclude concluded chat chatted chatting go went going gone choose chose chosen
 plan planned exchange exchanged work worked working reach reached leave left touch touched settling resolve resolved`);
const I = words('je j i');
const ASKED = words(`
 demande demandais demander dit disais parle parlais pose posais raconte explique confie mentionne savoir voulu
 ask asked asking tell told telling say said saying mention mentioned mentioning know raise raised share shared`);
const YOU = words('tu vous you');
const ANSWERED = words(`
 dit repondu conseille propose suggere recommande explique raconte indique rappele
 say said tell told answer answered suggest suggested advise advised recommend recommended reply replied propose proposed explain explained`);
/** Verbs that are about the talk only with another word. */
const ONLY_WITH: Readonly<Record<string, RegExp>> = {
  pris: / decisions? /,
  partis: / sur /,
  fait: / (?:ensemble|toi et moi|on a fait quoi|avons nous fait|a t on fait|on a fait) /,
  vu: / (?:ensemble|toi et moi|on a vu|avons nous vu) /,
  go: / (?:go|went|going|gone) (?:over|through) /,
  went: / went (?:over|through) /,
  going: / going (?:over|through) /,
  gone: / gone (?:over|through) /,
  work: / work on /,
  worked: / worked on /,
  working: / working on /,
  reach: / (?:decision|agreement|conclusion)s? /,
  reached: / (?:decision|agreement|conclusion)s? /,
  leave: / leave (?:it |things )?(?:off|at) /,
  left: / left (?:it |things )?(?:off|at) /,
  touch: / touch on /,
  touched: / touched on /,
};
/** May stand between a subject and its verb. */
const BETWEEN = words(`
 a ai as avait avais avons avions avez aviez est etait etaient sommes etions suis s t m me te se l le la les en y n ne pas deja bien
 vraiment encore jamais tout tous juste ete pu fini par d de des mis toi moi et ensemble nous vous on je tu quoi quelle quelles quel quels
 question questions veux voulais voulu voudrais finalement ci ca
 have had has ve d did do does been were was just already ever also both even end ended up finally really last to not all kept be
 some any a an the want wanted wish wished you me i we about`);
/** Of these, only what is told in the past was said. */
const PAST = words(`
 a ai as avait avais avons avions avez aviez est etait sommes etions suis etais did had have has ve were was been told said asked
 talked discussed decided agreed spoke spoken covered mentioned settled concluded chatted went left chose chosen
 disait disions disais parlait parlais parlions discutait discutions demandais voulais causait travaillait decidait evoquait suggested
 advised answered recommended replied worked planned reached`);
const INTERROGATIVE = words(
  'quoi que qu quel quelle quels quelles ou comment quand pourquoi what which where when how why whether dont',
);
const REQUEST =
  / (?:rappelle|rappelles|rappeler|redis|resume|resumer|recapitule|recapituler|recap|synthese|bilan|resumes|montre|montrer|liste|lister|affiche|afficher|revoir|retrouve|retrouver|donne|dis|raconte|remind|summari[sz]e|summary|summari[sz]ing|sum up|list|show|tell|recall|give|wrap up|go (?:through|over)|bring up|pull up|look up|find|i forgot|i forget|je ne sais plus|j ai oublie|souviens|rappelez|resumez|remember|like|aimerais|voudrais|everything|anything|all (?:that|the things)|tout ce) /;
const COUNT_OF_TALK =
  'conversations?|discussions?|echanges?|dialogues?|chats?|exchanges?|talks?|causettes?|entretiens?|seances?|sessions?|messages?|decisions?|historique|history|sujets?|topics?';
const ADJECTIVES =
  '(?:toutes?|tous|all|very|tres|last|latest|recent|recente?s?|previous|prior|earlier|past|few|dernieres?|derniers?|precedente?s?|premiere?s?|first|autres?|other|longues?|two|three|deux|trois|final|finale|older|anciennes?|most|plus) ';
/** « Nos derniers échanges », "our decision". */
const OUR_TALK = new RegExp(` (?:notre|nos|our) (?:${ADJECTIVES})*(?:${COUNT_OF_TALK}) `);
const OUR_PERIOD =
  / (?:notre|nos|our) (?:(?:dernieres?|derniers?|last|past|two|three|deux|trois) )*(?:semaines?|journees?|mois|matinee|annee|weeks?|days?|months?|year|weekend|week end) /;
/** Of nobody in particular: « la conversation d’hier ». */
const THE_TALK =
  / (?:la|les|cette|ces|the|this|these|l|yesterday s|week s|today s|month s|(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche) s|(?:mon|tues|wednes|thurs|fri|satur|sun)day s|d hier) (?:ADJ)*(?:conversations?|discussions?|echanges?|chats?) /;
const THE_TALK_OF = new RegExp(THE_TALK.source.replace('ADJ', ADJECTIVES));
const MY_QUESTION = new RegExp(
  ` (?:ma|mes|my) (?:${ADJECTIVES})*(?:questions?|demandes?|requetes?|requests?|messages?|prompts?) `,
);
const YOUR_ANSWER = new RegExp(
  ` (?:ta|tes|ton|vos|votre|your) (?:${ADJECTIVES})*(?:reponses?|conseils?|suggestions?|recommandations?|answers?|repl(?:y|ies)|advice|recommendations?) `,
);
/** They ask how a matter stands that was talked of before. */
const CATCH_UP: readonly RegExp[] = [
  / (?:fais|faire|faites|fait|donne|donner|un) (?:moi |nous |me )?(?:le |un )?(?:petit )?point (?:complet |rapide )?(?:sur|concernant|a propos|au sujet) /,
  / (?:re)?(?:mets|mettre|mettez) (?:moi |nous )?(?:vite )?(?:a jour|au courant|a niveau|dans le bain) /,
  / ou en (?:est|sommes|etions|etait) (?:on|nous) /,
  / (?:on|nous) en (?:est|sommes|etait|etions) ou /,
  / ou (?:on|nous|est ce qu on|est ce que nous) en (?:est|etait|etions|sommes) /,
  / quoi de (?:neuf|nouveau) (?:sur|avec|pour|cote|concernant|a propos|au sujet|dans) /,
  / (?:topo|recap|recapitulatif|bilan|etat des lieux|briefing?|synthese) (?:rapide |complet )?(?:sur|de|d|concernant|a propos|au sujet) /,
  / (?:brief|briefe) (?:moi|me) (?:sur|on|about) /,
  / rafraichi\w* (?:moi )?la memoire /,
  / dernieres nouvelles (?:de|d|du|des|sur|concernant) /,
  / (?:catch|caught|catching) (?:me |us )?up /,
  / (?:bring|get|put) me (?:back )?(?:up to (?:speed|date)|in the picture) /,
  / (?:fill|clue|loop) me (?:back )?in /,
  / where (?:are|were|do|did|had) we (?:now |got |get )?(?:with|on|at|regarding|about|stand|to with|up to)? ?(?:with|on|regarding|about)? ?$/,
  / where (?:are|were|do|did) we (?:now )?(?:with|on|at with|stand|at on|regarding) /,
  / where (?:did|had|have) we (?:leave|left|stop|stopped|end|got|get)/,
  / how far (?:along )?(?:are|were|did|have) we (?:got(?:ten)? )?(?:get )?(?:along )?(?:with|on|in) /,
  / what (?:s|is|are) (?:the latest|new|happening|going on|the state|the status|the news) (?:news )?(?:on|with|about|for|of|regarding) /,
  / update me (?:on|about|regarding|with) /,
  / (?:an?|any|the|quick|short|latest) (?:quick |short |brief |status )?(?:updates?|rundown|briefing|recap|overview|status) (?:on|about|for|of|regarding|with) /,
  / (?:refresh|jog) my memory /,
];
const ME =
  '(?:de|sur|a propos de|au sujet de|concernant) moi|a mon sujet|me concernant|a mon propos|mon compte';
const KNOWN_FR =
  'sais|savez|connais|connaissez|retenu|retiens|retenez|appris|memorise|enregistre|stocke|garde|souviens|rappelles|note|informations?|infos?|memoire|faits|souvenirs|donnees';
const KNOWN_EN =
  'know|remember|recall|learn|learned|learnt|stored?|saved?|kept|keep|noted|collected|information|info|facts?|memory|memories|memori[sz]ed|have(?= on me| about me)|got(?= on me| about me)';
const ABOUT_USER: readonly RegExp[] = [
  new RegExp(` (?:tu|toi|te|t|vous|dis|liste|montre|donne|ta|votre) .*\\b(?:${KNOWN_FR})\\b.* (?:${ME}) `),
  new RegExp(` (?:${KNOWN_FR}) (?:tu|vous|te|t) (?:\\w+ ){0,4}(?:${ME}) `),
  new RegExp(` (?:${KNOWN_FR}) .*(?:as|avez|ai) (?:tu|vous) (?:\\w+ ){0,4}(?:${ME}) `),
  / (?:tu|vous) me (?:connais|connaissez) /,
  / me (?:connais|connaissez) (?:tu|vous) /,
  /(?<! (?:a|avec|pour|de|sur|chez|par|en)) qui (?:suis je|je suis) /,
  / parle[sz]? moi (?:un peu )?de moi /,
  new RegExp(
    ` (?:you|your|tell|show|list|give) .*\\b(?:${KNOWN_EN}) (?:\\w+ ){0,4}(?:about|on|of|regarding) (?:me|myself) `,
  ),
  / (?:facts?|information|info|memor(?:y|ies)|knowledge|data) (?:\w+ ){0,3}(?:about|on|of) me (?:have|do|did|that|which|are|you)/,
  / who (?:am i|i am) /,
  / (?:tell|remind) me about (?:me|myself) /,
  / (?:do|how well|how much) (?:do )?you (?:really )?know me /,
];
/** « Que penses-tu de moi ? » asks for an opinion, "a text about me" for a text. */
const NOT_KNOWLEDGE =
  / (?:penses|pensez|think|thinks|write|ecris|draft|redige|compose|poem|poeme|lettre|letter) /;
/** What does not belong to the two who talk. */
const BETWEEN_OTHERS =
  / (?:entre|between) (?!nous|us|moi|me|toi|you|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|le|\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day)/;
const BETWEEN_US = / (?:entre nous|between us|between you and me|between the two of us) /;
/** Begins what is told, not asked: "that's not what I asked" corrects. */
const TELLS =
  /^ (?:voici|voila|here is|here are|here s|note que|note that|retiens|souviens toi que|remember that|(?:non |no )?(?:c est|ce n est|that|this|it)(?: is| s)? (?:not|pas) (?:what|ce que)) /;
const CHANNELS: readonly [RegExp, string | null][] = [
  [/ (?:canal|salon) (?:de |du |d |des )?(\w+(?:_\w+)*) /, null],
  [/ (?:in|on|from|of) (?:the |my )?(\w+) channel /, null],
  [/ channel (?:named |called )?(\w+) /, null],
  [/ (?:captures? rapides?|saisies? rapides?|quick (?:captures?|notes?|capture)) /, 'quick'],
  [
    / (?:conversations?|discussions?|historiques?|echanges?|chats?|histor(?:y|ies)) (?:importee?s?|imported) | imported (?:conversations?|chats?|histor(?:y|ies)|discussions?) /,
    'import',
  ],
];
/** With which people ask about the talk: they name no matter. Beside the classes above. */
const NO_MATTER = words(`
 conversation conversations discussion discussions echange echanges dialogue dialogues chats exchanges talks causette entretien
 seance seances session sessions message messages historique history sujet sujets topic topics subject subjects chose choses thing things
 question questions demande demandes request requests reponse reponses conseil conseils answer answers advice suggestion suggestions
 last latest recent recente recents recentes previous previously prior earlier past few derniere dernieres dernier derniers precedent
 precedente precedents precedentes premier premiere first autre autres other two three deux trois most plus recemment recently avant
 before ago fois time times semaine week journee day mois month annee year
 rappelle rappelles rappeler redis resume resumer recapitule recapituler recap recapitulatif synthese bilan montre montrer liste lister affiche
 afficher revoir retrouve donne donner raconter remind summarise summarize summary sum list show tell recall give wrap bring pull find forgot
 forget oublie sais souviens remember like aimerais voudrais peux pouvez could please plait svp merci thanks quick
 neuf nouveau jour jours courant bain niveau topo etat lieux brief briefing rafraichis rafraichir memoire nouvelles catch speed date fill clue
 refresh memory far along stand latest new update updates rundown overview status happening point petit rapide fais faire
 mets remets mettre concernant propos regarding concerning option options canal channel salon tout toute something quelque kind help
 precedemment tout heure heures toi moi moment derniere going about state news off agreement end ended ensemble together cote
 vite encore deja again all everything anything exactly exactement alors donc bon so well ok okay yes oui reprenons reprendre continuons
 bonjour bonsoir salut coucou hello hi hey stp s il te vous please us`);

const NO_TOPIC = [NO_MATTER, TALKED, ASKED, ANSWERED, BETWEEN, PAST, INTERROGATIVE, functionWords];
const isTalkWord = (word: string) => NO_TOPIC.some((some) => isOf(some, word));

/** Participles agree: « la question que je t’ai posée », « une décision prise ». */
const isOf = (some: ReadonlySet<string>, word: string) =>
  some.has(word) || (word.length > 4 && some.has(word.replace(/(?:es|e|s)$/, '')));

/**
 * Reads whether a question is about the talk itself ("what did we decide about the roof?", « nos derniers échanges », "what do you know
 * about me?"), with or without accents. A question about a matter, and what only tells something, gives null.
 * @param timeWords words of the stretch of time that the question names, folded: they name no matter
 */
export function readTalk(text: string, timeWords: readonly string[]): Talk | null {
  const all = wordsOf(text);
  if (all.length === 0 || all.length > MOST_WORDS) return null;
  const plain = ` ${all.join(' ')} `;
  if (TELLS.test(plain)) return null;
  if (isAboutUser(plain)) return { asks: 'about-user', topic: new Set(), channel: null };
  const named = channelOf(plain);
  const isTime = new Set(timeWords.flatMap(wordsOf));
  const topic = new Set(
    all.filter((word) => word.length > 1 && !isTime.has(word) && !isTalkWord(word) && !named.words.has(word)),
  );
  const isAsked =
    text.trimEnd().endsWith('?') || REQUEST.test(plain) || all.some((word) => INTERROGATIVE.has(word));
  const said = { asks: 'said' as const, topic, channel: named.channel };
  if (CATCH_UP.some((pattern) => pattern.test(plain))) return said;
  if (BETWEEN_OTHERS.test(plain)) return null;
  const isOfTalk =
    OUR_TALK.test(plain) || (OUR_PERIOD.test(plain) && (REQUEST.test(plain) || topic.size === 0));
  if (isOfTalk && (isAsked || topic.size === 0)) return said;
  const isOfOneSide =
    (MY_QUESTION.test(plain) || YOUR_ANSWER.test(plain)) &&
    (isTime.size > 0 || /\b(?:derni|last|prec|prev)/.test(plain) || hasPast(plain));
  if (isOfOneSide && (isAsked || topic.size === 0)) return said;
  if (THE_TALK_OF.test(plain) && isAsked && topic.size === 0) return said;
  const isBetweenUs = BETWEEN_US.test(plain) && hasPast(plain) && all.some((word) => isOf(TALKED, word));
  return isAsked && (isBetweenUs || wasSaid(all)) ? said : null;
}

function isAboutUser(plain: string): boolean {
  return !NOT_KNOWLEDGE.test(plain) && ABOUT_USER.some((pattern) => pattern.test(plain));
}

const wordsOf = (text: string): string[] =>
  fold(text)
    .split(/[^\p{L}\p{N}_]+/u)
    .filter(Boolean);

function channelOf(plain: string): { channel: string | null; words: ReadonlySet<string> } {
  for (const [pattern, known] of CHANNELS) {
    const match = pattern.exec(plain);
    if (match) return { channel: known ?? match[1] ?? null, words: new Set(match[0].trim().split(' ')) };
  }
  return { channel: null, words: new Set() };
}

/** « Est-ce que » and « c’est » tell nothing of the past. */
const hasPast = (plain: string) =>
  plain
    .replace(/ (?:est ce|c est) /g, ' ')
    .split(' ')
    .some((word) => PAST.has(word));

/** Asks for what, not whether: « qu’as-tu dit ? », not « as-tu dit oui ? ». */
const WHAT =
  / (?:quoi|que|qu|quel|quelle|quels|quelles|ce que|ce qu|dont|what|which|anything|everything|something) /;
const TO_ME = / (?:m|me) /;

/** Is something told of that the two said: a verb of talking in the past, whose subject is one of them? */
function wasSaid(all: readonly string[]): boolean {
  const plain = ` ${all.join(' ')} `;
  return all.some((verb, place) => {
    const isToldBy = (subjects: ReadonlySet<string>) => isPastOf(all, place, subjects);
    if (isTalked(verb, plain) && isToldBy(WE)) return true;
    const isOpen = WHAT.test(plain) && !isToOthers(all, place);
    if (isOf(ASKED, verb) && isToldBy(I)) return isOpen;
    return isOpen && TO_ME.test(plain) && isOf(ANSWERED, verb) && isToldBy(YOU);
  });
}

function isTalked(verb: string, plain: string): boolean {
  if (!isOf(TALKED, verb)) return false;
  return ONLY_WITH[verb]?.test(plain) ?? ONLY_WITH[verb.replace(/(?:es|e|s)$/, '')]?.test(plain) ?? true;
}

/**
 * Is a verb in the past, and of one of these subjects? The subject stands before the verb or after its auxiliary, with nothing between
 * that could be another subject.
 */
function isPastOf(all: readonly string[], place: number, subjects: ReadonlySet<string>): boolean {
  const verb = all[place] ?? '';
  // « De quoi parlait-on ? »
  if (subjects.has(all[place + 1] ?? '') && /(?:ait|ions|ais)$/.test(verb)) return true;
  for (let at = place - 1; at >= 0; at -= 1) {
    const word = all[at] as string;
    if (subjects.has(word)) return hasPast(` ${all.slice(Math.max(0, at - 2), place + 1).join(' ')} `);
    if (!BETWEEN.has(word)) return false;
  }
  return false;
}

/** Ends what the user said to nobody in particular. */
const OPEN_END = words(
  `about for on to of regarding concerning last yesterday this earlier before when in that since between today recently ago from exactly at
   a propos sur au pour hier mardi lundi mercredi jeudi vendredi samedi dimanche concernant de d du des la le les ce cette il avant quoi deja
   monday tuesday wednesday thursday friday saturday sunday`,
);

/** "What did I tell Paul", « ce que j’ai dit à Marie »: said elsewhere. */
function isToOthers(all: readonly string[], place: number): boolean {
  const before = all.slice(Math.max(0, place - 5), place);
  if (before.some((word) => word === 't' || word === 'te' || word === 'vous')) return false;
  const next = all[place + 1];
  const isToUs = /^(?:to )?(?:you|me)\b/.test(all.slice(place + 1, place + 3).join(' '));
  if (next === undefined || isToUs) return false;
  if (!OPEN_END.has(next)) return true;
  return (
    /^(?:a|au|aux|to|with|avec)$/.test(next) &&
    !/^(?:propos|sujet|do|quel|quelle)$/.test(all[place + 2] ?? '')
  );
}
