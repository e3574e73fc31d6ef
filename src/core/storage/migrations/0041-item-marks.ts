import type { Migration } from '../migrate.ts';
import { type SummedTable, sumAnew } from './0023-row-sums.ts';

export const SUMMED_ITEM_MARKS = {
  mark: [{ table: 'item_marks', key: ['turn_id', 'kind', 'item_id'], columns: ['mark', 'at'] }],
} as const satisfies Record<string, readonly SummedTable[]>;

/** What the user says of an item that a turn was given: useful, or wrong there. The question is the turn's own, and is stored with it alone. */
export const itemMarks: Migration = {
  version: 41,
  name: 'item-marks',
  sql: `
    CREATE TABLE item_marks (
      turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      item_id TEXT NOT NULL,
      mark TEXT NOT NULL CHECK (mark IN ('useful', 'wrong')),
      at INTEGER NOT NULL,
      PRIMARY KEY (turn_id, kind, item_id)
    ) STRICT;
    CREATE INDEX item_marks_by_item ON item_marks (item_id);
    ${sumAnew('mark', SUMMED_ITEM_MARKS.mark)}
  `,
};
