import { ledSubject } from './leadingSubject.ts';
import { isInverted, startsOrder, startsQuestion, startsRequest } from './stance.ts';
import { readSubject } from './subjects.ts';
import { isVerb, isVerbBehind } from './verbs.ts';
import { classesOf } from './wordClasses.ts';
import { plainText, type Word } from './words.ts';

/** How a clause hangs on the one before it. */
export type Link = 'none' | 'and' | 'but' | 'cause' | 'that';

/** A part of a sentence that could stand alone. */
export interface Clause {
  words: Word[];
  link: Link;
  /** It has no subject of its own, and takes that of the clause before it: "I live in Leeds and work at a school". */
  isShared: boolean;
  /** A colon stands before it. */
  isColon: boolean;
  /** A colon stands behind it: it says what comes, or what it is about. */
  isLabel: boolean;
  /** "and" joins it to the one before, not a comma alone. */
  isJoined: boolean;
}

const CONNECTOR =
  /^(?:et|and|mais|but|donc|so|puis|then|alors|ensuite|aussi|also|en|plus|sinon|or|du|coup|que|qu|that|car|parce|because|since|puisque|vu|comme|as|while|whereas|though|although|tandis|par|contre|too|par|ailleurs|now|maintenant|ps|,|;|:|–|\(|\))$/;
const CAUSE = /^(?:car|parce|because|since|puisque|vu|as|comme)$/;
const BUT = /^(?:mais|but|;|sauf|par contre|though|although)$/;
const BOUNDARY =
  /^(?:,|;|:|–|et|and|mais|but|donc|so|puis|then|alors|car|parce|because|since|puisque|while|whereas|tandis|as|though|although|sinon|sauf|vu)$/;
/** Verbs with which a clause may go on without a subject of its own. */
const GOES_ON =
  /^(?:live|lives|work|works|worked|moved|habite|vis|vit|travaille|bosse|love|loves|hate|hates|prefer|prefers|deteste|adore|prefere|aime|joue|play|plays|speak|speaks|parle|study|studies|etudie|teach|teaches|enseigne)$/;

/** The clauses of a sentence: it is cut only where what follows has its own subject and verb, or asks something. */
export function splitClauses(words: readonly Word[], text: string, isQuestion: boolean): Clause[] {
  const clauses: Clause[] = [];
  let start = 0;
  let link: Link = 'none';
  let isShared = false;
  let isColon = false;
  let isJoined = false;
  const push = (end: number) => {
    const part = trimSigns(words.slice(start, end));
    if (part.length > 0)
      clauses.push({ words: part, link, isShared, isColon, isJoined, isLabel: words[end]?.plain === ':' });
  };
  for (let index = 1; index < words.length; index += 1) {
    const plain = words[index]?.plain ?? '';
    if (!BOUNDARY.test(plain) || index < start + 1) continue;
    if (plain === 'car' && words[index]?.language === 'en') continue;
    let next = index;
    const run: string[] = [];
    while (next < words.length && next - index < 5 && CONNECTOR.test(words[next]?.plain ?? '')) {
      run.push(words[next]?.plain ?? '');
      next += 1;
    }
    const shared = /^(?:et|and)$/.test(run.at(-1) ?? '') && GOES_ON.test(words[next]?.plain ?? '');
    if (next >= words.length) continue;
    const cut = () => {
      push(index);
      link = linkOf(run);
      isShared = shared;
      isColon = run.includes(':');
      isJoined = run.some((word) => /^(?:et|and|;|puis|then|aussi|also)$/.test(word));
      start = next;
      index = next;
    };
    const before = words.slice(start, index);
    const concludes = run.some((word) => CONCLUDES.test(word)) && (run[0] === ',' || run.includes('so'));
    if (concludes && hasVerb(before) && !run.includes('that')) {
      cut();
      continue;
    }
    if (plain === ':' && startsRequest(before)) {
      cut();
      continue;
    }
    if (!shared && !opensClause(words, next, { text, isQuestion })) continue;
    if (
      isPointing(words, next) &&
      (!hasVerb(before) || isTopic(before) || isNumbered(before, words.slice(next)))
    )
      continue;
    const isPair = /^(?:et|and)$/.test(plain);
    if (
      !shared &&
      !hasVerb(before) &&
      !startsRequest(before) &&
      !run.includes(':') &&
      (isPair || !isInterjection(before))
    )
      continue;
    cut();
  }
  push(words.length);
  return clauses;
}

