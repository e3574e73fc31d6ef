import { detectLanguage } from '../../support/text/language.ts';
import { lettersOf } from '../../support/text/tokenise.ts';
import { splitClauses } from './clauses.ts';
import { leadingSubject } from './leadingSubject.ts';
import { readOpening } from './openers.ts';
import { ownWords } from './ownWords.ts';
import { firstQuestion, withoutQuestion } from './questions.ts';
import { readSentences, type Sentence } from './sentences.ts';
import {
  hasTextHere,
  isCondition,
  isFiction,
  isHedge,
  isIrony,
  isPlayed,
  isQuestionLike,
  isRiddle,
  isTextTask,
  isUnasserted,
  opensRolePlay,
} from './stance.ts';
import { FOREIGN, plainText, readWords, type Word } from './words.ts';

/** Of whom a clause tells: of its author, of somebody or something of theirs, of others; null if that does not show. */
export type Teller = 'self' | 'own' | 'other' | null;

/** A clause that its author asserts. */
export interface AssertedClause {
  words: Word[];
  teller: Teller;
  /** The author asked that it be remembered. */
  isAsked: boolean;
}

/**
 * What the author of a message plainly asserts: of each sentence the stretches of clauses that nothing unasserted interrupts. Quotations,
 * questions, doubts, conditions, wishes, orders, stories and texts to work on are left out, as rules leave them out that learn.
 */
export function assertedIn(message: string): AssertedClause[][] {
  const text = ownWords(message);
  const whole = lettersOf(text.slice(0, 4_000));
  if (isPlayed(whole) || isRiddle(whole)) return [];
  const language = detectLanguage(text.slice(0, 4_000), 'fr');
  const stretches: AssertedClause[][] = [];
  for (const sentence of readSentences(text)) {
    const sentenceLanguage = detectLanguage(text.slice(sentence.start, sentence.end), language);
    const words = readWords(text, sentence, sentenceLanguage);
    const { text: plain } = plainText(words);
    const { isAsked } = readOpening(words);
    if (opensRolePlay(plain) || (hasTextHere(plain) && !isAsked)) break;
    if (isFiction(plain) || isIrony(plain)) continue;
    stretches.push(...stretchesOf(words, { sentence, text }));
  }
  return stretches;
}

function stretchesOf(
  sentenceWords: readonly Word[],
  { sentence, text }: { sentence: Sentence; text: string },
): AssertedClause[][] {
  const opening = readOpening(sentenceWords);
  if (opening.isForgetting) return [];
  const isAsking = sentence.isQuestion && !opening.isPoliteQuestion;
  const stated = isAsking ? withoutQuestion(opening.words) : opening.words;
  const clauses = splitClauses(stated, text, sentence.isQuestion);
  const asked = isAsking ? firstQuestion(clauses, opening.words) : clauses.length;
  if (clauses.some(({ words }) => isHedge(plainText(words).text))) return [];
  const stretches: AssertedClause[][] = [[]];
  let isAsked = opening.isAsked;
  /** What hangs on a condition or a doubt shares its fate. */
  let isHeld = false;
  for (const [index, { words, link }] of clauses.slice(0, asked).entries()) {
    const inner = readOpening(words);
    if (inner.isForgetting) break;
    isAsked ||= inner.isAsked;
    if (link === 'but') isHeld = false;
    const said = plainText(inner.words).text;
    if (said === '') continue;
    if (isTextTask(said) && !isAsked) break;
    const isUnsaid = said.includes(FOREIGN) || (isAsked ? isQuestionLike : isUnasserted)(inner.words, said);
    if (!isUnsaid && !isHeld) {
      stretches.at(-1)?.push({ words: inner.words, teller: tellerOf(inner.words, text), isAsked });
      continue;
    }
    isHeld ||= isCondition(said) || (isUnsaid && clauses[index + 1]?.link === 'that');
    stretches.push([]);
  }
  return stretches.filter((stretch) => stretch.length > 0);
}

/** Of whom the words of a clause tell. */
export function tellerOf(words: readonly Word[], text: string): Teller {
  const subject = leadingSubject(words, text);
  switch (subject?.type) {
    case 'self':
    case 'we':
      return 'self';
    case 'owned':
      return subject.owner.entity === 'user' ? 'own' : 'other';
    case 'person':
      return subject.people.some(({ entity }) => entity === 'user') ? 'self' : 'other';
    case 'pronoun':
      return 'other';
    default:
      return null;
  }
}
