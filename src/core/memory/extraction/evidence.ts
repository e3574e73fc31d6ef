import type { Behind } from './behind.ts';
import { holdsDate, isForAWhile, isUntil, tellsWhen } from './expiry.ts';
import { kinshipAt } from './kinship.ts';
import { namesIn } from './names.ts';
import { POSSESSIVE } from './people.ts';
import { readPredicate } from './predicate.ts';
import type { Reading } from './reading.ts';
import { settingsIn } from './settings.ts';
import { isWish } from './stance.ts';
import type { Subject } from './subjects.ts';
import { tiesOf } from './ties.ts';
import { isVerb } from './verbs.ts';
import { classesOf } from './wordClasses.ts';
import { plainText, type Word } from './words.ts';

/** A clause with what is known of it where it stands. */
export interface Described {
  words: readonly Word[];
  subject: Subject | null;
  /** What it says for certain: a name, a value, another name. */
  reading: Reading | null;
  /** The subject is somebody of whom something is known, or was told before. */
  isKnown: boolean;
  /** How it hangs on the clause before, and whether that one is kept. */
  link: string;
  isColon: boolean;
  isJoined: boolean;
  followsKept: boolean;
  isFirst: boolean;
  isAsked: boolean;
  /** A question mark ends its sentence, though it asks nothing itself. */
  isQuestion: boolean;
  isExclaimed: boolean;
  /** The whole message: whether it asks something, speaks of its author, tells a story; and its words, folded. */
  asks: boolean;
  isPersonal: boolean;
  isStory: boolean;
  message: string;
  behind: Behind;
  /** What the whole message shows of its setting. */
  setting: readonly string[];
}

/** Classes that are no topic, but how or when something is said. */
const CIRCUMSTANCE = new Set(
  'since feeling thought saying deixis you moment judgement weather generic text fiction need laugh number habit rule'.split(
    ' ',
  ),
);
/** What a whole message is about, where that bears on each of its clauses. */
const SETTING = new Set(['fiction', 'text', 'laugh', 'generic']);

const topicsOf = (classes: readonly string[]) => classes.filter((name) => !CIRCUMSTANCE.has(name)).length;

/** Does a clause speak of anything that people tell of their lives? */
export const hasTopic = (words: readonly Word[]) => topicsOf(classesOf(plainText(words).text)) > 0;

