import { idf, scoreText, type WeightedTerm } from '../../search/lexical/textScore.ts';
import type { BlockItem } from '../../storage/contextBlocks.ts';
import { isFunctionTerm, termStream } from '../../support/text/tokenise.ts';
import type { SectionCounts } from './block.ts';

/** A section of what is attached to the message that is answered. */
export interface AttachedSection {
  item: Omit<BlockItem, 'number' | 'score' | 'attached'>;
  /** The terms of the name and headings, and of the text, joined by spaces. */
  fields: { title: string; body: string };
  termCount: number;
}

/** What is attached to the message that is answered. */
export interface AttachedFile {
  /** Its place in the turn, from 1. */
  ordinal: number;
  /** All of its sections, in order. */
  sections: readonly AttachedSection[];
}

/** A section that is given, before it has a citation number. */
export type ChosenSection = Omit<BlockItem, 'number'>;

/** A shorter stretch says nothing by itself: about half a sentence. */
const LEAST_CHARACTERS = 40;
const CUT_MARK = ' […]';

interface Ranked {
  item: ChosenSection;
  /** Its place among all sections of the message. */
  place: number;
}

export const sectionCounts = (files: readonly AttachedFile[]): SectionCounts =>
  new Map(files.map(({ ordinal, sections }) => [ordinal, sections.length]));

/**
 * What of the attachments goes into the prompt: everything if it fits; else whole what takes no more than its share, the smallest first,
 * and of the rest the sections that answer the question best, or its beginning if none does. In the order of the attachments.
 * @param limit tokens that all of it may take
 * @param tokensOf what some sections take together
 */
export function chooseSections(
  files: readonly AttachedFile[],
  {
    question,
    limit,
    tokensOf,
  }: { question: string; limit: number; tokensOf(items: readonly ChosenSection[]): number },
): ChosenSection[] {
  const ranked = rankSections(files, question);
  const all = ranked.flat();
  if (all.length === 0 || tokensOf(inOrder(all)) <= limit) return inOrder(all);
  const sizes = ranked
    .map((sections) => ({ sections, tokens: tokensOf(inOrder(sections)) }))
    .sort((one, other) => one.tokens - other.tokens);
  let left = limit;
  const chosen: Ranked[] = [];
  for (const [place, { sections, tokens }] of sizes.entries()) {
    const share = Math.floor(left / (sizes.length - place));
    const some = tokens <= share ? sections : best(sections, share, tokensOf);
    left -= some === sections ? tokens : tokensOf(inOrder(some));
    chosen.push(...some);
  }
  return inOrder(chosen);
}

/**
 * For who answers with the sections themselves: those that say something of the question, best first; without any, the first ones.
 * @param minScore relevance below which an item is no answer: what was attached is to be answered from
 */
export function bestSections(
  files: readonly AttachedFile[],
  { question, limit, minScore }: { question: string; limit: number; minScore: number },
): ChosenSection[] {
  const ranked = rankSections(files, question)
    .flat()
    .sort((one, other) => other.item.score - one.item.score || one.place - other.place);
  const answering = ranked.filter(({ item }) => item.score > 0);
  return (answering.length > 0 ? answering : ranked)
    .slice(0, limit)
    .map(({ item }) => ({ ...item, score: Math.max(minScore, item.score) }));
}

/** As many of the best sections as fit; of the best one its beginning, if not even that does. */
function best(
  sections: readonly Ranked[],
  limit: number,
  tokensOf: (items: readonly ChosenSection[]) => number,
): Ranked[] {
  const order = [...sections].sort(
    (one, other) => other.item.score - one.item.score || one.place - other.place,
  );
  const taken: Ranked[] = [];
  // What one takes beside others is known only roughly before they stand together.
  let estimate = 0;
  for (const one of order) {
    estimate += tokensOf([one.item]);
    if (estimate > limit * 2) break;
    if (tokensOf(inOrder([...taken, one])) <= limit) taken.push(one);
  }
  const [first] = order;
  if (taken.length > 0 || !first) return taken;
  const cut = beginning(first.item, (item) => tokensOf([item]) <= limit);
  return cut ? [{ ...first, item: cut }] : [];
}

function beginning(item: ChosenSection, fits: (item: ChosenSection) => boolean): ChosenSection | null {
  let length = item.excerpt.length;
  while (length >= LEAST_CHARACTERS) {
    const kept = item.excerpt.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
    const span = { start: item.span.start, end: item.span.start + kept.length };
    const cut = { ...item, excerpt: kept + CUT_MARK, span };
    if (fits(cut)) return cut;
    length = Math.floor((length * 7) / 8);
  }
  return null;
}

/** The sections of each file, with how well each answers among all of them. */
function rankSections(files: readonly AttachedFile[], question: string): Ranked[][] {
  const all = files.flatMap(({ sections }) => sections);
  const terms = weightedTerms(all, question);
  const averageTerms = Math.max(1, all.reduce((sum, { termCount }) => sum + termCount, 0) / all.length);
  let place = 0;
  return files.map(({ ordinal, sections }) =>
    sections.map(({ item, fields, termCount }) => {
      const { saturation } = scoreText({ fields, termCount }, terms, { averageTerms });
      place += 1;
      return { item: { ...item, score: saturation, attached: ordinal }, place };
    }),
  );
}

/** The words of the question that say what it is about, by how few sections hold them. */
function weightedTerms(sections: readonly AttachedSection[], question: string): WeightedTerm[] {
  const terms = [...new Set(termStream(question).split(' '))].filter(
    (term) => term !== '' && !isFunctionTerm(term),
  );
  const held = sections.map(({ fields }) => new Set(`${fields.title} ${fields.body}`.split(' ')));
  return terms.map((term) => {
    const frequency = held.filter((words) => words.has(term)).length;
    return { term, weight: 1, idf: idf(sections.length, frequency), forms: [[term, 1]] };
  });
}

const inOrder = (some: readonly Ranked[]): ChosenSection[] =>
  [...some].sort((one, other) => one.place - other.place).map(({ item }) => item);
