import type { Migration } from '../migrate.ts';

/**
 * Turns that were forgotten without the rest of their conversation: until they are erased they stand in a removed conversation of their
 * own, which makes them out of use everywhere. Here is where they came from, and which titles that named them were replaced.
 */
export const forgottenTurns: Migration = {
  version: 24,
  name: 'forgotten-turns',
  sql: `
    CREATE TABLE forgotten_turns (
      turn_id TEXT PRIMARY KEY REFERENCES turns(id) ON DELETE CASCADE,
      conversation_id TEXT NOT NULL, -- that it came from
      ordinal INTEGER NOT NULL -- its place there
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE forgotten_titles (
      conversation_id TEXT PRIMARY KEY REFERENCES conversations(id) ON DELETE CASCADE,
      title TEXT NOT NULL, -- before
      at INTEGER NOT NULL -- when it was forgotten
    ) STRICT, WITHOUT ROWID;
  `,
};
