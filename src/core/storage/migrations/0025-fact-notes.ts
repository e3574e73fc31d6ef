import type { Migration } from '../migrate.ts';
import { type SummedTable, sumAnew } from './0023-row-sums.ts';

/** What is summed of the tables of this migration. */
export const SUMMED_FACT_NOTES = {
  drift: [{ table: 'fact_drift', key: ['fact_id'], columns: ['since'] }],
  line: [{ table: 'fact_lines', key: ['note', 'fact_id'], columns: ['hash'] }],
  conflict: [{ table: 'fact_conflicts', key: ['fact_id'], columns: ['content', 'at'] }],
} as const satisfies Record<string, readonly SummedTable[]>;

/** Facts and notes: what became of the blocks that facts were learnt from, and how facts stand in the note that Souvenir writes. */
export const factNotes: Migration = {
  version: 25,
  name: 'fact-notes',
  sql: `
    CREATE INDEX facts_by_anchor ON facts (anchor_vault_id, anchor_path) WHERE anchor_path IS NOT NULL;
    -- A renamed note keeps what was learnt from it.
    CREATE TRIGGER note_kept_facts AFTER UPDATE OF path ON notes WHEN new.path <> old.path BEGIN
      UPDATE facts SET anchor_path = new.path
        WHERE anchor_vault_id = old.vault_id AND anchor_path = old.path AND anchor_path IS NOT NULL;
    END;

    -- Facts whose block is no longer in its note as it was.
    CREATE TABLE fact_drift (
      fact_id TEXT PRIMARY KEY REFERENCES facts(id) ON DELETE CASCADE,
      since INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- The lines of the facts note, as they stood when note and facts last agreed.
    CREATE TABLE fact_lines (
      note TEXT NOT NULL, -- id of the vault, a space, path
      fact_id TEXT NOT NULL, -- it may have been erased: then its line is still to go
      hash TEXT NOT NULL, -- SHA-256 of the line's text
      PRIMARY KEY (note, fact_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX fact_lines_by_fact ON fact_lines (fact_id);
    -- What the note says of facts that were changed on both sides, until the user chooses.
    CREATE TABLE fact_conflicts (
      fact_id TEXT PRIMARY KEY REFERENCES facts(id) ON DELETE CASCADE,
      content TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    ${Object.entries(SUMMED_FACT_NOTES)
      .map(([kind, tables]) => sumAnew(kind, tables))
      .join('')}
  `,
};
