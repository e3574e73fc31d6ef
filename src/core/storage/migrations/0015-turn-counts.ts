import type { Migration } from '../migrate.ts';

/** How many turns each conversation has, kept by triggers, so that no list counts them. */
export const turnCounts: Migration = {
  version: 15,
  name: 'turn-counts',
  sql: `
    ALTER TABLE conversations ADD COLUMN turn_count INTEGER NOT NULL DEFAULT 0;
    UPDATE conversations SET turn_count = (SELECT count(*) FROM turns t WHERE t.conversation_id = conversations.id);
    CREATE TRIGGER turn_counted AFTER INSERT ON turns BEGIN
      UPDATE conversations SET turn_count = turn_count + 1 WHERE id = new.conversation_id;
    END;
    CREATE TRIGGER turn_uncounted AFTER DELETE ON turns BEGIN
      UPDATE conversations SET turn_count = turn_count - 1 WHERE id = old.conversation_id;
    END;
    CREATE INDEX conversations_in_use ON conversations (turn_count) WHERE removed_at IS NULL;
  `,
};
