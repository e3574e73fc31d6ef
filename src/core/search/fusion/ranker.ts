import type { TurnId } from '../../../shared/ids.ts';
import { dot, type WordVectors } from '../../embedding/wordVectors.ts';
import { items, type Kind, type RowOf } from '../../items/index.ts';
import type { ItemRow, RowKeys } from '../../items/item.ts';
import type { Token } from '../../support/text/tokenise.ts';
import type { FullText } from '../lexical/fullText.ts';
import type { Scores } from '../lexical/postings.ts';
import { type Corpus, scoreText, type WeightedTerm } from '../lexical/textScore.ts';
import { CONTENT_WORD_FROM, type Question } from '../query/question.ts';
import {
  type KnownWords,
  type StoodFor,
  TermWeigher,
  type TermWeigherParts,
} from '../query/weightedTerms.ts';
import { MaxSim, type PassageSimilarity } from '../vector/maxSim.ts';
import { nearestItems } from '../vector/queryVector.ts';
import { Candidates, type Cut, type Matching, type Ranked, type RankOptions, reachOf } from './candidates.ts';
import { gainsOfConversations } from './conversations.ts';
import { byFused, draftOf, pickBest, type Scored } from './fuse.ts';
import { type Beside, gainsBeside } from './neighbours.ts';
import { SHARES, type Shares } from './shares.ts';
import { readSpeakers, type Speaker } from './speakers.ts';

/** What is known of words beside their spelling. */
export interface WordModels extends KnownWords {
  vectors: WordVectors;
}

export interface RankerParts {
  fullText: FullText;
  names: TermWeigherParts['names'];
  /** Null ranks by words alone. */
  models: WordModels | null;
  /** The measured ones by default. */
  shares?: Shares | undefined;
}

/** The terms of a question and of its parts, and how well a row says each in its own words. */
interface Asked {
  asks: readonly (readonly WeightedTerm[])[];
  maxSim: PassageSimilarity;
}

/**
 * Ranks the items of one kind for a question. FTS5 and the vectors find rows; BM25F with every term and field, MaxSim and the
 * cosine of the whole texts order them.
 */
export class Ranker {
  readonly #fullText: FullText;
  readonly #terms: TermWeigher;
  readonly #maxSim: MaxSim | null;
  readonly #shares: Shares;
  readonly #candidates: Candidates;
  /** Every source of one question asks the same. */
  readonly #known = new WeakMap<Question, Asked>();

