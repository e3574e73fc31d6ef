import type { TurnId } from '../../../shared/ids.ts';
import { dot, type WordVectors } from '../../embedding/wordVectors.ts';
import { items, type Kind, type RowOf } from '../../items/index.ts';
import type { ItemRow } from '../../items/item.ts';
import type { FullText } from '../lexical/fullText.ts';
import type { Lexicon } from '../lexical/lexicon.ts';
import type { NoteNames } from '../lexical/names.ts';
import type { Scores } from '../lexical/postings.ts';
import { type Corpus, scoreText, type WeightedTerm } from '../lexical/textScore.ts';
import { CONTENT_WORD_FROM, type Question } from '../query/question.ts';
import type { TimeRange } from '../query/timeRange.ts';
import { type Respelling, searchWords, TermWeigher } from '../query/weightedTerms.ts';
import { MaxSim, type PassageSimilarity } from '../vector/maxSim.ts';
import { nearestItems, normalisedCosine, type QueryVector, type RowSet } from '../vector/queryVector.ts';
import { relevance } from './calibration.ts';
import { type Beside, type BesideShares, gainsBeside } from './neighbours.ts';

/** A row with its scores for one question. */
export interface Scored<T> {
  row: T;
  /** Orders candidates of one question. */
  fused: number;
  /** Relevance, 0 to 1. */
  score: number;
  /** What `fused` is the sum of, by stage; absent if it is no sum. */
  parts?: Readonly<Record<string, number>>;
  /** Of a row that gains by where it stands: the relevance that it is placed by, among what else was found. */
  placedAt?: number;
  /** The turn beside it that it gains most by. */
  beside?: TurnId;
}

/** What the built-in models know of words beside their spelling. */
export interface WordModels {
  lexicon: Lexicon;
  vectors: WordVectors;
}

export interface RankerParts {
  fullText: FullText;
  names: Pick<NoteNames, 'others'>;
  /** Null ranks by words alone. */
  models: WordModels | null;
  /** The measured ones by default. */
  shares?: Shares;
}

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

/** Leaves in each row only the terms that are searched. */
type Cut<T> = (rows: readonly T[]) => readonly T[];

interface CutOptions extends Pick<RankOptions, 'limit'> {
  within: RowSet | null;
  loadCut(rowids: readonly number[]): readonly ItemRow[];
}

/** The terms of a question and of its parts, and how well a row says each in its own words. */
interface Asked {
  asks: readonly (readonly WeightedTerm[])[];
  maxSim: PassageSimilarity;
}

/** What rows are found by: the terms of a question, and what they score in memory, if they are there. */
interface Matching {
  terms: readonly WeightedTerm[];
  scores: Scores | null;
  /** The rows that are searched: those that hold a phrase of the question; null for all. */
  only: ReadonlySet<number> | null;
}

/** A row with all of its scores but MaxSim, which costs most. */
interface Draft<T> {
  row: T;
  /** Of each ask. */
  saturations: readonly number[];
  /** The share of the question that its words may say: less than 1 if it lacks a phrase that is asked for. */
  asked: number;
  /** What vectors, time and links add, whatever the ask, and what the place does, by stage; and their sum. */
  parts: Readonly<Record<string, number>>;
  added: number;
  /** What counts for the place alone: a preferred folder, and the turns beside it. */
  placed: number;
  beside: Beside | undefined;
  /** The fused score without MaxSim. */
  lowest: number;
}

/** What raises a row whatever it says; not every kind has it. */
type Prior = ItemRow & { createdAt?: number; backlinks?: number };

/** Rows that the words hand over to the other scores, for each candidate that is asked for. */
const MATCHED_PER_CANDIDATE = 5;
/** Rows that MaxSim is computed for, for each candidate that is asked for. */
const MAX_SIM_PER_CANDIDATE = 2;

/** An item less similar than this is nearest only because nothing is near. One in a hundred unrelated sentences passes. */
const LEAST_SIMILARITY = 0.35;

