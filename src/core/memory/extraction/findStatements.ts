import { detectLanguage } from '../../support/text/language.ts';
import { type Clause, splitClauses } from './clauses.ts';
import { readExpiry } from './expiry.ts';
import { kinshipAt } from './kinship.ts';
import { namesIn } from './names.ts';
import { readOpening } from './openers.ts';
import { ownWords } from './ownWords.ts';
import { leadingSubject, readClause } from './readClause.ts';
import type { Reading } from './reading.ts';
import { readSentences, type Sentence } from './sentences.ts';
import {
  isFiction,
  isInverted,
  isQuestionLike,
  isTextTask,
  isUnasserted,
  opensRolePlay,
  startsQuestion,
} from './stance.ts';
import type { Mention, Statement } from './statement.ts';
import { peopleIn, readSubject, type Subject, USER } from './subjects.ts';
import { asWritten, plainText, readWords, type Word } from './words.ts';

const MOST_SUBJECTS = 6;
/** Importance of what the user asks to be remembered, whatever it is. */
const ASKED_IMPORTANCE = 0.7;

/** What the sentences before have told. */
interface Discourse {
  people: Mention[];
  /** How the last person who was a subject was called. */
  kin: string | null;
  isStory: boolean;
  /** The clause before, where a clause without subject or a cause may go on. */
  last: { found: Found; end: number } | null;
  subject: Subject | null;
}

interface Found {
  words: Word[];
  reading: Reading;
  isAsked: boolean;
}

/**
 * Finds what a user's message plainly states of themselves and the people and things around them, in French and English, by rules
 * alone. Precision comes before recall: what is quoted, asked, supposed, wished, ordered, told of others or said of everyone is
 * no statement. Runs in time linear in the length of the message.
 * @param at when it was said, in milliseconds since 1970; dates are read in the local time zone
 * @returns in the order of the text
 */
export function findStatements(message: string, at: number): Statement[] {
  const text = ownWords(message);
  const language = detectLanguage(text.slice(0, 4_000), 'fr');
  const discourse: Discourse = { people: [], kin: null, isStory: false, last: null, subject: null };
  const statements: Statement[] = [];
  for (const sentence of readSentences(text)) {
    const sentenceText = text.slice(sentence.start, sentence.end);
    const words = readWords(text, sentence, detectLanguage(sentenceText, language));
    const { text: plain } = plainText(words);
    if (opensRolePlay(plain)) break;
    const isFrench = detectLanguage(sentenceText, language) === 'fr';
    discourse.last = null;
    discourse.subject = null;
    for (const found of readSentence(words, { sentence, plain, text, isFrench }, discourse)) {
      statements.push(toStatement(found, message, at));
    }
  }
  return statements;
}

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
  const opening = readOpening(words);
  if (opening.isForgetting || (sentence.isForeign && !opening.isAsked)) return [];
  if (sentence.isForeign || (isTextTask(plain) && !opening.isAsked)) return [];
  const clauses = splitClauses(opening.words, text, place.isFrench);
  const asked = sentence.isQuestion && !opening.isPoliteQuestion ? firstQuestion(clauses) : clauses.length;
  const found: Found[] = [];
  let isAsked = opening.isAsked;
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
    const isUnsaid = isAsked ? isQuestionLike(inner.words, said) : isUnasserted(inner.words, said);
    // What hangs on a condition, a doubt or a question shares its fate.
    if (isUnsaid || (isHeld && clause.link !== 'but')) {
      isHeld ||=
        /^(?:si|s|if|unless|imagine|suppose|quand|when)(?= )/.test(said) ||
        (isUnsaid && hasComplement(clauses[index + 1]));
      discourse.last = null;
      continue;
    }
    const one = readFound(clause, inner.words, { text, isAsked }, discourse);
    if (one) found.push(one);
  }
  return found;
}

const hasComplement = (next: Clause | undefined) => next?.link === 'that';

/** From which clause on a sentence with a question mark asks; all of it if no clause shows that it does. */
function firstQuestion(clauses: readonly Clause[]): number {
  const first = clauses.findIndex(({ words }) => {
    const { words: rest } = readOpening(words);
    return startsQuestion(plainText(rest).text) || isInverted(rest);
  });
  return first === -1 ? 0 : first;
}

