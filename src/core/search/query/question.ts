import { functionWords } from '../../support/text/stopWords.ts';
import { foldedWords, tokenise } from '../../support/text/tokenise.ts';
import { isAboutTalk, readTimeRange, type TimeRange } from './timeRange.ts';

/** A question's terms, each with its weight: how much a match of it tells; and what else it says of what is looked for. */
export interface Question {
  text: string;
  weights: ReadonlyMap<string, number>;
  /** When it happened, where the question says so. */
  range: TimeRange | null;
  /** Asks what was said, and names no matter. */
  aboutTalk: boolean;
  /** Stretches of words that a note may be called: folded, with single spaces. */
  names: readonly string[];
  /** Of `names`, those written as [[wikilinks]] or that cannot be common words. */
  surelyNames: ReadonlySet<string>;
  /** Its sentences as questions of their own, where there are several: one message may ask two things. */
  parts: readonly Question[];
}

/** Measured on French questions over encyclopaedia passages (docs/decisions/0003-text-retrieval.md): content words 1. */
const FUNCTION_WORD = 0.3;
/** A term that weighs at least this much is a content word. */
export const CONTENT_WORD_FROM = 0.5;
const CAPITALISED = 1.3;
/** Words of a pasted page would slow the search down and blur it. */
const MAX_TERMS = 64;
/** Titles are seldom longer. */
const LONGEST_NAME = 6;
const MAX_NAMES = 200;
/** Words of a question about a talk that name no matter. */
const TALK = new Set(
  'parle parler dit dire discute discuter conversation conversations discussion discussions echange echanges derniere dernieres dernier derniers fois decide vu talk talked talking discuss discussed said say conversation chat chats last time speak spoke decide decided'.split(
    ' ',
  ),
);
const SENTENCE = /[^.!?…\n]+[.!?…\n]*/gu;
/** A sentence of one content word ("Why?") is no question of its own. */
const LEAST_WORDS = 2;
const MOST_PARTS = 4;
/** What is longer is a pasted text, and about one thing. */
const LONGEST_SPLIT = 600;
const WIKILINK = /\[\[([^\]|#^]+)(?:[#^|][^\]]*)?\]\]/g;

/**
 * Reads a question: function words weigh little, words written with a capital inside a sentence (names) weigh more.
 * The first word of a sentence is capitalised by rule and tells nothing.
 * @param now what "yesterday" is counted from, milliseconds since 1970
 */
export function readQuestion(text: string, now: number = Date.now()): Question {
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
  const weights = new Map<string, number>();
  const range = readTimeRange(text, now);
  const ofTime = new Set(range?.words);
  const tokens = tokenise(text);
  const capitals = new Set<number>();
  let matters = false;
  for (const [index, token] of tokens.entries()) {
    const before = text.slice(Math.max(0, token.start - 3), token.start).trimEnd();
    const startsSentence = token.start === 0 || before === '' || /[.!?…:\n«"“]$/.test(before);
    const isName = !startsSentence && /^\p{Lu}/u.test(text.slice(token.start, token.end));
    if (isName) capitals.add(index);
    const tellsLittle = functionWords.has(token.word) || ofTime.has(token.word);
    if (!tellsLittle && !TALK.has(token.word)) matters = true;
    if (weights.size >= MAX_TERMS && !weights.has(token.term)) continue;
    const weight = tellsLittle ? FUNCTION_WORD : isName ? CAPITALISED : 1;
    weights.set(token.term, Math.max(weights.get(token.term) ?? 0, weight));
  }
  const names = new Set<string>();
  const surelyNames = new Set<string>();
  for (const [, target] of text.matchAll(WIKILINK)) {
    const name = foldedWords((target ?? '').split('/').at(-1) ?? '');
    names.add(name);
    surelyNames.add(name);
  }
  for (let from = 0; from < tokens.length && names.size < MAX_NAMES; from += 1) {
    for (let length = 1; length <= LONGEST_NAME && from + length <= tokens.length; length += 1) {
      const words = tokens.slice(from, from + length).map(({ word }) => word);
      if (words.every((word) => functionWords.has(word))) continue;
      const name = words.join(' ');
      names.add(name);
      // A title of one word is a name only where it is written as one: "le jardin" does not name the note "Jardin".
      if (words.filter((word) => !functionWords.has(word)).length > 1 || capitals.has(from))
        surelyNames.add(name);
    }
  }
  return {
    text,
    weights,
    range,
    aboutTalk: !matters && isAboutTalk(text),
    names: [...names],
    surelyNames,
    parts: [],
  };
}
