import { detectLanguage } from '../../support/text/language.ts';
import { fold } from '../../support/text/tokenise.ts';
import { type Clause, splitClauses } from './clauses.ts';
import { readOpening } from './openers.ts';
import { FOREIGN, ownWords } from './ownWords.ts';
import { peopleIn } from './people.ts';
import { leadingSubject, readClause, readNames } from './readClause.ts';
import type { Reading } from './reading.ts';
import { readSentences, type Sentence } from './sentences.ts';
import {
  hasTextHere,
  isFiction,
  isInverted,
  isPlayed,
  isQuestionLike,
  isRiddle,
  isTextTask,
  isUnasserted,
  opensRolePlay,
  startsQuestion,
} from './stance.ts';
import type { Mention, Statement } from './statement.ts';
import { readSubject, type Subject, USER } from './subjects.ts';
import { ASKED_IMPORTANCE, type Found, toStatement } from './toStatement.ts';
import { asWritten, plainText, readWords, type Word } from './words.ts';

/** What the sentences before have told. */
interface Discourse {
  people: Mention[];
  /** How the last person who was a subject was called. */
  kin: string | null;
  isStory: boolean;
  isPersonal: boolean;
  isKnownName: (name: string) => boolean;
  /** No clause was read yet. */
  isFirst: boolean;
  /** The clause before, where a clause without subject or a cause may go on. */
  last: { found: Found; end: number } | null;
  subject: Subject | null;
  /** The words before, where a clause may point back to them. */
  before: Word[];
  /** A label asked that what comes after it be remembered. */
  isAsking: boolean;
}

/**
 * Finds what a user's message plainly states of themselves and the people and things around them, in French and English, by rules
 * alone. Precision comes before recall: what is quoted, asked, supposed, wished, ordered, told of others or said of everyone is
 * no statement. Runs in time linear in the length of the message.
 * @param at when it was said, in milliseconds since 1970; dates are read in the local time zone
 * @param isKnownName whether facts are known of somebody of a name; of strangers little is learnt
 * @returns in the order of the text
 */
export function findStatements(
  message: string,
  at: number,
  isKnownName: (name: string) => boolean = () => false,
): Statement[] {
  const text = ownWords(message);
  const language = detectLanguage(text.slice(0, 4_000), 'fr');
  const discourse: Discourse = {
    people: [],
    kin: null,
    isStory: false,
    isPersonal: false,
    isKnownName,
    isFirst: true,
    last: null,
    subject: null,
    before: [],
    isAsking: false,
  };
  const whole = plainOf(text);
  if (isPlayed(whole)) return [];
  discourse.isStory = isRiddle(whole);
  discourse.isPersonal = FIRST_PERSON.test(whole);
  const statements: Statement[] = [];
  for (const sentence of readSentences(text)) {
    const sentenceText = text.slice(sentence.start, sentence.end);
    const words = readWords(text, sentence, detectLanguage(sentenceText, language));
    const { text: plain } = plainText(words);
    if (opensRolePlay(plain) || (hasTextHere(plain) && !readOpening(words).isAsked)) break;
    const isFrench = detectLanguage(sentenceText, language) === 'fr';
    discourse.last = null;
    discourse.subject = null;
    discourse.before = [];
    for (const found of readSentence(words, { sentence, plain, text, isFrench }, discourse)) {
      statements.push(toStatement(found, message, at));
    }
    discourse.isFirst = false;
  }
  return statements;
}

const plainOf = (text: string) => fold(text.slice(0, 4_000)).replace(/[^\p{L}\p{N}]+/gu, ' ');

interface Place {
  sentence: Sentence;
  plain: string;
  text: string;
  isFrench: boolean;
}

