import type { SearchResult } from '../../shared/contract/retrieval.ts';
import { items, type Kind, type RowOf } from '../items/index.ts';
import type { ItemReading, ItemStores } from '../items/item.ts';
import { tokenise } from '../support/text/tokenise.ts';
import { type Excerpt, MAX_READ } from './excerpt.ts';
import type { Question } from './query/question.ts';
import type { StoodFor } from './query/weightedTerms.ts';
import type { Found } from './sources.ts';

/** The words of a question as they are spelled in what was found. */
export class Spelling {
  /** As those of the question, with the terms that its words are found by beside their own. */
  readonly weights: ReadonlyMap<string, number>;
  readonly #words: ReadonlyMap<string, string>;

  constructor({ weights }: Question, { respelled, prolonged }: StoodFor) {
    const terms = respelled.flatMap(({ terms: some, weight, word }) =>
      some.map((term) => ({ term, weight, word })),
    );
    this.weights = new Map([
      ...prolonged,
      ...weights,
      ...terms.map(({ term, weight }) => [term, weight] as const),
    ]);
    this.#words = new Map(terms.map(({ term, word }) => [term, word]));
  }

  /** Which word of an item stands for which word of the question, where one does. */
  tellOf({ text, place }: ItemReading): Pick<SearchResult, 'respelled'> {
    if (this.#words.size === 0) return {};
    for (const read of [text, place.title ?? '', ...(place.heading ?? [])]) {
      const token = tokenise(read.slice(0, MAX_READ)).find(({ term }) => this.#words.has(term));
      const word = token && this.#words.get(token.term);
      if (token && word !== undefined) {
        return { respelled: { word, as: read.slice(token.start, token.end) } };
      }
    }
    return {};
  }
}

type Stores = Pick<ItemStores, 'conversations' | 'db'>;

/** Reads what was found, in its order; all items of one kind are read at once. */
export function readFound(found: readonly Found[], stores: Stores): ItemReading[] {
  const readings = new Map<Found, ItemReading>();
  for (const [kind, some] of Map.groupBy(found, (one) => one.kind)) {
    for (const [index, reading] of readKind(kind, some, stores).entries()) {
      readings.set(some[index] as Found, reading);
    }
  }
  return found.map((one) => readings.get(one) as ItemReading);
}

function readKind<K extends Kind>(kind: K, found: readonly Found[], stores: Stores): ItemReading[] {
  return items[kind].read(
    found.map(({ scored }) => scored.row as RowOf<K>),
    stores,
  );
}

/** A search result: the item with its excerpt. */
export function toResult({ kind, scored }: Found, { place }: ItemReading, excerpt: Excerpt): SearchResult {
  const { text, marks } = excerpt;
  return { ...place, kind, score: shownScore(scored.score), excerpt: text, marks, ...partsOf(scored) };
}

function partsOf({ parts }: Found['scored']): Pick<SearchResult, 'parts'> {
  if (!parts) return {};
  return {
    parts: Object.fromEntries(
      Object.entries(parts).flatMap(([name, value]) =>
        value === 0 ? [] : [[name, Math.round(value * 1_000) / 1_000]],
      ),
    ),
  };
}

/** A score as results have it. */
export const shownScore = (score: number): number => Math.round(score * 10_000) / 10_000;

/** Best first; ties by id, so that two runs agree. */
export function byFoundScore(one: Found, other: Found): number {
  return (
    other.scored.score - one.scored.score ||
    other.scored.fused - one.scored.fused ||
    (one.scored.row.id < other.scored.row.id ? -1 : 1)
  );
}
