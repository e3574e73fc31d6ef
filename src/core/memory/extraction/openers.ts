import { FULL_WEEKDAYS, MONTHS } from '../../support/text/calendar.ts';
import { isVerb } from './verbs.ts';
import { plainText, type Word } from './words.ts';

const any = (...parts: string[]) => new RegExp(`^(?:${parts.join('|')})(?= |$)`);

/** What one says before a statement, and which is no part of it. Over folded words joined by spaces. */
const OPENERS: readonly RegExp[] = [
  any(
    '[,;:()–]|(?:dis|dites|dis moi|tell me|oh dear|tiens|officer|sir|madame|monsieur|doctor|docteur)(?= ,)|comme tu (?:t en )?(?:doutes|vois)|as i said(?: once| before)?|as ever|as usual|comme d habitude',
    // Greetings and politeness.
    'bonjour|bonsoir|salut|coucou|hello|hey|hi|hi there|hey there|good (?:morning|evening|afternoon)|re|yo|rebonjour|merci(?: beaucoup| bien| d avance)?|thanks(?: a lot| so much| again)?|thank you|cheers|stp|svp|s il te plait|s il vous plait|please|excuse me|pardon|desole|sorry',
    // Interjections and connectors.
    'si(?= ,)|ah|oh|eh|euh|hum|hmm|bon|bah|ben|bref|voila|tiens|allez|ouais|oui|non|yes|yeah|yep|no|nope|ok|okay|right|well|anyway|so|and|but|et|mais|donc|alors|du coup|sinon|puis|ensuite|then|also|aussi|or|enfin|finalement|finally|actually|en fait|au fait|a propos|d ailleurs|by the way|btw|incidentally|in fact|as it happens|honestly|to be honest|tbh|franchement|perso|personnellement|personally|de mon cote|pour ma part|plus|en plus|par contre|however|though|apparently not|great|super|genial|cool|youpi|yay|ouf|phew|finally|ca y est|c est (?:fait|bon|officiel|decide|parti)|it s official|it is official|guess what|tu sais quoi|devine quoi|you know what|(?:good|great|big|bad|sad|small|some|exciting) news|(?:bonne|mauvaise|grande|petite|triste) nouvelle|nouvelle|news|news flash|update|mise a jour|petite mise a jour|quick update|correction|petite correction|erratum|precision|petite precision|rectification|changement(?: de programme| de plan)?|change of plan|changed my mind|(?:we|i) (?:have )?changed (?:our|my) minds?|(?:on a|j ai|nous avons) change d avis|oops|oups|mince|zut|mea culpa|one more thing|another thing|autre chose|derniere chose|ps|p s|nb|n b|fyi|pour info|pour information|for info|for your info(?:rmation)?|petite info|info|petit detail|detail|context|contexte|background|some background|a bit of background|hint|just so you know|so you know|just to let you know|to let you know|just a heads up|heads up|quick note|side note|quick one|autre info|quick question|petite question|first|in the end|at last|au final|en fin de compte|tout compte fait|after all|c est tranche|d abord|tout d abord|premierement|deuxiemement|secondly|as i said|as you know|comme tu (?:le )?sais|comme (?:je (?:te |l )?(?:ai )?(?:dit|disais))|pour commencer|to start|to be clear|pour etre clair|petit rappel|rappel|reminder|quick reminder|mine|in my case|dans mon cas|chez moi|for me|pour moi',
    // Courtesy conditions, which leave no doubt on the statement.
    'si ca (?:peut )?(?:t |vous |te )?(?:aide|aider|interesse|interesser)|si jamais|si besoin|au cas ou|if it helps|if that helps|if it matters|if that matters|in case it helps|in case you need it|in case|just in case|if you re wondering|if you are wondering|si tu veux (?:tout )?savoir|if you must know',
    // Telling that one tells.
    '(?:je )?(?:voulais|tenais a|veux|dois|devais|viens) (?:juste |aussi )?(?:te |vous |t |l )?(?:dire|prevenir|signaler|informer|preciser|annoncer)(?: que| qu)',
    '(?:juste )?pour (?:te |vous |t )?(?:dire|prevenir|informer|signaler|preciser)(?: que| qu)',
    'je (?:te |vous |t )?(?:signale|previens|informe|precise|rappelle|annonce|confirme|dis)(?: que| qu)',
    'j ai oublie de (?:te |vous |t )?(?:dire|preciser|signaler|prevenir)(?: que| qu)?',
    'je (?:ne )?sais (?:pas )?si je (?:te |t |l )?(?:l )?ai (?:deja )?dit(?: mais| que| qu)?|je t ai (?:pas )?dit que',
    '(?:il faut|faut)(?: bien)? que tu saches(?: que| qu)|(?:tu dois|il est important de|important a) savoir(?: que| qu)?|sache(?:z)?(?: bien)?(?: que| qu)|tu sais(?: que| qu)?|(?:je )?t informe(?: que| qu)',
    'i (?:just |also )?(?:wanted|want|have|need|meant) to (?:tell|let|mention|say|inform|add)(?: you)?(?: know)?(?: that)?|i (?:should|ought to|must|will|can) (?:also )?(?:mention|tell you|say|add|point out)(?: that)?|let me tell you(?: that)?|i forgot to (?:mention|tell you|say)(?: that)?|i (?:do not|am not sure if i|can not remember if i) (?:know if i )?(?:told|tell|mentioned)(?: you)?(?: this)?(?: but| that)?|did i (?:tell|mention)(?: you)?(?: that)?|you should know(?: that)?|you know(?: that)?|i am (?:happy|pleased|proud|delighted|sad|sorry|excited|glad) to (?:say|announce|report|tell you)(?: that)?|it turns out(?: that)?|turns out(?: that)?|the thing is(?: that)?|thing is|the fact is(?: that)?|il se trouve(?: que| qu)|le truc c est (?:que|qu)|le fait est(?: que| qu)|je suis (?:heureux|heureuse|content|contente|fier|fiere|ravi|ravie|triste) de (?:te |vous |t )?(?:annoncer|dire)(?: que| qu)',
    '(?:il )?faut(?: absolument| vraiment| bien| aussi)? que(?= (?:je|j|nous|on) )|il faudra que(?= (?:je|j|nous|on) )|il y a que|it s just that|the news is that|voici|here is|here s|' +
      '(?:comme )?promis|as promised',
  ),
];

