import type { Mark } from '../../shared/contract/retrieval.ts';
import { splitSentences } from '../support/text/sentences.ts';
import { type Token, tokenise } from '../support/text/tokenise.ts';
import type { Finding, Span } from './findings.ts';

export interface Excerpt {
  text: string;
  /** Where it stands in the whole text, without the ellipses. */
  span: Span;
  marks: Mark[];
}

/** Longer texts are read this far only: an excerpt must not cost more than the search. */
export const MAX_READ = 20_000;
/** A mark on every "the" would hide the words that matter. */
const MARKED_FROM = 0.5;

/** A text in which an excerpt is looked for. */
interface Passage {
  text: string;
  tokens: readonly Token[];
  /** How much a match of each term tells. */
  weights: ReadonlyMap<string, number>;
  maxCharacters: number;
}

/**
 * The part of `text` that says most about the question: the whole sentences with the heaviest distinct terms, up to
 * `maxCharacters` UTF-16 units, with the matches marked. A sentence that is too long is cut between words, with an ellipsis.
 */
export function makeExcerpt(
  text: string,
  weights: ReadonlyMap<string, number>,
  maxCharacters: number,
): Excerpt {
  const looked = text.length > MAX_READ ? text.slice(0, MAX_READ) : text;
  const tokens = tokenise(looked);
  const { start, end } = bestStretch({ text: looked, tokens, weights, maxCharacters });
  const span = trimmed(looked, { start, end });
  const { before, after } = ellipses(text, span);
  const shift = before.length - span.start;
  const marks = tokens
    .filter(
      (token) => token.start >= start && token.end <= end && (weights.get(token.term) ?? 0) >= MARKED_FROM,
    )
    .map((token) => ({ start: token.start + shift, end: token.end + shift }));
  return { text: before + text.slice(span.start, span.end) + after, span, marks };
}

/** The first words of `text`, up to `maxCharacters` UTF-16 units, as an excerpt without marks. */
export function beginning(text: string, maxCharacters: number): Excerpt {
  const whole = { start: 0, end: text.length };
  const span = trimmed(
    text,
    // An ellipsis takes two characters.
    text.length <= maxCharacters ? whole : { start: 0, end: lastSpace(text, 0, maxCharacters - 2) },
  );
  const { before, after } = ellipses(text, span);
  return { text: before + text.slice(span.start, span.end) + after, span, marks: [] };
}

const endsSentence = (text: string) => /[.!?…:»”"')\]\n]\s*$/.test(text) || text.endsWith('\n');

function bestStretch(passage: Passage): Span {
  const { text, tokens, weights, maxCharacters } = passage;
  if (text.length <= maxCharacters) return { start: 0, end: text.length };
  const sentences = splitSentences(text);
  const matches = sentences.map((): Token[] => []);
  let at = 0;
  for (const token of tokens) {
    while (token.start >= (sentences[at]?.end ?? Number.POSITIVE_INFINITY)) at += 1;
    if (weights.has(token.term)) matches[at]?.push(token);
  }
  let best = { start: 0, end: 0, score: -1, from: 0 };
  for (const [from, first] of sentences.entries()) {
    const seen = new Set<string>();
    let score = 0;
    for (let to = from; to < sentences.length; to += 1) {
      const end = (sentences[to] as { end: number }).end;
      if (to > from && end - first.start > maxCharacters) break;
      for (const { term } of matches[to] as Token[]) {
        if (!seen.has(term)) score += weights.get(term) ?? 0;
        seen.add(term);
      }
      // The longest stretch of the best score, the earliest among equals.
      if (score > best.score || (score === best.score && first.start === best.start)) {
        best = { start: first.start, end, score, from };
      }
    }
  }
  if (best.end - best.start <= maxCharacters) return best;
  return cutSentence(passage, best, matches[best.from] ?? []);
}

/** The words around the matches of one long sentence. */
function cutSentence({ text, maxCharacters }: Passage, sentence: Span, matches: readonly Token[]): Span {
  // An ellipsis at each end takes two characters.
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

/**
 * A finding with the longest part of its excerpt that lies outside `spans`, the one with the most matches first; null if
 * nothing is left of it.
 */
export function cutExcerpt(finding: Finding, spans: readonly Span[]): Finding | null {
  const { text, result } = finding;
  let pieces: Span[] = [finding.span];
  for (const { start, end } of spans) {
    pieces = pieces.flatMap((piece) =>
      [
        { start: piece.start, end: Math.min(piece.end, start) },
        { start: Math.max(piece.start, end), end: piece.end },
      ].filter((part) => part.end > part.start),
    );
  }
  // Marks stand in the excerpt, which may begin with an ellipsis.
  const lead = result.excerpt.indexOf(text.slice(finding.span.start, finding.span.end));
  const marks = result.marks.map((mark) => ({
    start: mark.start - lead + finding.span.start,
    end: mark.end - lead + finding.span.start,
  }));
  const within = (piece: Span) =>
    marks.filter((mark) => mark.start >= piece.start && mark.end <= piece.end).length;
  const best = pieces
    .map((piece) => trimmed(text, piece))
    .filter((piece) => piece.end > piece.start)
    .sort((one, other) => within(other) - within(one) || other.end - other.start - (one.end - one.start))[0];
  if (!best) return null;
  const { before, after } = ellipses(text, best);
  const shift = before.length - best.start;
  return {
    ...finding,
    span: best,
    result: {
      ...result,
      excerpt: before + text.slice(best.start, best.end) + after,
      marks: marks
        .filter((mark) => mark.start >= best.start && mark.end <= best.end)
        .map((mark) => ({ start: mark.start + shift, end: mark.end + shift })),
    },
  };
}

function trimmed(text: string, { start, end }: Span): Span {
  const raw = text.slice(start, end);
  const lead = raw.length - raw.trimStart().length;
  return { start: start + lead, end: start + lead + raw.trim().length };
}

/** An ellipsis at each end that cuts a sentence. */
function ellipses(text: string, { start, end }: Span): { before: string; after: string } {
  return {
    before: start > 0 && !endsSentence(text.slice(0, start)) ? '… ' : '',
    after: end < text.trimEnd().length && !endsSentence(text.slice(start, end)) ? ' …' : '',
  };
}