function readFound(
  clause: Clause,
  words: Word[],
  given: { text: string; isAsked: boolean },
  discourse: Discourse,
): Found | null {
  const { text, isAsked } = given;
  const { isStory, last } = discourse;
  const shared = clause.isShared ? discourse.subject : null;
  if (clause.isShared && !shared) return null;
  const own = shared ? null : leadingSubject(words, text);
  const named = peopleIn(words, text);
  const before = discourse.people;
  const people = own?.type === 'person' ? [...before, ...own.people] : [...before, ...named];
  const reading = readClause(words, {
    text,
    people: own?.type === 'person' ? people : before.length > 0 ? before : people,
    known: before,
    kin: discourse.kin,
    isStory,
    shared,
  });
  discourse.people.push(...(own?.type === 'person' ? own.people : []), ...named, ...(reading?.about ?? []));
  if (own?.type === 'person' && own.people.length === 1)
    discourse.kin = asWritten(text, words.slice(0, own.next));
  if (own && own.type !== 'pronoun') discourse.subject = own;
  const isTail = clause.link === 'cause' || own?.type === 'pronoun' || own?.type === 'it';
  if (last && isTail && (!reading || clause.link === 'cause')) {
    last.found.words.push(...words);
    return null;
  }
  if (!reading && !isAsked) {
    discourse.last = null;
    return null;
  }
  const found: Found = { words: [...words], reading: reading ?? askedReading(words), isAsked };
  if (shared && last) found.words.unshift(...subjectWords(last.found.words, text));
  discourse.last = { found, end: words.at(-1)?.end ?? 0 };
  return found;
}

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

function toStatement({ words, reading, isAsked }: Found, message: string, at: number): Statement {
  const { text: plain } = plainText(words);
  const people = uniqueMentions([...reading.about, ...peopleIn(words, message)]);
  return {
    content: contentOf(words, reading, message),
    kind: reading.kind,
    importance: isAsked ? Math.max(ASKED_IMPORTANCE, reading.importance) : reading.importance,
    subjects: subjectsOf(words, people, { reading, message }),
    mentions: people,
    states: reading.states,
    alias: reading.alias,
    isAsked,
    expiresAt: readExpiry(plain, at, reading.isPast),
  };
}

/** The words as they stand; where a subject is taken from before, its words and those of the clause. */
function contentOf(words: readonly Word[], reading: Reading, message: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let index = 1; index <= words.length; index += 1) {
    const [before, word] = [words[index - 1], words[index]];
    const isGap =
      !before || !word || word.start < before.start || /[.!?\n]/.test(message.slice(before.end, word.start));
    const isJump =
      before && word && message.slice(before.end, word.start).split(/\s+/).filter(Boolean).length > 3;
    if (index < words.length && !isGap && !isJump) continue;
    parts.push(asWritten(message, words.slice(from, index)));
    from = index;
  }
  let content = parts.join(' ');
  const { replaces } = reading;
  const [first] = words;
  if (replaces && first && replaces.word.start === first.start)
    content = replaces.by + content.slice(first.end - first.start);
  const closing = message.slice(words.at(-1)?.end ?? 0, (words.at(-1)?.end ?? 0) + 2);
  if (/^ ?[»”]/.test(closing) && /[«“]/.test(content)) content += closing.trimEnd();
  else if (
    /^["')]/.test(closing) &&
    content.split(closing[0] === ')' ? '(' : (closing[0] as string)).length % 2 === 0
  )
    content += closing[0];
  content = content.replace(/\s+/g, ' ').trim();
  return content.charAt(0).toLocaleUpperCase() + content.slice(1);
}

function uniqueMentions(mentions: readonly Mention[]): Mention[] {
  const seen = new Set<string>();
  return mentions.filter((one) => {
    const key = one.entity === 'user' ? 'user' : `${one.name ?? ''}/${one.kinship ?? ''}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** People by name, or by their kinship as written; what the relation names; other names of the clause. */
function subjectsOf(
  words: readonly Word[],
  people: readonly Mention[],
  from: { reading: Reading; message: string },
): string[] {
  const found = people.flatMap((one) =>
    one.entity === 'person' ? [one.name ?? kinAsWritten(words, one, from.message)] : [],
  );
  const names = namesIn(words, true).map(([start, end]) => asWritten(from.message, words.slice(start, end)));
  const all = [...found, ...from.reading.things, ...names].filter((one) => one !== '');
  return [...new Set(all)]
    .filter((one) => !all.some((other) => other !== one && ` ${other} `.includes(` ${one} `)))
    .slice(0, MOST_SUBJECTS);
}

function kinAsWritten(
  words: readonly Word[],
  person: Mention & { entity: 'person' },
  message: string,
): string {
  for (let index = 0; index < words.length; index += 1) {
    const kin = kinshipAt(words, index);
    if (kin?.kinship === person.kinship) return asWritten(message, words.slice(index, kin.next));
  }
  return '';
}