/** What may stand between a request and what it is about, and adds nothing. */
const ALSO =
  '(?: (?:bien|aussi|surtout|juste|egalement|avant tout|stp|s il te plait|s il vous plait|je te prie|je vous prie|je t en prie|also|too|especially|above all|please))?';
/** Asking in so many words that it be remembered. */
const ASKED = [
  `(?:souviens|souvenez|rappelle|rappelez) (?:toi|vous)${ALSO}(?: que| qu| de ca| de ceci| de cela| de(?= (?:mon|ma|mes|notre|nos) ))?`,
  '(?:tu (?:peux|pourrais|pourras|veux bien|dois)|peux tu|pourrais tu|pouvez vous|pourriez vous|il faut que tu|j aimerais que tu|je veux que tu|je voudrais que tu|(?:merci|priere) (?:de|d)(?: bien vouloir)?|veuillez)(?: bien| stp| aussi)? (?:(?:te|vous) souvenir|te souviennes|(?:te|vous) rappeler|te rappelles|retenir|retiennes|noter|notes|memoriser|memorises|enregistrer|enregistres|ne pas oublier|n oublie pas|garder en (?:memoire|tete)|gardes en (?:memoire|tete))(?: bien| aussi| stp| pour (?:moi|plus tard))?(?: que| qu| ca| ceci)?',
  `(?:n )?oublie(?:z|s)? (?:pas|jamais)${ALSO}(?: , c est important| surtout)?(?: que| qu)?|ne pas oublier(?: que| qu)?|a ne pas oublier`,
  'pense (?:bien )?(?:au fait )?que',
  `(?:retiens|retenez|note|notez|memorise|memorisez|enregistre|enregistrez|garde|gardez|prends note|prenez note|consigne|inscris)${ALSO}(?: en memoire| en tete| dans un coin| pour plus tard| quelque part| ca| ceci| cela| moi)?(?: bien)?(?: que| qu)?`,
  'a (?:noter|retenir|memoriser)(?: bien)?(?: que| qu)?|pour memoire|pense bete|pour ta memoire|pour tes (?:archives|dossiers|notes)',
  '(?:can|could|will|would) you (?:please )?(?:remember|note|(?:keep|bear) in mind|store|save|make a note|memori[sz]e|write down)(?: for me| for later)?(?: that| this| of this)?',
  '(?:i (?:want|need|would like) you to|i d like you to|you (?:should|must|need to|have to|can))(?: please)? (?:remember|note|keep in mind|store|save|memori[sz]e)(?: that| this)?',
  `(?:(?:kindly|please) )?(?:remember|do not (?:you )?(?:ever )?forget|do not let me forget|never forget|(?:keep|bear) (?:(?:it|this|that) )?in mind|note|make a note|make a mental note|take note|note down|jot down|write down|memori[sz]e|save|store|keep|log)${ALSO}(?: this| of this| down| for later| for me| it)*(?: that| the fact that)?`,
  'for the record|for future reference|for your (?:records|notes|memory|files)|to remember|note to self|worth (?:noting|remembering)(?: that)?',
].map((part) => any(part));

