import type { Migration } from '../migrate.ts';
import { SUMMED, type SummedTable, sumAnew } from './0023-row-sums.ts';

const [retrievals, items] = SUMMED.retrieval;

/** What is summed of a retrieval from here on. */
export const SUMMED_WHOLE_RETRIEVALS = {
  retrieval: [
    { ...retrievals, columns: [...retrievals.columns, 'settings', 'whole'] },
    { ...items, columns: [...items.columns, 'parts'] },
  ],
} as const satisfies Record<string, readonly SummedTable[]>;

/** A retrieval is kept with the settings that it was made with and what each score was made of; after a while, what was given alone is left. */
export const wholeRetrievals: Migration = {
  version: 42,
  name: 'whole-retrievals',
  sql: `
    ALTER TABLE memory_retrievals ADD COLUMN settings TEXT; -- JSON; NULL before schema 42
    ALTER TABLE memory_retrievals ADD COLUMN whole INTEGER NOT NULL DEFAULT 1; -- 0 once only what was given is left
    ALTER TABLE memory_retrieval_items ADD COLUMN parts TEXT; -- JSON: what the score was made of; NULL if it is not known
    CREATE INDEX whole_retrievals ON memory_retrievals (created_at) WHERE whole = 1;
    ${sumAnew('retrieval', SUMMED_WHOLE_RETRIEVALS.retrieval)}
  `,
};
