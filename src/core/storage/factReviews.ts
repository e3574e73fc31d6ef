import type { FactId } from '../../shared/ids.ts';
import type { Db } from './database.ts';

/** A fact, or a pair of facts in any order, that the user decided to leave as it is. */
export interface Settled {
  /** The group of Review. */
  kind: string;
  ids: readonly FactId[];
}

/**
 * SQL: the user decided to leave the item `row` (`id`, `other`, `at`) of the group `@group` as it is. What holds of a pair holds in every
 * group; a fact of which something new came up since is to be reviewed again.
 */
export const isSettled = (row: string): string =>
  `EXISTS (SELECT 1 FROM fact_reviews r
     WHERE r.fact_id = iif(${row}.other = '', ${row}.id, min(${row}.id, ${row}.other))
       AND r.other_id = iif(${row}.other = '', '', max(${row}.id, ${row}.other)) AND (r.other_id <> '' OR (r.kind = @group AND r.at >= ${row}.at)))`;

/** SQL: the user decided to leave two facts beside each other. */
export const isPairSettled = (one: string, other: string): string =>
  `EXISTS (SELECT 1 FROM fact_reviews r WHERE r.fact_id = min(${one}, ${other}) AND r.other_id = max(${one}, ${other}))`;

/** What the user decided in Review to leave as it is. */
export class FactReviews {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Leaves out what no longer exists. @returns how many are settled that were not */
  settle(items: readonly Settled[], at: number): number {
    return this.#each(
      items,
      `INSERT OR IGNORE INTO fact_reviews (fact_id, other_id, kind, at)
       SELECT @one, @other, @kind, @at WHERE EXISTS (SELECT 1 FROM facts WHERE id = @one)
         AND (@other = '' OR EXISTS (SELECT 1 FROM facts WHERE id = @other))`,
      { at },
    );
  }

  /** @returns how many are settled no longer */
  unsettle(items: readonly Settled[]): number {
    return this.#each(
      items,
      'DELETE FROM fact_reviews WHERE fact_id = @one AND other_id = @other AND kind = @kind',
    );
  }

  #each(items: readonly Settled[], sql: string, params: { at?: number } = {}): number {
    return this.#db.transaction(() =>
      items.reduce((sum, { kind, ids }) => {
        const [one = '', other = ''] = [...new Set(ids)].sort();
        return sum + this.#db.run(sql, { one, other, kind, ...params }).changes;
      }, 0),
    );
  }
}
