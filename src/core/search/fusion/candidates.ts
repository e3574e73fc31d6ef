import type { TurnId } from '../../../shared/ids.ts';
import type { Kind, RowOf } from '../../items/index.ts';
import type { ItemRow, RowKeys } from '../../items/item.ts';
import type { FullText } from '../lexical/fullText.ts';
import type { Scores } from '../lexical/postings.ts';
import type { WeightedTerm } from '../lexical/textScore.ts';
import { CONTENT_WORD_FROM, type Question } from '../query/question.ts';
import { searchWords } from '../query/weightedTerms.ts';
import { nearestItems, type QueryVector, type RowSet } from '../vector/queryVector.ts';

/** What a search of one kind is told beside the question. */
export interface RankOptions {
  limit: number;
  /** Milliseconds since 1970: decides which rows are in use. */
  now: number;
  /** Null leaves the vectors out. */
  query: QueryVector | null;
  /** Row ids that are candidates whatever the question says; they do not count against the limit. */
  always?: readonly number[];
  /** Only these rows; null for all. */
  within?: RowSet | null;
  /** Leaves out turns that hold no word of the question, and stand beside one that does. */
  onlyMatches?: boolean;
  /** Finds what only the question's common words find too, where its rarer ones find too little. */
  thorough?: boolean;
  /** Which of some rows lie in a folder that the question is about; null if it is about none. */
  preferred?: ((rowids: readonly number[]) => ReadonlySet<number>) | null;
  /** The turn that is being answered: it holds the question's words, but those before it gain nothing by that. */
  exceptTurn?: TurnId | undefined;
}

/** A row with its terms, or one whose terms are in memory. */
export type Ranked<T extends ItemRow> = T | RowKeys;

/** Leaves in each row only the terms that are searched. */
export type Cut<T> = (rows: readonly T[]) => readonly T[];

interface CutOptions extends Pick<RankOptions, 'limit'> {
  within: RowSet | null;
  loadCut(rowids: readonly number[]): readonly ItemRow[];
}

/** What rows are found by: the terms of a question, and what they score in memory, if they are there. */
export interface Matching {
  terms: readonly WeightedTerm[];
  scores: Scores | null;
  /** The rows that are searched: those that hold a phrase of the question; null for all. */
  only: ReadonlySet<number> | null;
}

/** Rows that the words hand over to the other scores, and those for which MaxSim is computed, for each candidate that is asked for. */
interface Reach {
  matched: number;
  maxSim: number;
}
/** With 5 and 2, questions to notes find the same (PIAF), or what they find differs by less than .003 of nDCG@10 (headings). */
const REACH: Reach = { matched: 2, maxSim: 1 };
/**
 * Turns gain by where they stand. Recall@10 of the talk to tune on is .625, .629, .651 and .649 with 2, 3, 5 and 10 matched, and .644,
 * .651 and .651 with MaxSim for 1, 2 and 4.
 */
const REACH_OF_TURNS: Reach = { matched: 5, maxSim: 2 };
/** By how much further the words are asked each time, where too few of the rows that they gave are in use, and at most. */
const FURTHER = 4;
const MOST_FURTHER = 16;

export const reachOf = (kind: Kind): Reach => (kind === 'turn' ? REACH_OF_TURNS : REACH);
const matchedFor = (kind: Kind, limit: number): number => limit * reachOf(kind).matched;

/** An item less similar than this is nearest only because nothing is near. One in a hundred unrelated sentences passes. */
const LEAST_SIMILARITY = 0.35;

/** Among so many times as many rows those of preferred folders are looked for, which would not be candidates otherwise. */
const PREFERRED_AMONG = 5;

/** Finds what is to be scored exactly, by words, vectors and place. */
export class Candidates {
  readonly #fullText: FullText;

  constructor(fullText: FullText) {
    this.#fullText = fullText;
  }