/** What each part adds at most to the fused score, beside a saturation of 1 for the words. */
export interface Shares {
  maxSim: number;
  cosine: number;
  /** In place of `cosine`, for an embedder that reads words in context. */
  contextualCosine: number;
  /** In addition, for a question of which only translations stand anywhere: the sentence says more than they do. */
  foreignCosine: number;
  /** That other notes link to it. */
  backlinks: number;
  /** That it happened at the time that the question names. */
  time: number;
  /** That its note lies in a folder that the conversation is about; it counts for the place alone. */
  folder: number;
  /** That the turns around it answer; it counts for the place alone. */
  beside: BesideShares;
}

/** Measured on halves (docs/decisions/0005-meaning.md); `npm run eval -- ablate` tells what each part gains. */
export const SHARES: Shares = {
  maxSim: 0.25,
  cosine: 0.15,
  // Set by hand: no such model is available where this is developed.
  contextualCosine: 0.5,
  foreignCosine: 0.4,
  // Other notes link to the notes that matter most in a vault: of two that say the same, they come first (the prior of in-links:
  // Kraaij, Westerveld and Hiemstra, 2002). It decides between near equals only.
  backlinks: 0.08,
  time: 0.15,
  // Where every other question is about a note elsewhere, the share that gains most in all.
  folder: 0.1,
  // Recall@10 of the talk to tune on is .376 without and .410 with these; larger ones gain no more than chance.
  beside: { next: 0.4, second: 0.25 },
};
/** This many backlinks count in full. */
const MANY_BACKLINKS = 20;
/** Among so many times as many rows those of preferred folders are looked for, which would not be candidates otherwise. */
const PREFERRED_AMONG = 5;

/**
 * Ranks the items of one kind for a question. FTS5 and the vectors find rows; BM25F with every term and field, MaxSim and the
 * cosine of the whole texts order them.
 */
export class Ranker {
  readonly #fullText: FullText;
  readonly #terms: TermWeigher;
  readonly #maxSim: MaxSim | null;
  readonly #shares: Shares;
  /** Every source of one question asks the same. */
  readonly #known = new WeakMap<Question, Asked>();

  constructor({ fullText, names, models, shares = SHARES }: RankerParts) {
    this.#fullText = fullText;
    this.#shares = shares;
    this.#maxSim = models && new MaxSim(models.vectors);
    this.#terms = new TermWeigher({ fullText, names, lexicon: models?.lexicon ?? null });
  }

