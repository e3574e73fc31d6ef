import { quotedPhrases } from '../../../shared/quoted.ts';
import { auxiliaries, functionWords } from '../../support/text/stopWords.ts';
import { foldedWords, type Token, termStream, tokenise } from '../../support/text/tokenise.ts';
import { isNameIn } from './capitals.ts';
import { asksOn, isFollowUp } from './followUp.ts';
import { isCourtesy, isSmallTalk } from './smallTalk.ts';
import { readTalk, type Talk } from './talk.ts';
import { readPastRange, readTimeRange, type TimeRange } from './timeRange.ts';

/** A question as it is searched: its terms, each with the weight of a match, and what else it tells of what is looked for. */
export interface Question {
  text: string;
  weights: ReadonlyMap<string, number>;
  /** The time that the question names; null if it names none. */
  range: TimeRange | null;
  /** What it asks of the talk itself; null if it asks of a matter. */
  talk: Talk | null;
  /** It only greets, thanks, agrees or takes leave: nothing is looked for. */
  isSmallTalk: boolean;
  /** Stretches of its words that may be the name of a note: folded, with single spaces. */
  names: readonly string[];
  /** Those of `names` that are written as [[wikilinks]] or cannot be common words. */
  surelyNames: ReadonlySet<string>;
  /** What it puts between quotation marks, each as a space-joined list of terms: only what holds these words in this order matches them. */
  phrases: readonly string[];
  /** Its sentences as questions of their own, if there are several: one message may ask two things. */
  parts: readonly Question[];
  /** It is read with words of the question before it; absent if it stands by itself. */
  followsUp?: true;
  /** The last word of what is still being typed, which may be the beginning of another; absent if all its words are whole. */
  unfinished?: Pick<Token, 'term' | 'word'>;
}

