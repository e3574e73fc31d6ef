import type { Migration } from '../migrate.ts';
import { type SummedTable, sumAnew } from './0023-row-sums.ts';

/** What migrations after the first sums have summed. */
export const SUMMED_REVIEW = {
  merge: [{ table: 'fact_merges', key: ['fact_id', 'at'], columns: ['before'] }],
  review: [
    {
      table: 'fact_reviews',
      key: ['fact_id'],
      columns: ['other_id', 'kind', 'at'],
      order: ['other_id', 'kind'],
    },
  ],
} as const satisfies Record<string, readonly SummedTable[]>;

/** What merging replaced, so that it can be undone, and what the user decided in Review to leave as it is. */
export const factReview: Migration = {
  version: 26,
  name: 'fact-review',
  sql: `
    CREATE TABLE fact_merges (
      fact_id TEXT NOT NULL REFERENCES facts(id) ON DELETE CASCADE, -- the fact that was kept
      at INTEGER NOT NULL,
      before TEXT NOT NULL, -- JSON: what it was, and what the merge added to it
      PRIMARY KEY (fact_id, at)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE fact_reviews (
      fact_id TEXT NOT NULL REFERENCES facts(id) ON DELETE CASCADE, -- of a pair, the id that sorts first
      other_id TEXT NOT NULL, -- of a pair, the other; '' for one fact. It may have been erased
      kind TEXT NOT NULL, -- the group of Review
      at INTEGER NOT NULL,
      PRIMARY KEY (fact_id, other_id, kind)
    ) STRICT, WITHOUT ROWID;
    ${sumAnew('merge', SUMMED_REVIEW.merge)}
    ${sumAnew('review', SUMMED_REVIEW.review)}
  `,
};