  /** By words and vectors together. Best first. */
  rank<K extends Kind>(
    kind: K,
    question: Question,
    options: RankOptions & { cut?: Cut<RowOf<K>> | undefined },
  ): Scored<RowOf<K>>[] {
    const { now, limit, always = [] } = options;
    const { asks, maxSim } = this.#ask(question, now);
    const corpus: Corpus = {
      averageTerms: this.#fullText.statistics(kind).averageTerms,
      fieldWeights: items[kind].fullText.fieldWeights ?? {},
      lengthCounts: items[kind].fullText.lengthCounts,
    };
    const scored = asks.map((terms, place) =>
      this.#apart(kind, terms, place === 0 ? question : question.parts[place - 1]),
    );
    const own = scored[0] as readonly Matching[];
    const rows = this.#candidates(kind, own, options);
    const preferred = options.preferred?.(rows.map(({ rowid }) => rowid)) ?? new Set();
    const [asked = []] = asks;
    const { terms: left, scores } = own.at(-1) as Matching;
    const beside = this.#beside(kind, rows, { scores, ...options });
    const foreign = foreignShare(asked);
    const drafts = rows.map((row) => {
      const saturations = scored.map((some) =>
        Math.max(
          ...some.map(({ terms, scores, only }) => {
            if (only && !only.has(row.rowid)) return 0;
            // What is known of a whole row says nothing of a part of it.
            const whole = options.cut ? null : scores?.saturation(row.rowid);
            return whole ?? scoreText(row, terms, corpus).saturation;
          }),
        ),
      );
      return this.#draft(row, saturations, {
        ...options,
        kind,
        range: question.range,
        preferred,
        beside,
        foreign,
        said:
          own[0]?.only?.has(row.rowid) === false ? sumOf(left) / Math.max(sumOf(asked), Number.MIN_VALUE) : 1,
      });
    });
    return pickBest(drafts, maxSim, { limit, always: new Set(always), shares: this.#shares });
  }

  /** By vectors alone: the nearest items, scored by how similar they are. */
  rankByVector<K extends Kind>(kind: K, options: RankOptions): Scored<RowOf<K>>[] {
    const { query, now, limit, within = null } = options;
    if (!query) return [];
    const near = nearestItems(query, kind, { limit, within, leastSimilarity: 0 });
    const rowids = this.#fullText.rowids(
      kind,
      near.map(({ id }) => id),
    );
    return this.#fullText
      .load(kind, rowids, now)
      .map((row) => {
        const vector = query.matrices.vector(kind, row.id);
        const cosine = vector ? dot(query.values, vector) : 0;
        return { row, fused: cosine, score: query.similarity(cosine) };
      })
      .sort(byFused);
  }

  /** A message that asks two things is answered by what answers one of them. */
  #ask(question: Question, now: number): Asked {
    const known = this.#known.get(question);
    if (known) return known;
    const asks = [question, ...question.parts].map((part) => this.#terms.weigh(part, now));
    const maxSim = this.#maxSim?.of(asks) ?? (() => asks.map(() => 0));
    this.#known.set(question, { asks, maxSim });
    return { asks, maxSim };
  }

  /** The words of a question that are in no row, where others are spelled nearly as they. */
  respelled(question: Question, now: number): readonly Respelling[] {
    return this.#terms.respelled(question, now);
  }

  /**
   * What the terms of a question score: without its phrases in every row, and with all of them, or each of them, in the rows that hold
   * these words in this order.
   */
  #apart(kind: Kind, terms: readonly WeightedTerm[], asked: Question | undefined): Matching[] {
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

  /** What is to be scored exactly. */
  #candidates<K extends Kind>(
    kind: K,
    searched: readonly Matching[],
    options: RankOptions & { cut?: Cut<RowOf<K>> | undefined },
  ): readonly RowOf<K>[] {
    const { limit, now, query, always = [], within = null, cut, preferred } = options;
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
        : this.#match(kind, one, { ...options, limit: reach, within: among });
    });
    const matched = [...new Set(matchedBy.flat())];
    const inFolder = preferred?.([...near, ...matched]) ?? [];
    const best = [...near.slice(0, limit), ...matched.slice(0, limit * MATCHED_PER_CANDIDATE)];
    // An answer may hold no word of the question, which stands in the turn before.
    const around =
      kind === 'turn' && !options.onlyMatches && searched.every(({ scores }) => scores) && !cut
        ? this.#around(matched.slice(0, limit), options)
        : [];
    const rows = load([...new Set([...always, ...best, ...inFolder, ...around])]);
    return cut ? cut(rows) : rows;
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
    if (scores) return scores.best(limit * MATCHED_PER_CANDIDATE, rowids);
    const { rare, all } = searchWords(this.#fullText, kind, terms);
    const wanted = limit * MATCHED_PER_CANDIDATE;
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
    const wanted = limit * MATCHED_PER_CANDIDATE;
    const holding: number[] = [];
    for (let at = 0; at < matched.length && holding.length < wanted; at += wanted) {
      for (const { rowid, fields } of loadCut(matched.slice(at, at + wanted)))
        if (fields.body?.split(' ').some((term) => searched.has(term))) holding.push(rowid);
    }
    return holding;
  }

  /** What turns gain from those around them; nothing where a cut leaves only some words, or the words are not loaded. */
  #beside(
    kind: Kind,
    rows: readonly ItemRow[],
    { scores, cut, exceptTurn }: { scores: Scores | null; cut?: unknown; exceptTurn?: TurnId | undefined },
  ): Map<number, Beside> {
    if (kind !== 'turn' || scores === null || cut !== undefined) return new Map();
    const pairs = this.#fullText.turnsBeside(
      rows.map(({ rowid }) => rowid),
      exceptTurn,
    );
    return gainsBeside(pairs, scores, this.#shares.beside);
  }

  #draft<T extends ItemRow>(
    row: T,
    saturations: readonly number[],
    {
      kind,
      query,
      range,
      preferred,
      beside,
      foreign,
      said,
    }: {
      kind: Kind;
      query: QueryVector | null;
      range: TimeRange | null;
      preferred: ReadonlySet<number>;
      beside: ReadonlyMap<number, Beside>;
      foreign: number;
      said: number;
    },
  ): Draft<T> {
    const gained = beside.get(row.rowid);
    const { createdAt, backlinks = 0 }: Prior = row;
    const { cosine, contextualCosine, foreignCosine, time, backlinks: links } = this.#shares;
    const folder = preferred.has(row.rowid) ? this.#shares.folder : 0;
    const placed = folder + (gained?.added ?? 0);
    const parts = {
      vectors:
        ((query?.contextual ? contextualCosine : cosine) + foreign * foreignCosine) *
        normalisedCosine(query, kind, row.id),
      time: happened(createdAt, range) ? time : 0,
      links: this.#maxSim ? links * popularity(backlinks) : 0,
      folder,
      beside: gained?.added ?? 0,
    };
    const added = parts.vectors + parts.time + parts.links + placed;
    return {
      row,
      saturations,
      asked: said,
      parts,
      added,
      placed,
      beside: gained,
      lowest: added + Math.max(...saturations),
    };
  }
}