  constructor({ fullText, names, models, shares = SHARES }: RankerParts) {
    this.#fullText = fullText;
    // What is ranked by words alone is not raised by links.
    this.#shares = models ? shares : { ...shares, backlinks: 0 };
    this.#candidates = new Candidates(fullText);
    this.#maxSim = models && new MaxSim(models.vectors, fullText.words);
    this.#terms = new TermWeigher({ fullText, names, words: models });
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
      this.#candidates.read(kind, terms, place === 0 ? question : question.parts[place - 1]),
    );
    const own = scored[0] as readonly Matching[];
    const rows = this.#candidates.find(kind, own, options);
    const preferred = options.preferred?.(rows.map(({ rowid }) => rowid)) ?? new Set();
    const [asked = []] = asks;
    const { terms: left, scores } = own.at(-1) as Matching;
    const beside = this.#beside(kind, rows, { scores, ...options });
    // Of a row that lacks a phrase, what else is asked for may still be said.
    const withoutPhrase = sumOf(left) / Math.max(sumOf(asked), Number.MIN_VALUE);
    const draftOptions = {
      query: options.query,
      kind,
      range: question.range,
      preferred,
      beside,
      conversations: this.#conversations(kind, rows, { scores, ...options }),
      speakers: this.#speakers(kind, rows, { asked, ...options }),
      foreign: foreignShare(asked),
      shares: this.#shares,
    };
    const saturationOf = (row: Ranked<RowOf<K>>, { terms, scores, only }: Matching): number => {
      if (only && !only.has(row.rowid)) return 0;
      // What is known of a whole row says nothing of a part of it.
      const whole = options.cut ? null : scores?.saturation(row.rowid);
      return whole ?? ('fields' in row ? scoreText(row, terms, corpus).saturation : 0);
    };
    const drafts = rows.map((row) =>
      draftOf(row, draftOptions, {
        saturations: scored.map((some) => {
          let best = 0;
          for (const one of some) best = Math.max(best, saturationOf(row, one));
          return best;
        }),
        asked: own[0]?.only?.has(row.rowid) === false ? withoutPhrase : 1,
      }),
    );
    const best = pickBest(drafts, (row) => maxSim(this.#termsOf(kind, row)), {
      limit,
      mostCompared: limit * reachOf(kind).maxSim,
      always: new Set(always),
      shares: this.#shares,
      calibration: options.query?.calibration,
    });
    return this.#loadWhole(kind, best, now);
  }

  /** The numbers of the terms of a row; of a part of one, of the terms that are left. */
  #termsOf(kind: Kind, row: ItemRow | RowKeys): Uint32Array {
    if (!('fields' in row)) return this.#fullText.termsOf(kind, row.rowid) ?? NO_TERMS;
    const streams = Object.values(row.fields).filter((stream) => stream !== '');
    return Uint32Array.from(
      streams.flatMap((stream) => stream.split(' ')),
      (term) => this.#fullText.words.idOf(term),
    );
  }

  /** What was ranked, with what it says: without rows that have been deleted since. */
  #loadWhole<K extends Kind>(
    kind: K,
    best: readonly Scored<Ranked<RowOf<K>>>[],
    now: number,
  ): Scored<RowOf<K>>[] {
    const rowids = best.flatMap(({ row }) => ('fields' in row ? [] : [row.rowid]));
    const loaded = new Map(this.#fullText.load(kind, rowids, now).map((row) => [row.rowid, row]));
    return best.flatMap((scored) => {
      const { row } = scored;
      const whole = 'fields' in row ? row : loaded.get(row.rowid);
      return whole ? [{ ...scored, row: whole }] : [];
    });
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

  /** The terms that words of a question are found by, beside their own. */
  stoodFor(question: Question, now: number): StoodFor {
    return this.#terms.stoodFor(question, now);
  }

  /** Is this a word that nothing holds and the lexicon does not know, so that it may be a slip? */
  isUnknown(word: Pick<Token, 'term'>): boolean {
    return this.#terms.isUnknown(word);
  }

  /** What turns gain from those around them; nothing where a cut leaves only some words, or the words are not loaded. */
  #beside(
    kind: Kind,
    rows: readonly RowKeys[],
    { scores, cut, exceptTurn }: { scores: Scores | null; cut?: unknown; exceptTurn?: TurnId | undefined },
  ): Map<number, Beside> {
    if (kind !== 'turn' || scores === null || cut !== undefined) return new Map();
    const pairs = this.#fullText.turnsBeside(
      rows.map(({ rowid }) => rowid),
      exceptTurn,
    );
    return gainsBeside(pairs, scores, this.#shares.beside);
  }

  /** What turns gain from what was said in the same conversation; nothing where they gain nothing from those beside them. */
  #conversations(
    kind: Kind,
    rows: readonly RowKeys[],
    { scores, cut, exceptTurn }: { scores: Scores | null; cut?: unknown; exceptTurn?: TurnId | undefined },
  ): Map<string, number> {
    if (kind !== 'turn' || scores === null || cut !== undefined) return new Map();
    const others = rows.filter(({ id }) => id !== exceptTurn);
    return gainsOfConversations(others, scores, this.#shares.conversation);
  }

  /** Who speaks in turns; nothing where a cut leaves only the words of some. */
  #speakers(
    kind: Kind,
    rows: readonly { rowid: number }[],
    { asked, cut }: { asked: readonly WeightedTerm[]; cut?: unknown },
  ): Map<number, Speaker> {
    if (kind !== 'turn' || cut !== undefined) return new Map();
    const rowids = rows.map(({ rowid }) => rowid);
    return readSpeakers(
      this.#fullText.attempts.run('names', () => this.#fullText.voicesIn(rowids), []),
      asked,
    );
  }
}

const NO_TERMS = new Uint32Array(0);

const sumOf = (terms: readonly WeightedTerm[]): number =>
  terms.reduce((sum, { weight, idf, forms }) => sum + (forms.length > 0 ? weight * idf : 0), 0);

/** The share of a question's weight that nothing holds in its own language: 0 to 1. */
function foreignShare(terms: readonly WeightedTerm[]): number {
  const worth = (some: readonly WeightedTerm[]) =>
    some.reduce((sum, { weight, idf }) => sum + weight * idf, 0);
  const content = terms.filter(({ weight }) => weight >= CONTENT_WORD_FROM);
  return worth(content.filter(({ isForeign }) => isForeign)) / Math.max(Number.MIN_VALUE, worth(content));
}