function readSentence(words: readonly Word[], place: Place, discourse: Discourse): Found[] {
  const { sentence, plain, text } = place;
  if (isFiction(plain)) {
    discourse.isStory = true;
    return [];
  }
  if (
    /^(?:oh )?(?:yeah sure|yeah right|sure|bien sur|mais bien sur|evidemment) , (?:et|and|moi|my|je|i|j) /.test(
      plain,
    )
  )
    return [];
  const opening = readOpening(words);
  if (opening.isForgetting) return [];
  const isAsking = sentence.isQuestion && !opening.isPoliteQuestion;
  const clauses = splitClauses(
    isAsking ? withoutQuestion(opening.words) : opening.words,
    text,
    place.isFrench,
  );
  const asked = isAsking ? firstQuestion(clauses, opening.words) : clauses.length;
  const found: Found[] = [];
  let isAsked = opening.isAsked || discourse.isAsking;
  let isHeld = false;
  for (const [index, clause] of clauses.entries()) {
    if (index >= asked) break;
    const inner = readOpening(clause.words);
    if (inner.isForgetting) break;
    if (inner.isAsked) isAsked = true;
    else if (clause.link !== 'that' && index > 0 && isAsked && !opening.isAsked) isAsked = false;
    if (clause.link === 'but') isHeld = false;
    const said = plainText(inner.words).text;
    if (said === '') continue;
    if (isTextTask(said) && !isAsked) break;
    if (asksAbove(said) && clauses[index + 1]?.isColon) {
      isAsked = true;
      discourse.isAsking = true;
      continue;
    }
    const isName = !sentence.isQuestion && readNames(inner.words, text) !== null && !DOUBTED.test(said);
    const isUnsaid =
      said.includes(FOREIGN) || (!isName && (isAsked ? isQuestionLike : isUnasserted)(inner.words, said));
    // What hangs on a condition, a doubt or a question shares its fate.
    if (isUnsaid || (isHeld && clause.link !== 'but')) {
      isHeld ||=
        /^(?:si|s|if|unless|imagine|suppose|quand|when)(?= )/.test(said) ||
        (isUnsaid && hasComplement(clauses[index + 1]));
      discourse.last = null;
      discourse.before = [];
      discourse.isFirst = false;
      continue;
    }
    const isDecided = inner.isDecided || (index === 0 && opening.isDecided);
    const one = readFound(clause, inner.words, { text, isAsked, isDecided }, discourse);
    if (one) found.push(one);
  }
  return found;
}

/** Who may decide, or what is decided. */
const DECIDES = /^(?:je|j|on|nous|i|we|ce sera|it s|it will|it is|c est|le|la|les|the|pas|no|no more|plus) /;

const hasComplement = (next: Clause | undefined) => next?.link === 'that';

const FIRST_PERSON = /(?:^| )(?:je|j|mon|ma|mes|me|moi|nous|notre|nos|i|my|our|we|us)(?= |$)/;

/** A name that is only supposed. */
const DOUBTED = /(?:^| )(?:si|if|imagine|suppose|unless|maybe|peut etre|would|could|quand|when|dans|in)(?= )/;

/** « à retenir : », "please keep this safe:": the label asks for what comes after it. */
const asksAbove = (plain: string) =>
  plain.split(' ').length <= 14 &&
  /(?:^| )(?:a retenir|a noter|retiens|memorise|remember|keep (?:this|it|that)|put this|write this|note this|safe|pour memoire|for the record)(?= |$)/.test(
    plain,
  );

/** From which clause on a sentence with a question mark asks; all of it if no clause shows that it does. */
function firstQuestion(clauses: readonly Clause[], all: readonly Word[]): number {
  const first = clauses.findIndex(({ words }) => {
    const { words: rest } = readOpening(words);
    return startsQuestion(plainText(rest).text) || isInverted(rest);
  });
  if (first !== -1) return first;
  return clauses.at(-1)?.words.at(-1) === all.at(-1) ? 0 : clauses.length;
}

const ASKS =
  /(?:^| )(?:quel|quelle|quels|quelles|combien|comment|quoi|quand|qui|pourquoi|what|how|which|where|who|when|why|any|tu|t|te|toi|vous|you|your|ton|ta|tes|selon|idee|idees|conseil|conseils|avis|tips|ideas|suggestions|do|does|should|can|could|would|dois|peut|faut|fait il|beaucoup|normal|possible|on fait|ok|okay|is it|is that|are there|is there|ca fait|worth)(?= |$)/;
const TAG =
  /^(?:right|non|hein|n est ce pas|is not (?:it|he|she)|do not i|does not (?:it|he|she)|pas vrai|correct|c est (?:bien )?ca|yes|no|oui|deja|again|ou pas|or not|ok|you know|tu sais|you see|si je ne me trompe|as you know)(?= |$)/;

/** « Mon oncle habite à Sète, il fait quel temps là-bas ? »: what comes before the last comma may be told, not asked. */
function withoutQuestion(words: Word[]): Word[] {
  const comma = words.findLastIndex(({ plain }) => /^[,–:]$/.test(plain));
  if (comma < 3) return words;
  const head = plainText(words.slice(0, comma)).text;
  const tail = plainText(words.slice(comma + 1)).text;
  if (TAG.test(tail) || !ASKS.test(tail) || startsQuestion(head) || isInverted(words.slice(0, comma)))
    return words;
  return words.slice(0, comma);
}