/** What a clause shows that speaks for or against keeping it, each by a name of which `weights.ts` says what it counts. */
export function evidenceOf(one: Described): string[] {
  const { words, subject, reading } = one;
  const { text: plain } = plainText(words);
  const rest = subject ? words.slice(subject.next) : words;
  const predicate = readPredicate(rest);
  const classes = classesOf(plain);
  const topics = topicsOf(classes);
  const names = namesIn(words, true).length;
  const numbers = words.filter(({ plain: word }) => /\d/.test(word)).length;
  const isDated = holdsDate(plain);
  const particulars = Number(names > 0) + Number(numbers > 0) + Number(isDated);
  const kind = kindOf(one);
  const isOneOf = (pattern: RegExp) => pattern.test(plain);
  const held: Readonly<Record<string, boolean>> = {
    // What it says.
    states: reading?.states != null,
    alias: reading?.alias != null,
    names: names > 0,
    'two names': names > 1,
    number: numbers > 0,
    'two numbers': numbers > 1,
    'number only': numbers > 0 && names === 0 && !isDated,
    date: isDated,
    when: tellsWhen(plain),
    'a while': isForAWhile(plain),
    until: isUntil(plain),
    'no topic': topics === 0,
    'two topics': topics > 1,
    'three topics': topics > 2,
    own: words.some(({ plain: word }) => POSSESSIVE.test(word)),
    kin: words.some((_, index) => kinshipAt(words, index) !== null),
    // How it says it.
    past: predicate.isPast,
    'past vague': predicate.isPast && particulars === 0,
    'past particular': predicate.isPast && particulars > 0,
    'past topic': predicate.isPast && topics > 0,
    'past no topic': predicate.isPast && topics === 0,
    over: predicate.isOver,
    future: predicate.isFuture,
    negated: predicate.isNegated,
    verb: words.some(({ plain: word }) => isVerb(word)),
    'no verb after': subject !== null && !rest.slice(0, 4).some(({ plain: word }) => isVerb(word)),
    'first person': isOneOf(/(?:^| )(?:je|j|i|me|m|moi|nous|we|us)(?= |$)/),
    indefinite: kind === 'thing' && isOneOf(/^(?:un|une|a|an) /),
    choice: CHOICE.test(plain),
    wish: isWish(plain),
    'wish vague': isWish(plain) && particulars === 0,
    please: isOneOf(/(?:^| )(?:please|pls|plz|stp|svp|s il (?:te|vous) plait|merci|thanks)(?= |$)/),
    'question word': isOneOf(
      /(?:^| )(?:which|what|how|why|where|who|quelle?s?|comment|combien|pourquoi|quoi|est ce)(?= |$)/,
    ),
    short: words.length <= 3,
    shortish: words.length > 3 && words.length <= 5,
    long: words.length > 12,
    'very long': words.length > 20,
    // Where it stands.
    colon: one.isColon,
    joined: one.isJoined,
    follows: one.followsKept,
    first: one.isFirst,
    asked: one.isAsked,
    question: one.isQuestion,
    exclaimed: one.isExclaimed,
    asks: one.asks,
    impersonal: !one.isPersonal,
    story: one.isStory,
    'changed behind': one.behind.isChanged,
    'past changed behind': one.behind.isChanged && predicate.isPast,
    sum: SUM.test(one.message),
    alone: one.isFirst && one.behind.next === 'none',
    befell: BEFELL.test(plain),
  };
  const shown = Object.keys(held).filter((name) => held[name]);
  // Of some, what it counts depends on whom or what the clause is about.
  const bySubject = [
    particulars === 0 ? 'vague' : 'particular',
    topics === 0 ? 'no topic' : 'topic',
    ...SUBJECT_BEARS.filter((name) => held[name]),
    `behind ${one.behind.next}`,
    ...(one.asks && !one.isPersonal ? ['impersonal asks'] : []),
    ...classes,
  ].map((name) => `${kind} ${name}`);
  return [
    ...new Set([
      `subject ${kind}`,
      `link ${one.link}`,
      `particulars ${particulars}`,
      `particulars ${particulars} behind ${one.behind.next}`,
      `behind ${one.behind.next}`,
      ...(reading?.states ? [`states ${reading.states.relation}`] : []),
      ...classes,
      ...classesOf(one.message).flatMap((name) => (SETTING.has(name) ? [`message ${name}`] : [])),
      ...shown,
      ...bySubject,
      ...tiesOf(words, subject, one.isKnown),
      ...one.setting,
      ...settingsIn(plain).map((name) => `${name} here`),
    ]),
  ];
}

/** What happens to people's bodies and families, and is news whoever it happens to. */
const BEFELL =
  /(?:^| )(?:s est (?:casse|foule|blesse|brule|coupe|fracture|marie|fiance|pacse|separe)\S*|me suis (?:casse|foule|blesse|brule|coupe|fracture|marie|fiance|pacse|separe)\S*|a (?:accouche|ete (?:opere|hospitalise)e?)|(?:has |have |'s )?(?:broken|broke|sprained|tore|torn|fractured|dislocated) (?:my|his|her|their|a|an|the)|had (?:surgery|an operation|a baby)|(?:got|been) (?:married|engaged|divorced|operated|hospitalised|hospitalized)|passed away)(?= |$)/;
/** Of whom it is said bears on what these count. */
const SUBJECT_BEARS = [
  'past',
  'over',
  'negated',
  'follows',
  'impersonal',
  'number only',
  'changed behind',
  'sum',
];

/** A sum to be done: how many, or how much of what. */
const SUM =
  /(?:^| )(?:combien (?:de|d|en|a|y|reste)|how (?:many|much)|quel (?:age|impot|total|est l age))(?= |$)/;

/** One of several answers, versions or steps: work in hand. */
const CHOICE =
  /(?:^| )(?:cette|this|that|la|le|l|the|ta|ton|your|votre|etape|step|ligne|line|numero|number) (?:version|proposition|option|reponse|answer|reply|phrase|sentence|premiere?|deuxieme|second|seconde|troisieme|first|third|last one|autre|other one|fix|commande|command|code|erreur|error|idee|idea|\d+)(?= |$)/;

function kindOf({ subject, isKnown }: Described): string {
  if (!subject) return 'none';
  switch (subject.type) {
    case 'person':
      return subject.isBare ? (isKnown ? 'known' : 'bare') : 'kin';
    case 'owned':
      return subject.owner.entity === 'user' ? 'mine' : 'theirs';
    case 'pronoun':
      return isKnown ? 'pronoun' : 'unknown pronoun';
    default:
      return subject.type;
  }
}
