import type { Migration } from '../migrate.ts';
import { type SummedTable, sumAnew } from './0023-row-sums.ts';

/** What is summed of the former contents of summaries. */
export const SUMMED_FORGOTTEN_SUMMARIES = {
  'forgotten-summary': [
    {
      table: 'forgotten_summaries',
      key: ['summary_id', 'at'],
      columns: ['text', 'findings', 'files', 'tools', 'topics', 'made_by', 'updated_at'],
    },
  ],
} as const satisfies Record<string, readonly SummedTable[]>;

/** What summaries said that were forgotten while the turns behind them stay: until it is erased, it can be put back. */
export const forgottenSummaries: Migration = {
  version: 34,
  name: 'forgotten-summaries',
  sql: `
    CREATE TABLE forgotten_summaries (
      summary_id TEXT NOT NULL REFERENCES summaries(id) ON DELETE CASCADE,
      at INTEGER NOT NULL, -- when it was forgotten
      text TEXT NOT NULL, -- as in summaries, as are the columns that follow
      findings TEXT NOT NULL,
      files TEXT NOT NULL,
      tools TEXT NOT NULL,
      topics TEXT NOT NULL,
      made_by TEXT NOT NULL,
      updated_at INTEGER NOT NULL,
      PRIMARY KEY (summary_id, at)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX forgotten_summaries_by_time ON forgotten_summaries (at);
    ${sumAnew('forgotten-summary', SUMMED_FORGOTTEN_SUMMARIES['forgotten-summary'])}
  `,
};
