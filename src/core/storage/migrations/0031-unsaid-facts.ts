import type { Migration } from '../migrate.ts';
import { SUMMED, type SummedTable, sumAnew } from './0023-row-sums.ts';

/** What is summed of facts from this migration on. */
export const SUMMED_UNSAID = {
  fact: [{ ...SUMMED.fact[0], columns: [...SUMMED.fact[0].columns, 'unsaid_at'] }],
  saying: [{ table: 'fact_sayings', key: ['fact_id'], columns: ['turn_id'], order: ['turn_id'] }],
} as const satisfies Record<string, readonly SummedTable[]>;

/** A fact that only a turn said in whose place another is shown, as when a message was edited, is out of use as long as that is so. */
export const unsaidFacts: Migration = {
  version: 31,
  name: 'unsaid-facts',
  sql: `
    -- Derived by storage/conversations/branches.ts: 1 if another of the turns between which the user can switch is shown in its place.
    ALTER TABLE turns ADD COLUMN replaced INTEGER NOT NULL DEFAULT 0;
    -- Turns of which that has changed, until facts follow.
    CREATE TABLE turns_replaced (turn_id TEXT PRIMARY KEY REFERENCES turns(id) ON DELETE CASCADE) STRICT, WITHOUT ROWID;
    CREATE TRIGGER turn_replaced AFTER UPDATE OF replaced ON turns WHEN old.replaced <> new.replaced BEGIN
      INSERT OR IGNORE INTO turns_replaced VALUES (new.id);
    END;

    ALTER TABLE facts ADD COLUMN unsaid_at INTEGER;
    -- Turns that said again what was known. The one that taught a fact stands with it, those that reworded it with its revisions.
    CREATE TABLE fact_sayings (
      fact_id TEXT NOT NULL REFERENCES facts(id) ON DELETE CASCADE,
      turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
      PRIMARY KEY (fact_id, turn_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX fact_sayings_by_turn ON fact_sayings (turn_id);
    DROP TRIGGER fact_changed;
    CREATE TRIGGER fact_changed AFTER UPDATE OF text_hash, state, forgotten_at, expires_at, retired_at, unsaid_at ON facts BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('fact', new.id);
    END;
    ${sumAnew('fact', SUMMED_UNSAID.fact)}
    ${sumAnew('saying', SUMMED_UNSAID.saying)}
  `,
};
