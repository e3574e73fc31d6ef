import { functionWords } from '../support/text/stopWords.ts';
import { type Token, tokenise } from '../support/text/tokenise.ts';

/**
 * So many content terms in a row, in the order of the source, count as copied. Shorter runs are names and set phrases ("saints de
 * glace", "base de données") that anybody shares who writes about the same thing: of PIAF's questions, which are written in their
 * own words about a paragraph, 49 % share two terms in a row with it, 14 % three, 3.5 % four and 1.1 % five. Of the sentences of
 * those paragraphs 97 % have at least four content terms, 95 % at least five; in personal notes they are shorter.
 */
const COPIED_TERMS = 4;

const CITATION = /\[\d+(?:,\s*\d+)*\]/g;

/**
 * `reply` without the stretches of it that were copied from `sources`: at least four content terms that stand in the same order
 * in one source, function words between them ignored. What also stands in `said`, the user's own words, stays.
 */
export function withoutQuoted(reply: string, sources: readonly string[], said: readonly string[]): string {
  const quoted = sources.map(runsOf).filter(({ size }) => size > 0);
  if (quoted.length === 0) return reply;
  const own = said.map(runsOf);
  const isIn = (some: readonly ReadonlySet<string>[], key: string) => some.some((runs) => runs.has(key));
  const words = tokenise(reply);
  const citations = citationsAmong(words, reply);
  const saysSomething = words.map((word) => isContent(word) && !citations.has(word));
  const content = words.filter((_, at) => saysSomething[at]);
  const removed = new Set<Token>();
  for (let at = 0; at + COPIED_TERMS <= content.length; at += 1) {
    const run = content.slice(at, at + COPIED_TERMS);
    const key = keyOf(run);
    if (isIn(quoted, key) && !isIn(own, key)) for (const word of run) removed.add(word);
  }
  return removed.size === 0 ? reply : cutOut(reply, words, { removed, saysSomething });
}

const isContent = ({ word }: Token): boolean => !functionWords.has(word);
const keyOf = (run: readonly Token[]): string => run.map(({ term }) => term).join(' ');

/** Texts whose runs are kept: in a long conversation, each reply is compared with all that was quoted before it. */
const KEPT_TEXTS = 2_000;
const kept = new Map<string, ReadonlySet<string>>();

/** Every run of `COPIED_TERMS` content terms of a text. */
function runsOf(text: string): ReadonlySet<string> {
  const known = kept.get(text);
  if (known) return known;
  const content = tokenise(text).filter(isContent);
  const runs = new Set<string>();
  for (let at = 0; at + COPIED_TERMS <= content.length; at += 1)
    runs.add(keyOf(content.slice(at, at + COPIED_TERMS)));
  if (kept.size >= KEPT_TEXTS) kept.clear();
  kept.set(text, runs);
  return runs;
}

/** The words of a text that are numbers of its citations ("[1]"): they may stand in the middle of what was copied. */
function citationsAmong(words: readonly Token[], text: string): ReadonlySet<Token> {
  const found = new Set<Token>();
  let at = 0;
  for (const { index, 0: citation } of text.matchAll(CITATION)) {
    for (; at < words.length && (words[at] as Token).end < index + citation.length; at += 1)
      if ((words[at] as Token).start > index) found.add(words[at] as Token);
  }
  return found;
}

/** Cuts the removed words out, with the words between them that say nothing of their own, and those right before a stretch. */
function cutOut(
  text: string,
  words: readonly Token[],
  { removed, saysSomething }: { removed: ReadonlySet<Token>; saysSomething: readonly boolean[] },
): string {
  const cut = words.map((word) => removed.has(word));
  for (let at = 0, last = -1; at < words.length; at += 1) {
    if (saysSomething[at] && !cut[at]) last = -1;
    if (!cut[at]) continue;
    if (last >= 0) cut.fill(true, last, at);
    last = at;
  }
  for (let at = words.length - 2; at >= 0; at -= 1) {
    const gap = text.slice(words[at]?.end, words[at + 1]?.start);
    if (cut[at + 1] && !saysSomething[at] && /^[\s'’]*$/.test(gap)) cut[at] = true;
  }
  let kept = '';
  let from = 0;
  for (const [at, word] of words.entries()) {
    if (!cut[at]) continue;
    if (!cut[at - 1]) kept += text.slice(from, word.start);
    from = word.end;
  }
  return kept + text.slice(from);
}
