import type { Migration } from '../migrate.ts';

/** Which turn replaced a wording of a fact, and what else it replaced, so that it can be taken back. */
export const learnt: Migration = {
  version: 18,
  name: 'learnt',
  sql: `
    ALTER TABLE fact_revisions ADD COLUMN turn_id TEXT REFERENCES turns(id) ON DELETE SET NULL; -- the turn that taught the next wording
    ALTER TABLE fact_revisions ADD COLUMN subjects TEXT; -- JSON array; null if an earlier version replaced this wording
    ALTER TABLE fact_revisions ADD COLUMN importance REAL;
    CREATE INDEX fact_revisions_by_turn ON fact_revisions (turn_id) WHERE turn_id IS NOT NULL;
  `,
};