/** Measured on French questions over encyclopaedia passages (docs/decisions/0003-text-retrieval.md): content words 1. */
const FUNCTION_WORD = 0.3;
/** A term that weighs at least this much is a content word. */
export const CONTENT_WORD_FROM = 0.5;
const CAPITALISED = 1.3;
/** Of a follow-up, how much the words of the question before count beside its own (docs/decisions/0022-follow-ups.md). */
const BEFORE = 0.5;
/** More terms, as of a pasted page, would make the search slower and less precise. */
const MAX_TERMS = 64;
/** Words of a name. Few titles are longer. */
const LONGEST_NAME = 6;
const MAX_NAMES = 200;
const SENTENCE = /[^.!?…\n]+[.!?…\n]*/gu;
/** A sentence of one content word ("Why?") is no question of its own. */
const LEAST_WORDS = 2;
const MOST_PARTS = 4;
/** A longer message is a pasted text, about one thing. */
const LONGEST_SPLIT = 600;
/** `[[target#heading|display]]`; its group is the target. */
export const WIKILINK = /\[\[([^\]|#^]+)(?:[#^|][^\]]*)?\]\]/g;

/**
 * Reads a question. Function words weigh little; words with a capital inside a sentence weigh more, because they are names. The
 * capital of a sentence's first word tells nothing.
 * @param now the time from which "yesterday" is counted, milliseconds since 1970
 * @param before what was asked right before it in the same conversation, the latest first: a follow-up is read with the words of that
 */
export function readQuestion(
  text: string,
  now: number = Date.now(),
  before: readonly string[] = [],
): Question {
  const read = readWhole(text, now);
  const [last, ...others] = before;
  const asksNothing = read.isSmallTalk && !asksOn(text);
  const stands = last === undefined || read.talk !== null || asksNothing || !isFollowUp(text);
  return stands ? read : withBefore(read, readQuestion(last, now, others));
}

/** A follow-up with the content words of the question that it follows; what is asked of the talk itself, and thanks, have none. */
function withBefore(question: Question, { weights, talk, isSmallTalk }: Question): Question {
  if (talk || isSmallTalk) return question;
  const added = [...weights].flatMap(([term, weight]) =>
    weight > FUNCTION_WORD && !question.weights.has(term) ? [[term, BEFORE * weight] as const] : [],
  );
  if (added.length === 0) return question;
  const all = [...question.weights, ...added].slice(0, MAX_TERMS);
  return { ...question, weights: new Map(all), isSmallTalk: false, followsUp: true };
}

function readWhole(text: string, now: number): Question {
  const whole = readOne(text, now);
  const sentences = text.match(SENTENCE) ?? [];
  if (sentences.length < 2 || text.length > LONGEST_SPLIT) return whole;
  const parts = sentences
    .map((sentence) => readOne(sentence, now))
    .filter(
      ({ weights }) => [...weights.values()].filter((weight) => weight > FUNCTION_WORD).length >= LEAST_WORDS,
    )
    .slice(0, MOST_PARTS);
  return parts.length < 2 ? whole : { ...whole, parts };
}

function readOne(text: string, now: number): Question {
  const past = readPastRange(text, now);
  const talk = readTalk(text, past?.words ?? []);
  // What was said on Monday was said last Monday.
  const range = talk ? past : readTimeRange(text, now);
  const tokens = tokenise(text);
  const capitals = new Set(tokens.filter((token) => isNameIn(text, token)));
  // A note may name a day by the same words.
  const ofTime = new Set(range?.isNamed && !talk ? [] : range?.words);
  const isFunction = ({ word }: Token) =>
    functionWords.has(word) || auxiliaries.has(word) || ofTime.has(word);
  // "Hello, where does David live?" does not look for "hello"; a search for "hello" does.
  const saysMore = tokens.some((token) => !isFunction(token) && !isCourtesy(token.word));
  const tellsLittle = (token: Token) => isFunction(token) || (saysMore && isCourtesy(token.word));
  // Of a question about the talk, only the matter is looked for.
  const searched = talk && talk.topic.size > 0 ? tokens.filter(({ word }) => talk.topic.has(word)) : tokens;
  const weights = new Map<string, number>();
  for (const token of searched) {
    const { term } = token;
    if (weights.size >= MAX_TERMS && !weights.has(term)) continue;
    const weight = tellsLittle(token) ? FUNCTION_WORD : capitals.has(token) ? CAPITALISED : 1;
    weights.set(term, Math.max(weights.get(term) ?? 0, weight));
  }
  // "I" names nobody, and of what is all in capitals nothing does.
  const isShouted = text === text.toUpperCase();
  const named = isShouted ? [] : [...capitals].filter(({ start, end }) => end - start > 1);
  const smallTalk =
    talk === null &&
    !text.includes('[[') &&
    isSmallTalk(text, { tokens, names: new Set(named.map(({ word }) => word)) });
  return {
    text,
    weights,
    range,
    talk,
    isSmallTalk: smallTalk,
    ...readNames(text, tokens, capitals),
    phrases: quotedPhrases(text).map(termStream).filter(Boolean),
    parts: [],
  };
}

function readNames(
  text: string,
  tokens: readonly Token[],
  capitals: ReadonlySet<Token>,
): Pick<Question, 'names' | 'surelyNames'> {
  const names = new Set<string>();
  const surelyNames = new Set<string>();
  for (const [, target] of text.matchAll(WIKILINK)) {
    const name = foldedWords((target ?? '').split('/').at(-1) ?? '');
    names.add(name);
    surelyNames.add(name);
  }
  for (let from = 0; from < tokens.length && names.size < MAX_NAMES; from += 1) {
    let name = '';
    let contentWords = 0;
    for (const { word } of tokens.slice(from, from + LONGEST_NAME)) {
      name = name === '' ? word : `${name} ${word}`;
      if (!functionWords.has(word)) contentWords += 1;
      if (contentWords === 0) continue;
      names.add(name);
      // One word is the name of a note only if it has a capital: "le jardin" does not name the note "Jardin".
      if (contentWords > 1 || capitals.has(tokens[from] as Token)) surelyNames.add(name);
    }
  }
  return { names: [...names], surelyNames };
}