function readFound(
  clause: Clause,
  words: Word[],
  given: { text: string; isAsked: boolean; isDecided: boolean },
  discourse: Discourse,
): Found | null {
  const { text, isAsked, isDecided } = given;
  const { isStory, last } = discourse;
  const shared = clause.isShared ? discourse.subject : null;
  if (clause.isShared && !shared) return null;
  const own = shared ? null : leadingSubject(words, text);
  const named = peopleIn(words, text);
  const known = [...discourse.people];
  const people = own?.type === 'person' ? [...known, ...own.people] : [...known, ...named];
  const said = readClause(words, {
    text,
    people: own?.type === 'person' ? people : known.length > 0 ? known : people,
    known,
    kin: discourse.kin,
    isStory,
    isFirst: discourse.isFirst,
    isPersonal: discourse.isPersonal,
    isKnownName: discourse.isKnownName,
    shared,
  });
  discourse.isFirst = false;
  const reading =
    said ??
    (isDecided && words.length > 2 && DECIDES.test(plainText(words).text)
      ? { ...askedReading(words), kind: 'decision' as const, importance: 0.6 }
      : null);
  discourse.people.push(...(own?.type === 'person' ? own.people : []), ...named, ...(reading?.about ?? []));
  if (own?.type === 'person' && own.people.length === 1)
    discourse.kin = asWritten(text, words.slice(0, own.next));
  if (own && own.type !== 'pronoun') discourse.subject = own;
  const goesOn = own?.type === 'pronoun' || own?.type === 'it' || own?.type === 'thing' || own === null;
  const isTail = clause.link === 'cause' || (goesOn && !shared);
  if (last && isTail && !(reading?.states && last.found.reading.states)) {
    // "My brother quit cooking and he's a mailman now": one thing told in two clauses.
    if (clause.link !== 'cause' && reading?.states)
      last.found.reading = { ...reading, replaces: last.found.reading.replaces };
    if (clause.link === 'cause' || !reading || own?.type === 'pronoun') {
      last.found.words.push(...words);
      return null;
    }
  }
  if (
    last &&
    own?.type === 'self' &&
    reading?.states &&
    last.found.reading.kind === 'event' &&
    !last.found.reading.states
  ) {
    // "I gave up teaching, I'm a tree surgeon now": the change and what came of it.
    last.found.words.push(...words);
    last.found.reading = reading;
    return null;
  }
  const before = discourse.before;
  discourse.before = [...words];
  if (!reading && (!isAsked || !saysSomething(words))) {
    discourse.last = null;
    return null;
  }
  const found: Found = { words: [...words], reading: reading ?? askedReading(words), isAsked };
  if (pointsBack(words) && before.length > 0 && clause.link !== 'none') {
    if (last) {
      last.found.words.push(...words);
      last.found.reading = { ...found.reading, replaces: last.found.reading.replaces };
      return null;
    }
    found.words.unshift(...before);
  }
  if (shared && last) found.words.unshift(...subjectWords(last.found.words, text));
  discourse.last = { found, end: words.at(-1)?.end ?? 0 };
  return found;
}

/** « j’y suis allergique », "I'm allergic", « on a décidé de ne pas la vendre »: what it is about stands before. */
function pointsBack(words: readonly Word[]): boolean {
  const { text } = plainText(words);
  return /(?:allergique|allergic|intolerante?|intolerant)$/.test(text) &&
    /^(?:je|j|i|on|nous|we)(?= )/.test(text)
    ? true
    : /(?:^| )(?:j|je|on|nous|de|pas|a|ai|avons) (?:y|la|le|les|l) \S+/.test(text) &&
        /(?:^| )(?:la|le|les|l|y) \S+(?:er|ir|re|ais|ai|a|suis|avons)(?= |$)/.test(text) &&
        !/(?:^| )(?:habit|viv)/.test(text);
}

/** A request needs more than a word or two to be worth keeping. */
const saysSomething = (words: readonly Word[]) =>
  words.length > 2 || words.some(({ plain }) => /\d/.test(plain));

function subjectWords(words: readonly Word[], text: string): Word[] {
  const subject = readSubject(words, 0, text);
  return subject ? words.slice(0, subject.next) : [];
}

const askedReading = (words: readonly Word[]): Reading => ({
  kind: 'fact',
  importance: ASKED_IMPORTANCE,
  states: null,
  alias: null,
  about: /(?:^| )(?:je|j|i|mon|ma|mes|my|nous|we|notre|nos|our)(?= )/.test(plainText(words).text)
    ? [USER]
    : [],
  things: [],
  replaces: null,
  isPast: false,
});