const sumOf = (terms: readonly WeightedTerm[]): number =>
  terms.reduce((sum, { weight, idf, forms }) => sum + (forms.length > 0 ? weight * idf : 0), 0);

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

/**
 * The best rows by their full scores, and those of `always`. MaxSim is computed only for rows that can come among the best with
 * it.
 */
function pickBest<T extends ItemRow>(
  drafts: Draft<T>[],
  maxSim: PassageSimilarity,
  { limit, always, shares }: { limit: number; always: ReadonlySet<number>; shares: Shares },
): Scored<T>[] {
  drafts.sort((one, other) => other.lowest - one.lowest || (one.row.id < other.row.id ? -1 : 1));
  const ranked: Scored<T>[] = [];
  /** Fused scores of the best so far, descending. */
  const best: number[] = [];
  for (const [place, { row, saturations, asked, parts, added, placed, beside, lowest }] of drafts.entries()) {
    const toBeat = best.length < limit ? Number.NEGATIVE_INFINITY : (best.at(-1) as number);
    const hasNoChance = place >= limit * MAX_SIM_PER_CANDIDATE || lowest + shares.maxSim < toBeat;
    if (hasNoChance && !always.has(row.rowid)) continue;
    let said = { words: 0, maxSim: 0 };
    for (const [ask, similarity] of maxSim(Object.values(row.fields)).entries()) {
      const own = { words: saturations[ask] as number, maxSim: shares.maxSim * asked * similarity };
      if (ask === 0 || own.words + own.maxSim > said.words + said.maxSim) said = own;
    }
    const fused = said.words + said.maxSim + added;
    ranked.push({
      row,
      fused,
      parts: { ...said, ...parts },
      // Where it stands makes nothing more relevant: the minimum applies to what it says.
      score: relevance(fused - placed),
      ...(placed > 0 ? { placedAt: relevance(fused) } : {}),
      ...(beside ? { beside: beside.by } : {}),
    });
    const above = best.findIndex((other) => other < fused);
    best.splice(above < 0 ? best.length : above, 0, fused);
    if (best.length > limit) best.pop();
  }
  return ranked.sort(byFused).filter(({ row }, place) => place < limit || always.has(row.rowid));
}

const byFused = (one: Scored<ItemRow>, other: Scored<ItemRow>): number =>
  other.fused - one.fused || (one.row.id < other.row.id ? -1 : 1);

/** The share of a question's weight that nothing holds in its own language: 0 to 1. */
function foreignShare(terms: readonly WeightedTerm[]): number {
  const worth = (some: readonly WeightedTerm[]) =>
    some.reduce((sum, { weight, idf }) => sum + weight * idf, 0);
  const content = terms.filter(({ weight }) => weight >= CONTENT_WORD_FROM);
  return worth(content.filter(({ isForeign }) => isForeign)) / Math.max(Number.MIN_VALUE, worth(content));
}

function popularity(backlinks: number): number {
  return Math.min(1, Math.log1p(backlinks) / Math.log1p(MANY_BACKLINKS));
}

function happened(at: number | undefined, range: TimeRange | null): boolean {
  return range !== null && at !== undefined && at >= range.from && at < range.to;
}
