import { isFunctionTerm, stem, type Token, tokenise } from '../../support/text/tokenise.ts';
import type { FullText } from '../lexical/fullText.ts';
import type { Question } from './question.ts';

/**
 * What words end in whose stem does not begin with what stands before it: "utilis" is the stem of what "utilisatio" begins. Of all
 * beginnings of three letters or more of the words of the Tatoeba sentences in French and English, 93.2 % are beginnings of the stem,
 * and one of these 40 endings, the most frequent ones, leads to the stem of 6.2 % more.
 */
const ENDINGS =
  't g e nt ent n on ion ng ed le te ns y d es ts r l ing ons ions x ce z nts us s tion ents ul ez tes ble rs re les ve ess ss'.split(
    ' ',
  );
/** One letter begins too many words. */
const SHORTEST = 2;
/**
 * Words that may be meant, of those that begin alike: those in most rows find most (docs/decisions/0003-text-retrieval.md).
 */
const MOST_PROLONGED = 50;

/** A question that is still being typed: its last word may be the beginning of another, unless a space or a sign ends it. */
export function asTyped(question: Question): Question {
  if (!/[\p{L}\p{N}\p{M}_]$/u.test(question.text)) return question;
  const unfinished = tokenise(question.text).at(-1);
  if (!unfinished || !question.weights.has(unfinished.term) || unfinished.word.length < SHORTEST)
    return question;
  const lastPart = question.parts.at(-1);
  return {
    ...question,
    unfinished,
    parts: lastPart ? [...question.parts.slice(0, -1), asTyped(lastPart)] : question.parts,
  };
}

/** The terms of words that begin with an unfinished one, those in most rows first; not its own. */
export function prolongationsOf(
  { word, term }: Pick<Token, 'word' | 'term'>,
  fullText: FullText,
  frequencyOf: (term: string) => number,
): string[] {
  const terms = new Set([...fullText.beginningWith(word), ...ENDINGS.map((ending) => stem(word + ending))]);
  terms.delete(term);
  return [...terms]
    .map((one) => ({ term: one, rows: isFunctionTerm(one) ? 0 : frequencyOf(one) }))
    .filter(({ rows }) => rows > 0)
    .sort((one, other) => other.rows - one.rows || (one.term < other.term ? -1 : 1))
    .slice(0, MOST_PROLONGED)
    .map((one) => one.term);
}