/** The longest request with which some words begin; null if they ask for nothing. */
function askedIn(text: string): string | null {
  const found = ASKED.flatMap((pattern) => pattern.exec(text)?.[0] ?? []);
  return found.sort((one, other) => other.length - one.length)[0] ?? null;
}

/** Do some words, folded and joined by spaces, begin by asking that what they say be remembered: « souviens-toi que … »? */
export const asksThat = (plain: string): boolean => / (?:que|qu|that)$/.test(askedIn(plain) ?? '');

/** Verbs that may be followed by a statement only after "that", a colon, or something that is the user's: "note my address". */
const NEEDS_STATEMENT =
  /^(?:note|notez|garde|gardez|keep|save|store|log|retiens|retenez|enregistre|enregistrez|consigne|inscris|you know)(?: it| this)?$/;

const FORGET = any(
  '(?:please |stp |s il te plait )?(?:tu peux |peux tu |il faut |can you |could you )?(?:oublie|oubliez|oublier)(?: tout)?(?: ca| cela| ceci| que| qu| ce que| le fait que| mon| ma| mes| le| la| les| l)',
  '(?:please )?(?:can you |could you |you can |you should )?forget(?: about)?(?: that| this| it| what| everything| all| my| the)',
  'ne (?:te souviens|retiens|note)(?: toi)? (?:pas|plus)|ne retiens pas|n enregistre pas|do not (?:remember|store|save|keep|note|learn)|ne garde pas|efface|supprime|delete|erase|remove',
);

/** Does a sentence ask that something be forgotten? Its words, folded and joined by spaces, greetings left out. */
export function asksToForget(plain: string): boolean {
  return FORGET.test(plain) && !/^(?:n )?oublie(?:z)? (?:pas|jamais)/.test(plain);
}

export interface Opening {
  words: Word[];
  isAsked: boolean;
  isForgetting: boolean;
  /** "Can you note that…?": the question is the request, the statement behind it is none. */
  isPoliteQuestion: boolean;
}

