import type { Kind } from '../../items/index.ts';
import type { RowKeys } from '../../items/item.ts';
import type { TimeRange } from '../query/timeRange.ts';
import { normalisedCosine, type QueryVector } from '../vector/queryVector.ts';
import { type Calibration, relevance } from './calibration.ts';
import type { Beside } from './neighbours.ts';
import type { Shares } from './shares.ts';
import type { Speaker } from './speakers.ts';

/** A row with its scores for one question. */
export interface Scored<T> {
  row: T;
  /** Orders candidates of one question. */
  fused: number;
  /** Relevance, 0 to 1. */
  score: number;
  /** The part of `fused` that the relevance is of; absent if that is no logistic of a sum. */
  judged?: number;
  /** The part of `fused` that is what it says, wherever it stands; absent as `judged` is. */
  own?: number;
  /** Relevance of what it says, wherever it stands; absent if that is `score`. */
  ownScore?: number;
  /** What `fused` is the sum of, by stage; absent if it is no sum. */
  parts?: Readonly<Record<string, number>>;
  /** Of a row that gains by where it stands: the relevance that it is placed by, among what else was found. */
  placedAt?: number;
  /** Row id of the turn beside it that it gains most by. */
  beside?: number;
}

/** A row with all of its scores but MaxSim, which costs most. */
export interface Draft<T> {
  row: T;
  /** Of each ask. */
  saturations: readonly number[];
  /** The share of the question that its words may say: less than 1 if it lacks a phrase that is asked for. */
  asked: number;
  /** What vectors, time and links add, whatever the ask, and what the place does, by stage; and their sum. */
  parts: Readonly<Record<string, number>>;
  added: number;
  /** What a preferred folder adds, and what its place among other turns does. */
  gained: { folder: number; among: number };
  beside: Beside | undefined;
  /** The fused score without MaxSim. */
  lowest: number;
}

/** What the turns around a turn may add to its relevance, as a share of what it says itself. */
const MOST_OF_OWN = 0.5;

/** This many backlinks count in full. */
const MANY_BACKLINKS = 20;

/** What decides what a row adds to its words. */
export interface DraftOptions {
  kind: Kind;
  query: QueryVector | null;
  range: TimeRange | null;
  /** Row ids of what lies in a preferred folder. */
  preferred: ReadonlySet<number>;
  beside: ReadonlyMap<number, Beside>;
  /** By conversation, what its turns gain. */
  conversations: ReadonlyMap<string, number>;
  speakers: ReadonlyMap<number, Speaker>;
  /** The share of the question that nothing holds in its own language. */
  foreign: number;
  shares: Shares;
}

/** A row with its scores but MaxSim. */
export function draftOf<T extends RowKeys>(
  row: T,
  { kind, query, range, preferred, beside, conversations, speakers, foreign, shares }: DraftOptions,
  { saturations, asked }: Pick<Draft<T>, 'saturations' | 'asked'>,
): Draft<T> {
  const near = beside.get(row.rowid);
  const voice = speakers.get(row.rowid);
  const { createdAt, conversationId = '', backlinks = 0 } = row;
  const conversation = conversations.get(conversationId) ?? 0;
  const wordCosine = kind === 'turn' ? shares.turnCosine : shares.cosine;
  const cosine = query?.contextual ? (query.contextualShare ?? shares.contextualCosine) : wordCosine;
  const folder = preferred.has(row.rowid) ? shares.folder : 0;
  const speaker = voice?.isNamed ? shares.speaker : 0;
  const among = (near?.added ?? 0) + conversation + speaker;
  const share = cosine + foreign * shares.foreignCosine;
  const parts = {
    vectors: share === 0 ? 0 : share * normalisedCosine(query, kind, row.id),
    time: happened(createdAt, range) ? shares.time : 0,
    links: shares.backlinks * popularity(backlinks),
    folder,
    beside: near?.added ?? 0,
    conversation,
    speaker,
    asks: voice?.onlyAsks ? -shares.asks : 0,
  };
  const added = parts.vectors + parts.time + parts.links + parts.asks + folder + among;
  const lowest = added + Math.max(...saturations);
  return { row, saturations, asked, parts, added, gained: { folder, among }, beside: near, lowest };
}

export interface PickOptions {
  limit: number;
  /** Rows that MaxSim is computed for, beside those of `always`. */
  mostCompared: number;
  /** Row ids that are kept whatever they score; they do not count against the limit. */
  always: ReadonlySet<number>;
  shares: Shares;
  calibration: Calibration | undefined;
}

/**
 * The best rows by their full scores, and those of `always`. MaxSim is computed only for rows that can come among the best with
 * it.
 */
export function pickBest<T extends RowKeys>(
  drafts: Draft<T>[],
  maxSim: (row: T) => readonly number[],
  { limit, mostCompared, always, shares, calibration }: PickOptions,
): Scored<T>[] {
  drafts.sort((one, other) => other.lowest - one.lowest || (one.row.id < other.row.id ? -1 : 1));
  const ranked: Scored<T>[] = [];
  /** Fused scores of the best so far, descending. */
  const best: number[] = [];
  for (const [place, draft] of drafts.entries()) {
    const { row, saturations, asked, parts, added, gained, beside, lowest } = draft;
    const toBeat = best.length < limit ? Number.NEGATIVE_INFINITY : (best.at(-1) as number);
    const hasNoChance = place >= mostCompared || lowest + shares.maxSim < toBeat;
    if (hasNoChance && !always.has(row.rowid)) continue;
    let said = { words: 0, maxSim: 0 };
    for (const [ask, similarity] of maxSim(row).entries()) {
      const own = { words: saturations[ask] as number, maxSim: shares.maxSim * asked * similarity };
      if (ask === 0 || own.words + own.maxSim > said.words + said.maxSim) said = own;
    }
    const fused = said.words + said.maxSim + added;
    const own = fused - gained.folder - gained.among;
    // The rest of what it gains counts for its rank alone: thanks beside an answer are none.
    const judged = own + Math.min(shares.placeRelevance * gained.among, MOST_OF_OWN * Math.max(0, own));
    ranked.push({
      row,
      fused,
      parts: { ...said, ...parts },
      judged,
      own,
      score: relevance(judged, calibration),
      ...(fused > judged ? { placedAt: relevance(fused, calibration) } : {}),
      ...(judged > own ? { ownScore: relevance(own, calibration) } : {}),
      ...(beside ? { beside: beside.by } : {}),
    });
    const above = best.findIndex((other) => other < fused);
    best.splice(above < 0 ? best.length : above, 0, fused);
    if (best.length > limit) best.pop();
  }
  return ranked.sort(byFused).filter(({ row }, place) => place < limit || always.has(row.rowid));
}

export const byFused = (one: Scored<RowKeys>, other: Scored<RowKeys>): number =>
  other.fused - one.fused || (one.row.id < other.row.id ? -1 : 1);

function popularity(backlinks: number): number {
  return Math.min(1, Math.log1p(backlinks) / Math.log1p(MANY_BACKLINKS));
}

function happened(at: number | undefined, range: TimeRange | null): boolean {
  return range !== null && at !== undefined && at >= range.from && at < range.to;
}
