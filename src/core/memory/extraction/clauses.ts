import { CODE } from './planRelations.ts';
import { isInverted, startsQuestion } from './stance.ts';
import { readSubject } from './subjects.ts';
import { isVerb } from './verbs.ts';
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
}

const CONNECTOR =
  /^(?:et|and|mais|but|donc|so|puis|then|alors|ensuite|aussi|also|en|plus|sinon|or|du|coup|que|qu|that|car|parce|because|since|puisque|vu|comme|as|while|whereas|though|although|tandis|par|contre|too|par|ailleurs|now|maintenant|ps|,|;|:|–|\(|\))$/;
const CAUSE = /^(?:car|parce|because|since|puisque|vu|as|comme)$/;
const BUT = /^(?:mais|but|;|sauf|par contre|though|although)$/;
const BOUNDARY =
  /^(?:,|;|:|–|\(|et|and|mais|but|donc|so|puis|then|alors|car|parce|because|since|puisque|while|whereas|tandis|as|though|although|sinon|sauf|vu)$/;
/** Verbs with which a clause may go on without a subject of its own. */
const GOES_ON =
  /^(?:live|lives|work|works|worked|moved|habite|vis|vit|travaille|bosse|love|loves|hate|hates|prefer|prefers|deteste|adore|prefere|aime|joue|play|plays|speak|speaks|parle|study|studies|etudie|teach|teaches|enseigne)$/;

/** The clauses of a sentence: it is cut only where what follows has its own subject and verb, or asks something. */
export function splitClauses(words: readonly Word[], text: string, isFrench: boolean): Clause[] {
  const clauses: Clause[] = [];
  let start = 0;
  let link: Link = 'none';
  let isShared = false;
  let isColon = false;
  const push = (end: number) => {
    const part = trimSigns(words.slice(start, end));
    if (part.length > 0) clauses.push({ words: part, link, isShared, isColon });
  };
  for (let index = 1; index < words.length; index += 1) {
    const plain = words[index]?.plain ?? '';
    if (!BOUNDARY.test(plain) || index < start + 1) continue;
    if (!isFrench && plain === 'car') continue;
    let next = index;
    const run: string[] = [];
    while (next < words.length && next - index < 5 && CONNECTOR.test(words[next]?.plain ?? '')) {
      run.push(words[next]?.plain ?? '');
      next += 1;
    }
    const shared = /^(?:et|and)$/.test(run.at(-1) ?? '') && GOES_ON.test(words[next]?.plain ?? '');
    if (next >= words.length || !(shared || opensClause(words, next, text))) continue;
    const before = words.slice(start, index);
    if (isPointing(words, next) && (!hasVerb(before) || isNumbered(before, words.slice(next)))) continue;
    const isPair = /^(?:et|and)$/.test(plain);
    if (!shared && !hasVerb(before) && (isPair || !isLabel(before))) continue;
    push(index);
    link = linkOf(run);
    isShared = shared;
    isColon = run.includes(':');
    start = next;
    index = next;
  }
  push(words.length);
  return clauses;
}

/** « Mon meilleur ami, c’est Karim », "my number's changed, it's 07700…": what is pointed back to stands before the comma. */
const isPointing = (words: readonly Word[], index: number) =>
  /^(?:c|it|ce)$/.test(words[index]?.plain ?? '') &&
  /^(?:est|is|'s|sera|etait)$/.test(words[index + 1]?.plain ?? '');
const isNumbered = (before: readonly Word[], after: readonly Word[]) =>
  CODE.test(plainText(before).text) && after.some(({ plain }) => /\d/.test(plain));

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

const hasVerb = (words: readonly Word[]) => words.some(({ plain }) => isVerb(plain)) || words.length > 5;
/** "Update:", "oh, " and the like before a statement. */
const isLabel = (words: readonly Word[]) =>
  words.length <= 3 && !/^(?:dans|in|selon|d)$/.test(words[0]?.plain ?? '');

function opensClause(words: readonly Word[], index: number, text: string): boolean {
  const rest = words.slice(index, index + 8);
  if (startsQuestion(plainText(rest).text) || isInverted(rest.slice(0, 3))) return true;
  if (/^(?:souviens|rappelle|oublie|retiens|note|remember)$/.test(rest[0]?.plain ?? '')) return true;
  const subject = readSubject(words, index, text);
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
        isVerb(after) ||
        after === "'s" ||
        after === 'c' ||
        /^(?:will|would|just|also|only|really|now|aussi)$/.test(after)
      );
  }
}
