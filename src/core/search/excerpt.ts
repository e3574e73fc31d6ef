import type { Mark } from '../../shared/contract/retrieval.ts';
import { splitSentences } from '../support/text/sentences.ts';
import { type Token, tokenise } from '../support/text/tokenise.ts';
import type { Span } from './findings.ts';

export interface Excerpt {
  text: string;
  /** Where it stands in the whole text, without the ellipses. */
  span: Span;
  marks: Mark[];
}

/** Longer texts are looked at this far: an excerpt must not cost more than the search. */
const MAX_LOOKED_AT = 20_000;
/** A mark on every "the" would hide the words that matter. */
const MARKED_FROM = 0.5;

/**
 * The stretch of `text` that says most about the question: whole sentences up to `maxCharacters`, those that hold the
 * heaviest distinct terms, with the matches marked. A sentence that is too long is cut between words, with an ellipsis.
 */
export function makeExcerpt(
  text: string,
  weights: ReadonlyMap<string, number>,
  maxCharacters: number,
): Excerpt {
  const looked = text.length > MAX_LOOKED_AT ? text.slice(0, MAX_LOOKED_AT) : text;
  const tokens = tokenise(looked);
  const { start, end } = bestStretch(looked, tokens, weights, maxCharacters);
  const raw = looked.slice(start, end);
  const lead = raw.length - raw.trimStart().length;
  const body = raw.trim();
  const before = start > 0 && !endsSentence(looked.slice(0, start)) ? '… ' : '';
  const after = start + lead + body.length < text.trimEnd().length && !endsSentence(body) ? ' …' : '';
  const shift = before.length - start - lead;
  const marks = tokens
    .filter(
      (token) => token.start >= start && token.end <= end && (weights.get(token.term) ?? 0) >= MARKED_FROM,
    )
    .map((token) => ({ start: token.start + shift, end: token.end + shift }));
  return {
    text: before + body + after,
    span: { start: start + lead, end: start + lead + body.length },
    marks,
  };
}

const endsSentence = (text: string) => /[.!?…:»”"')\]\n]\s*$/.test(text) || text.endsWith('\n');

function bestStretch(
  text: string,
  tokens: readonly Token[],
  weights: ReadonlyMap<string, number>,
  maxCharacters: number,
): { start: number; end: number } {
  if (text.length <= maxCharacters) return { start: 0, end: text.length };
  const spans = splitSentences(text);
  const bySpan = spans.map((): Token[] => []);
  let at = 0;
  for (const token of tokens) {
    while (token.start >= (spans[at]?.end ?? Number.POSITIVE_INFINITY)) at += 1;
    if (weights.has(token.term)) bySpan[at]?.push(token);
  }
  let best = { start: 0, end: 0, score: -1 };
  for (const [from, first] of spans.entries()) {
    const seen = new Set<string>();
    let score = 0;
    for (let to = from; to < spans.length; to += 1) {
      const end = (spans[to] as { end: number }).end;
      if (to > from && end - first.start > maxCharacters) break;
      for (const { term } of bySpan[to] as Token[]) {
        if (!seen.has(term)) score += weights.get(term) ?? 0;
        seen.add(term);
      }
      // The longest stretch of the best score, the earliest among equals.
      if (score > best.score || (score === best.score && first.start === best.start)) {
        best = { start: first.start, end, score };
      }
    }
  }
  return best.end - best.start <= maxCharacters
    ? best
    : cutSentence(text, best, bySpan, spans, maxCharacters);
}

/** A stretch of words around the matches of one long sentence. */
function cutSentence(
  text: string,
  sentence: { start: number; end: number },
  bySpan: readonly Token[][],
  spans: readonly { start: number; end: number }[],
  maxCharacters: number,
): { start: number; end: number } {
  const matches = bySpan[spans.findIndex((span) => span.start === sentence.start)] ?? [];
  const room = maxCharacters - 4;
  const first = matches[0]?.start ?? sentence.start;
  const last = matches.findLast((token) => token.end - first <= room)?.end ?? first;
  const slack = Math.max(0, room - (last - first));
  let start = Math.max(sentence.start, first - Math.floor(slack / 3));
  let end = Math.min(sentence.end, start + room);
  if (start > sentence.start) start = nextSpace(text, start, end);
  if (end < sentence.end) end = lastSpace(text, start, end);
  return { start, end };
}

function nextSpace(text: string, from: number, to: number): number {
  const space = text.indexOf(' ', from);
  return space >= 0 && space < to ? space + 1 : from;
}

function lastSpace(text: string, from: number, to: number): number {
  const space = text.lastIndexOf(' ', to);
  return space > from ? space : to;
}
