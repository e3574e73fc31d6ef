import type { Migration } from '../migrate.ts';
import { type SummedTable, sumAnew } from './0023-row-sums.ts';
import { SUMMED_BRANCHES } from './0028-branches.ts';

/** What is summed of a turn from here on. */
export const SUMMED_TURN_SOURCE = {
  turn: [{ ...SUMMED_BRANCHES.turn[0], columns: [...SUMMED_BRANCHES.turn[0].columns, 'source'] }],
} as const satisfies Record<string, readonly SummedTable[]>;

/** Where a turn comes from. Of the turns that exist, those without a reply of this program were imported. */
export const turnSource: Migration = {
  version: 33,
  name: 'turn-source',
  sql: `
    ALTER TABLE turns ADD COLUMN source TEXT NOT NULL DEFAULT 'user'
      CHECK (source IN ('user', 'system', 'capture', 'import'));
    UPDATE turns SET source = 'import'
      WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.turn_id = turns.id AND m.version IS NOT NULL);
    ${sumAnew('turn', SUMMED_TURN_SOURCE.turn)}
  `,
};
