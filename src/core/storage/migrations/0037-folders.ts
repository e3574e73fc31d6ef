import type { Migration } from '../migrate.ts';
import { SUMMED, type SummedTable, sumAnew } from './0023-row-sums.ts';
import { SUMMED_TURN_SOURCE } from './0033-turn-source.ts';

/** What is summed of conversations and turns from here on. */
export const SUMMED_FOLDERS = {
  conversation: [{ ...SUMMED.conversation[0], columns: [...SUMMED.conversation[0].columns, 'folders'] }],
  turn: [{ ...SUMMED_TURN_SOURCE.turn[0], columns: [...SUMMED_TURN_SOURCE.turn[0].columns, 'folders'] }],
} as const satisfies Record<string, readonly SummedTable[]>;

/** SQL: the characters of what a turn shows. */
const shown = (turn: string) =>
  `(SELECT coalesce(sum(length(m.content)), 0) FROM messages m
    WHERE m.turn_id = ${turn}.id AND (m.version IS NULL OR m.version = ${turn}.active_version))`;
const count = (id: string) => `UPDATE turns SET characters = ${shown('turns')} WHERE id = ${id};`;

/** The folders that a conversation is about, each turn with those of its time, and how long a turn is. */
export const folders: Migration = {
  version: 37,
  name: 'folders',
  sql: `
    ALTER TABLE conversations ADD COLUMN folders TEXT NOT NULL DEFAULT '[]'; -- JSON: paths as support/folderPath.ts gives them
    ALTER TABLE turns ADD COLUMN folders TEXT NOT NULL DEFAULT '[]'; -- those of its conversation when it was said
    -- Derived: of the messages that are shown, kept by triggers, so that no list counts them.
    ALTER TABLE turns ADD COLUMN characters INTEGER NOT NULL DEFAULT 0;
    UPDATE turns SET characters = ${shown('turns')};
    CREATE TRIGGER message_measured AFTER INSERT ON messages WHEN new.content <> '' BEGIN ${count('new.turn_id')} END;
    CREATE TRIGGER message_measured_again AFTER UPDATE OF content ON messages WHEN old.content <> new.content BEGIN
      ${count('new.turn_id')}
    END;
    CREATE TRIGGER message_unmeasured AFTER DELETE ON messages WHEN old.content <> '' BEGIN ${count('old.turn_id')} END;
    CREATE TRIGGER turn_measured AFTER UPDATE OF active_version ON turns WHEN old.active_version <> new.active_version BEGIN
      ${count('new.id')}
    END;
    ${sumAnew('conversation', SUMMED_FOLDERS.conversation)}
    ${sumAnew('turn', SUMMED_FOLDERS.turn)}
  `,
};