  /**
   * What the terms of a question score: without its phrases in every row, and with all of them, or each of them, in the rows that hold
   * these words in this order.
   */
  read(kind: Kind, terms: readonly WeightedTerm[], asked: Question | undefined): Matching[] {
    const phrases = asked?.phrases ?? [];
    const match = (some: readonly WeightedTerm[], only: Matching['only']): Matching => ({
      terms: some,
      only,
      scores: this.#fullText.score(kind, some),
    });
    if (phrases.length === 0) return [match(terms, null)];
    const termsOf = (some: readonly string[]) => new Set(some.flatMap((phrase) => phrase.split(' ')));
    // What nothing holds is told of, and does not count against what answers the rest.
    const missing = termsOf(phrases.filter((phrase) => !this.#fullText.isHeld(phrase)));
    const rest = terms.filter(({ term }) => !missing.has(term));
    const hasRest = rest.some(({ weight }) => weight >= CONTENT_WORD_FROM);
    const without = (some: readonly string[]) => {
      const out = termsOf(some);
      return (hasRest ? rest : terms).map((one) => (out.has(one.term) ? { ...one, forms: [] } : one));
    };
    const sets = [phrases, ...(phrases.length > 1 ? phrases.map((phrase) => [phrase]) : [])];
    return [
      ...sets.map((some) =>
        match(
          without(phrases.filter((phrase) => !some.includes(phrase))),
          some.map((phrase) => this.#fullText.holding(kind, phrase)).reduce(inBothSets),
        ),
      ),
      match(without(phrases), null),
    ];
  }

  /** What is to be scored exactly: rows without what they say where the terms in memory tell that. */
  find<K extends Kind>(
    kind: K,
    searched: readonly Matching[],
    options: RankOptions & { cut?: Cut<RowOf<K>> | undefined },
  ): readonly Ranked<RowOf<K>>[] {
    for (let further = 1; ; further *= FURTHER) {
      const { rows, isAll } = this.#findSome(kind, searched, { ...options, further });
      if (isAll || rows.length >= options.limit || further >= MOST_FURTHER) return rows;
    }
  }

  /** @returns `isAll` if the words find no other row however much further they are asked */
  #findSome<K extends Kind>(
    kind: K,
    searched: readonly Matching[],
    options: RankOptions & { cut?: Cut<RowOf<K>> | undefined; further: number },
  ): { rows: readonly Ranked<RowOf<K>>[]; isAll: boolean } {
    const { limit, now, query, always = [], within = null, cut, preferred, further } = options;
    // Those of preferred folders are looked for further down the same lists.
    const reach = preferred ? limit * PREFERRED_AMONG : limit;
    const nearest = () =>
      nearestItems(query, kind, { limit: reach, within, leastSimilarity: LEAST_SIMILARITY });
    const near = this.#fullText.rowids(
      kind,
      this.#fullText.attempts.run('vectors', nearest, []).map(({ id }) => id),
    );
    const load = (rowids: readonly number[]) => this.#fullText.load(kind, rowids, now);
    const loadCut = cut && ((rowids: readonly number[]) => cut(load(rowids)));
    const matchedBy = searched.map((one) => {
      const among = amongOnly(within, one.only);
      return loadCut
        ? this.#matchCut(kind, one, { limit, within: among, loadCut })
        : this.#match(kind, one, { ...options, limit: reach * further, within: among });
    });
    const matched = [...new Set(matchedBy.flat())];
    const inFolder = preferred?.([...near, ...matched]) ?? [];
    const best = [...near.slice(0, limit), ...matched.slice(0, matchedFor(kind, limit * further))];
    // An answer may hold no word of the question, which stands in the turn before.
    const around =
      kind === 'turn' && !options.onlyMatches && searched.every(({ scores }) => scores) && !cut
        ? this.#around(matched.slice(0, limit), options)
        : [];
    const rowids = [...new Set([...always, ...best, ...inFolder, ...around])];
    if (cut) return { rows: cut(load(rowids)), isAll: true };
    const isInMemory = (rowid: number) => searched.every(({ scores }) => scores?.saturation(rowid) != null);
    const [known, others] = [rowids.filter(isInMemory), rowids.filter((rowid) => !isInMemory(rowid))];
    return {
      rows: [...this.#fullText.keys(kind, known, now), ...(others.length === 0 ? [] : load(others))],
      isAll: matchedBy.every((some) => some.length < matchedFor(kind, reach * further)),
    };
  }

  /** Row ids of the turns around some turns. */
  #around(rowids: readonly number[], { within, exceptTurn }: RankOptions): number[] {
    return this.#fullText
      .turnsBeside(rowids, exceptTurn)
      .map(({ beside }) => beside)
      .filter((rowid) => within?.rowids.has(rowid) ?? true);
  }

  /** Row ids of what holds the question's words, best first. */
  #match(
    kind: Kind,
    { terms, scores }: Matching,
    { limit, within = null, thorough = false }: RankOptions,
  ): number[] {
    const rowids = within?.rowids ?? null;
    const wanted = matchedFor(kind, limit);
    if (scores) return scores.best(wanted, rowids);
    const { rare, all } = searchWords(this.#fullText, kind, terms);
    const matched = this.#fullText.match(kind, rare, { limit: wanted, within: rowids });
    return thorough && matched.length < wanted && all.length > rare.length
      ? this.#fullText.match(kind, all, { limit: wanted, within: rowids })
      : matched;
  }

  /** Row ids of what holds one of the question's words in what a cut leaves of it, the best whole rows first, until there are enough. */
  #matchCut(kind: Kind, { terms, scores }: Matching, { limit, within, loadCut }: CutOptions): number[] {
    const { all } = searchWords(this.#fullText, kind, terms);
    const searched = new Set(all);
    const rowids = within?.rowids ?? null;
    const matched =
      scores && rowids
        ? bestOf(rowids, scores)
        : this.#fullText.match(kind, all, { limit: Number.MAX_SAFE_INTEGER, within: rowids });
    const wanted = matchedFor(kind, limit);
    const holding: number[] = [];
    for (let at = 0; at < matched.length && holding.length < wanted; at += wanted) {
      for (const { rowid, fields } of loadCut(matched.slice(at, at + wanted)))
        if (fields.body?.split(' ').some((term) => searched.has(term))) holding.push(rowid);
    }
    return holding;
  }
}

const inBothSets = (one: ReadonlySet<number>, other: ReadonlySet<number>): ReadonlySet<number> =>
  new Set([...one].filter((rowid) => other.has(rowid)));

/** The rows that are in both; null stands for all. Matching words asks for row ids alone. */
function amongOnly(within: RowSet | null, only: ReadonlySet<number> | null): RowSet | null {
  if (!only) return within;
  const rowids = within ? inBothSets(only, within.rowids) : only;
  return { rowids, ids: within?.ids ?? new Set() };
}

/** Those of some rows that hold a term, best first. */
function bestOf(rowids: ReadonlySet<number>, scores: Scores): number[] {
  return [...rowids]
    .map((rowid) => ({ rowid, score: scores.saturation(rowid) ?? 0 }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ rowid }) => rowid);
}