/** « Mon meilleur ami, c’est Karim », "my number's changed, it's 07700…": what is pointed back to stands before the comma. */
const isPointing = (words: readonly Word[], index: number) =>
  /^(?:c|it|ce)$/.test(words[index]?.plain ?? '') &&
  /^(?:est|is|'s|sera|etait)$/.test(words[index + 1]?.plain ?? '');
/** « Le stage que ma fille a décroché, c’est… »: a thing, with what tells which. */
const isTopic = (words: readonly Word[]) =>
  /^(?:le|la|l|les|the|mon|ma|my)$/.test(words[0]?.plain ?? '') &&
  words
    .slice(1, 4)
    .some(({ plain }) => /^(?:que|qu|qui|dont|ou|auquel|laquelle|lequel|that|which)$/.test(plain));
const isNumbered = (before: readonly Word[], after: readonly Word[]) =>
  classesOf(plainText(before).text).includes('code') && after.some(({ plain }) => /\d/.test(plain));

function linkOf(run: readonly string[]): Link {
  if (run.some((word) => CAUSE.test(word))) return 'cause';
  if (run.some((word) => /^(?:que|qu|that)$/.test(word))) return 'that';
  return run.some((word) => BUT.test(word) || word === ':') ? 'but' : 'and';
}

const isSign = (word: Word | undefined) => /^[,;:()–]$/.test(word?.plain ?? '');

function trimSigns(words: Word[]): Word[] {
  let [from, to] = [0, words.length];
  while (from < to && isSign(words[from])) from += 1;
  while (to > from && isSign(words[to - 1])) to -= 1;
  return words.slice(from, to);
}

const hasVerb = (words: readonly Word[]) =>
  words.some(({ plain }) => isVerb(plain) && !/^(?:named|called)$/.test(plain)) || words.length > 8;
/** "Oh, " and the like before a statement. */
const isInterjection = (words: readonly Word[]) =>
  words.length <= 2 &&
  words.every(({ plain, isCapital }, index) => (index === 0 || !isCapital) && plain.length < 7);

/** Where nothing is asked, they go on with what stands before: "the group, which is at St Agnes". */
const RELATIVE = /^(?:which|who|whom|whose|where|when|what|how|why|qui|ou|quand|dont|comment)$/;

/** "…, what strings should I buy", « …, comment on dit ça là-bas »: questions whose mark was left out. */
const UNMARKED_QUESTION =
  /^(?:(?:which|what|how|why|where|who|when) (?:\S+ ){0,3}?(?:do|does|did|is|are|should|can|could|would|will) (?:not )?(?:i|you|we|he|she|it|they|the|my)(?= |$)|(?:comment|pourquoi) (?:on|je|j|tu|ca|faire|est ce)(?= |$)|(?:quand|ou) est ce que)/;

/** "So no lilies, please", « donc merci d’en tenir compte »: what is drawn from a statement is none of it. */
const CONCLUDES = /^(?:so|donc|alors)$/;

function opensClause(
  words: readonly Word[],
  index: number,
  { text, isQuestion }: { text: string; isQuestion: boolean },
): boolean {
  const rest = words.slice(index, index + 8);
  const plain = plainText(rest).text;
  if (!isQuestion && RELATIVE.test(rest[0]?.plain ?? '') && !UNMARKED_QUESTION.test(plain)) return false;
  if (startsQuestion(plain) || startsOrder(plain) || isInverted(rest.slice(0, 3))) return true;
  if (/^(?:souviens|rappelle|oublie|retiens|note|remember)$/.test(rest[0]?.plain ?? '')) return true;
  const subject = readSubject(words, index, text) ?? ledSubject(words, index, text);
  if (!subject) return false;
  const after = words[subject.next]?.plain;
  if (after === undefined) return false;
  switch (subject.type) {
    case 'self':
    case 'we':
      return !isSign(words[subject.next]);
    case 'generic':
    case 'pronoun':
    case 'it':
      return (
        isVerb(after) || /^(?:ne|n|le|la|l|les|lui|y|en|m|t|will|would|'s)$/.test(after) || after.length > 3
      );
    default:
      return (
        (isVerbBehind(words[subject.next - 1]?.plain ?? '', after) && !/^(?:named|called)$/.test(after)) ||
        after === "'s" ||
        after === 'c' ||
        /^(?:will|would|just|also|only|really|now|aussi)$/.test(after)
      );
  }
}