/** What is left of a sentence or clause without greetings and announcements, and what these ask for. */
export function readOpening(sentence: readonly Word[]): Opening {
  let words = [...sentence];
  let isAsked = false;
  let isPoliteQuestion = false;
  for (let round = 0; round < 8 && words.length > 0; round += 1) {
    const { text, at } = plainText(words);
    if (asksToForget(text)) return { words, isAsked: false, isForgetting: true, isPoliteQuestion };
    const asked = askedIn(text);
    if (asked !== null && isRequest(asked, text)) {
      isAsked = true;
      isPoliteQuestion ||= /^(?:tu |peux|pourrais|pouvez|pourriez|can|could|will|would)/.test(asked);
      words = words.slice(at(asked.length + 1));
      continue;
    }
    const cause = CAUSE.exec(text);
    if (cause && isCause(cause[0], text, words)) {
      words = words.slice(at(cause[0].length + 1));
      continue;
    }
    const opener = OPENERS.map((pattern) => pattern.exec(text)).find((match) => match !== null);
    if (!opener || !isOpener(opener[0], text, words)) break;
    words = words.slice(at(opener[0].length + 1));
  }
  return { words, isAsked, isForgetting: false, isPoliteQuestion };
}

function isRequest(found: string, text: string): boolean {
  const rest = text.slice(found.length + 1);
  if (rest === '') return false;
  if (/(?:that|que|qu|record|reference|memoire)$/.test(found)) return true;
  if (/^[:,]/.test(rest)) return true;
  if (NEEDS_STATEMENT.test(found)) return /^(?:mon|ma|mes|my|our|notre|nos) /.test(rest);
  if (found.endsWith(' de')) return true;
  // "Remember when…", "n’oublie pas de…", "remember to…" ask for something else.
  return !/^(?:when|how|what|where|who|why|to|de|d|quand|comment|ou|si|if|me|him|her|them|us|it|you|avec|pour)(?: |$)/.test(
    rest,
  );
}

/** "Since my son is coeliac, …", « comme Yvette vit à Saumur, … »: what a cause begins with, before whoever it speaks of. */
const CAUSE =
  /^(?:comme|puisque|puisqu|vu que|vu qu|etant donne que|etant donne qu|since|as|given that|seeing as|seeing that)(?= )/;
const OWN = /^(?:je|j|i|on|nous|we|mon|ma|mes|notre|nos|my|our) /;

function isCause(found: string, text: string, words: readonly Word[]): boolean {
  const rest = text.slice(found.length + 1);
  if (OWN.test(rest))
    return !/^(?:comme|as) (?:je|j|i|on|nous|we) (?:te |t |l )?(?:ai )?(?:dit|disais|said|told|mentioned)/.test(
      text,
    );
  const name = words[found.split(' ').length];
  const next = words[found.split(' ').length + 1]?.plain ?? '';
  return name?.isCapital === true && (isVerb(next) || next === "'s") && !TIME.test(name.plain);
}

const TIME = new RegExp(`^(?:${[...FULL_WEEKDAYS, ...MONTHS].join('|')})$`);

/** "So" opens, but "so tired" does not; "non" opens before a comma or a subject. A sign always goes. */
function isOpener(found: string, text: string, words: readonly Word[]): boolean {
  if (/^[,;:()–]$/.test(found)) return true;
  if (/^(?:si ca|si jamais|si besoin|au cas ou|if|in case|just in case|si tu veux)/.test(found))
    return /^[,:;–]/.test(text.slice(found.length + 1));
  const rest = text.slice(found.length + 1);
  if (rest === '') return true;
  if (
    /^(?:ben|bah|yo|re|tiens|allez|plus|super|great|cool|bon|no|non|right|first|re|info|detail|mine|or|cheers|news|correction|pour moi|for me|contexte|context|rappel|reminder|update|precision)$/.test(
      found,
    )
  )
    return (
      /^[,:;–]/.test(rest) ||
      /^(?:je|j|i|mon|ma|mes|my|on|nous|we|c|en fait|mais|but|it|there)(?: |$)/.test(rest)
    );
  return words.length > 1;
}
