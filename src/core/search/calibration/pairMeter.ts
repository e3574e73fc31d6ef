import { measureSimilarity, type SimilarityScale, similarityOn } from '../../embedding/similarity.ts';
import { dot, type WordVectors } from '../../embedding/wordVectors.ts';
import { isKind, items } from '../../items/index.ts';
import type { ItemRow } from '../../items/item.ts';
import type { Db } from '../../storage/database.ts';
import { tokenise } from '../../support/text/tokenise.ts';
import type { Scored } from '../fusion/fuse.ts';
import type { Ranker } from '../fusion/ranker.ts';
import { readQuestion } from '../query/question.ts';
import { type QueryVector, rowSetOf } from '../vector/queryVector.ts';
import { type CutRow, cutRow, type Pair } from './pairs.ts';

/** A pair with the vectors of both of its texts. Plain data. */
export interface PairTask {
  pair: Pair;
  /** Of what is left of the item. */
  rest: Float32Array;
  /** Items that have nothing to do with this one, as far as chance goes. */
  others: readonly Pick<Pair, 'kind' | 'id'>[];
  /** Shares of a contextual embedder that are tried; one that is not has the share that it always has. */
  shares: readonly (number | undefined)[];
  now: number;
}

/** Fused scores of the item that a question was taken out of, and of the best of the others; null if there is none. */
export interface PairScores {
  right: number;
  wrong: number | null;
  /** Others with a higher score. */
  above: number;
}

export interface MeasuredPair {
  /** In the order of the shares. */
  scores: PairScores[];
  /** What the built-in embedder gives for the same question and the same items. */
  builtIn: PairScores;
  /** Cosines of what is left of the item with the others. */
  unrelated: number[];
}

/** An item that a user marked for a question. */
export interface MarkTask {
  kind: string;
  id: string;
  question: string;
  /** As in `PairTask`. */
  shares: PairTask['shares'];
  now: number;
}

export interface PairMeterParts {
  db: Db;
  ranker: Ranker;
  vectors: WordVectors;
}

/** Others that are compared with the item. */
const OTHERS = 20;

/** Scores pairs as a search would, without what an item gains by its place. */
export class PairMeter {
  readonly #parts: PairMeterParts;
  /** Of the built-in embedder. */
  #scale: Promise<SimilarityScale> | null = null;

  constructor(parts: PairMeterParts) {
    this.#parts = parts;
  }

  /** @returns null if the item is gone, or has no vector */
  async measure(task: PairTask, query: QueryVector): Promise<MeasuredPair | null> {
    const { pair, rest, others, shares, now } = task;
    this.#scale ??= measureSimilarity({ embedPassages: async (texts) => texts.map(this.#embed) });
    const scale = await this.#scale;
    const [row] = this.#load(pair, now);
    if (!row || !query.matrices.vector(pair.kind, pair.id)) return null;
    const question = readQuestion(pair.question, now);
    const run = (how: QueryVector, within: readonly ItemRow[] | null) => {
      // Given rows are all scored, whether or not anything would find them.
      const always = within?.map(({ rowid }) => rowid) ?? [];
      const options = { now, limit: OTHERS, query: how, within: within && rowSetOf(within), always };
      return this.#parts.ranker.rank(pair.kind, question, options) as Scored<CutRow>[];
    };
    const score = (how: QueryVector, wrong: readonly Scored<CutRow>[]): PairScores => {
      const [right] = this.#parts.ranker.rank(pair.kind, question, {
        now,
        limit: 1,
        query: how,
        within: rowSetOf([row]),
        always: [row.rowid],
        cut: (rows: readonly CutRow[]) => rows.map((one) => cutRow(one, pair)) as never,
      });
      const own = right ? unplaced(right) : 0;
      const scores = wrong.map(unplaced);
      return {
        right: own,
        wrong: scores.length > 0 ? Math.max(...scores) : null,
        above: scores.filter((other) => other > own).length,
      };
    };
    const withRest = { ...query, matrices: { ...NOTHING_NEAR, vector: cutVector(query, pair, rest) } };
    /** Of whatever share: the built-in embedder is asked for the best of them all. */
    const rows = new Map<number, CutRow>();
    const scores = shares.map((contextualShare) => {
      const wrong = run({ ...query, contextualShare }, null).filter((one) => groupOf(one.row) !== pair.group);
      for (const one of wrong) rows.set(one.row.rowid, one.row);
      return score({ ...withRest, contextualShare }, wrong);
    });
    const wrong = [...rows.values()];
    const builtIn = this.#builtIn(pair, [row, ...wrong], { scale, now });
    const wrongBuiltIn = wrong.length > 0 ? run(builtIn, wrong) : [];
    return {
      scores,
      builtIn: score(builtIn, wrongBuiltIn),
      unrelated: others.flatMap(({ kind, id }) => {
        const vector = query.matrices.vector(kind, id);
        return vector ? [dot(rest, vector)] : [];
      }),
    };
  }

  /** What a marked item scores for its question, and how many others score more, with each share; null if it is gone. */
  measureMark({ kind, id, question, shares, now }: MarkTask, query: QueryVector): PairScores[] | null {
    const [row] = this.#load({ kind, id }, now);
    if (!row || !isKind(kind)) return null;
    const asked = readQuestion(question, now);
    return shares.map((contextualShare) => {
      const options = { now, limit: OTHERS, query: { ...query, contextualShare }, always: [row.rowid] };
      const found = this.#parts.ranker.rank(kind, asked, options) as Scored<ItemRow>[];
      const own = found.find((one) => one.row.id === id);
      const right = own ? asJudged(own) : 0;
      return { right, wrong: null, above: found.filter((one) => asJudged(one) > right).length };
    });
  }

  #load({ kind, id }: { kind: string; id: string }, now: number): ItemRow[] {
    if (!isKind(kind)) return [];
    const { table, load } = items[kind];
    const found = this.#parts.db.get<{ rowid: number }>(`SELECT rowid FROM ${table} WHERE id = ?`, id);
    return found ? load(this.#parts.db, [found.rowid], now) : [];
  }

  readonly #embed = (text: string): Float32Array =>
    this.#parts.vectors.text(tokenise(text).map(({ term }) => term));

  /** The question and some items as the built-in embedder compares them. */
  #builtIn(
    pair: Pair,
    rows: readonly ItemRow[],
    { scale, now }: { scale: SimilarityScale; now: number },
  ): QueryVector {
    const { db } = this.#parts;
    const vectors = new Map(
      rows.map(({ id }) => {
        const text = id === pair.id ? pair.rest : (items[pair.kind].embeddable(db, id, now)?.text ?? '');
        return [id, this.#embed(text)];
      }),
    );
    return {
      values: this.#embed(pair.question),
      matrices: { ...NOTHING_NEAR, vector: (_kind, id) => vectors.get(id) },
      scale,
      similarity: similarityOn(scale),
      contextual: false,
    };
  }
}

/** Candidates are given: none is looked for by its vector. */
const NOTHING_NEAR = { nearest: () => [] };

const cutVector =
  (query: QueryVector, pair: Pair, rest: Float32Array): QueryVector['matrices']['vector'] =>
  (kind, id) =>
    id === pair.id ? rest : query.matrices.vector(kind, id);

const groupOf = (row: CutRow): string => ('noteId' in row ? row.noteId : row.conversationId);

const unplaced = ({ fused, own = fused }: Scored<ItemRow>): number => own;

/** What is marked is marked with its place, as it was shown. */
const asJudged = ({ fused, judged = fused }: Scored<ItemRow>): number => judged;
