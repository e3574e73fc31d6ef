import type { Migration } from '../migrate.ts';
import { type SummedTable, sumAnew } from './0023-row-sums.ts';

/** What is summed of a turn from this migration on. */
export const SUMMED_BRANCHES = {
  turn: [
    {
      table: 'turns',
      key: ['id'],
      columns: [
        'conversation_id',
        'ordinal',
        'active_version',
        'created_at',
        'parent_id',
        'parent_version',
        'picked',
      ],
    },
  ],
} as const satisfies Record<string, readonly SummedTable[]>;

/**
 * Turns form a tree: each was said after a version of another one, and `ordinal` says in which order they were made. One path through
 * the tree is active; it is stored with each turn, so that nothing that reads it has to walk. A turn that was forgotten alone keeps
 * its place in the tree. Conversations that exist become one branch each.
 */
export const branches: Migration = {
  version: 28,
  name: 'branches',
  sql: `
    ALTER TABLE turns ADD COLUMN parent_id TEXT; -- the turn that it was said after; null for a first one
    ALTER TABLE turns ADD COLUMN parent_version INTEGER; -- the reply of that turn that it was said after
    ALTER TABLE turns ADD COLUMN picked INTEGER NOT NULL DEFAULT 0; -- of several turns said after the same reply, the highest is shown
    -- Derived from the above by storage/conversations/branches.ts.
    ALTER TABLE turns ADD COLUMN active INTEGER NOT NULL DEFAULT 1; -- 1 on the active path
    ALTER TABLE turns ADD COLUMN fork TEXT; -- the first of the turns between which the user can switch; null if it stands alone
    ALTER TABLE conversations ADD COLUMN path_changes INTEGER NOT NULL DEFAULT 0; -- how often turns left its active path or came back

    WITH places AS (
      SELECT t.id, coalesce(f.conversation_id, t.conversation_id) AS conversation_id, coalesce(f.ordinal, t.ordinal) AS ordinal,
             t.active_version
      FROM turns t LEFT JOIN forgotten_turns f ON f.turn_id = t.id
    ), linked AS (
      SELECT id, lag(id) OVER before AS parent_id, lag(active_version) OVER before AS parent_version FROM places
      WINDOW before AS (PARTITION BY conversation_id ORDER BY ordinal, id)
    )
    UPDATE turns SET parent_id = linked.parent_id, parent_version = linked.parent_version
    FROM linked WHERE linked.id = turns.id AND linked.parent_id IS NOT NULL;

    CREATE INDEX turns_by_parent ON turns (parent_id, parent_version) WHERE parent_id IS NOT NULL;
    CREATE INDEX turns_active ON turns (conversation_id, ordinal) WHERE active = 1;
    CREATE INDEX turns_by_fork ON turns (fork, ordinal) WHERE fork IS NOT NULL;

    -- Lists count what is shown.
    DROP TRIGGER turn_counted;
    DROP TRIGGER turn_uncounted;
    CREATE TRIGGER turn_counted AFTER INSERT ON turns WHEN new.active = 1 BEGIN
      UPDATE conversations SET turn_count = turn_count + 1 WHERE id = new.conversation_id;
    END;
    CREATE TRIGGER turn_uncounted AFTER DELETE ON turns WHEN old.active = 1 BEGIN
      UPDATE conversations SET turn_count = turn_count - 1 WHERE id = old.conversation_id;
    END;
    CREATE TRIGGER turn_moved AFTER UPDATE OF conversation_id, active ON turns
    WHEN old.conversation_id <> new.conversation_id OR old.active <> new.active BEGIN
      UPDATE conversations SET turn_count = turn_count - old.active WHERE id = old.conversation_id;
      UPDATE conversations SET turn_count = turn_count + new.active WHERE id = new.conversation_id;
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('turn', new.id);
    END;
    ${sumAnew('turn', SUMMED_BRANCHES.turn)}
  `,
};
