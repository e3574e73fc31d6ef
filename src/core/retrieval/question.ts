import { functionWords } from '../support/text/stopWords.ts';
import { tokenise } from '../support/text/tokenise.ts';

/** A question's terms, each with its weight: how much a match of it tells. */
export interface Question {
  text: string;
  weights: ReadonlyMap<string, number>;
}

/** Measured on French questions over encyclopaedia passages (docs/decisions/0003-text-retrieval.md): content words 1. */
const FUNCTION_WORD = 0.3;
const CAPITALISED = 1.3;
/** Words of a pasted page would slow the search down and blur it. */
const MAX_TERMS = 64;

/**
 * Reads a question: function words weigh little, words written with a capital inside a sentence (names) weigh more.
 * The first word of a sentence is capitalised by rule and tells nothing.
 */
export function readQuestion(text: string): Question {
  const weights = new Map<string, number>();
  for (const token of tokenise(text)) {
    if (weights.size >= MAX_TERMS && !weights.has(token.term)) continue;
    const before = text.slice(Math.max(0, token.start - 3), token.start).trimEnd();
    const startsSentence = token.start === 0 || before === '' || /[.!?…:\n«"“]$/.test(before);
    const isName = !startsSentence && /^\p{Lu}/u.test(text.slice(token.start, token.end));
    const weight = functionWords.has(token.word) ? FUNCTION_WORD : isName ? CAPITALISED : 1;
    weights.set(token.term, Math.max(weights.get(token.term) ?? 0, weight));
  }
  return { text, weights };
}
