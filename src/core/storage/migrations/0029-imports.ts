import type { Migration } from '../migrate.ts';

/**
 * Imports of histories whose files stand in the data folder. Work that is due, as `jobs` is, and the report of what is done: neither
 * summed nor exported. It holds no text of a conversation.
 */
export const imports: Migration = {
  version: 29,
  name: 'imports',
  sql: `
    CREATE TABLE imports (
      id TEXT PRIMARY KEY,
      files TEXT NOT NULL, -- JSON: name and time of change of each
      channel TEXT, -- NULL: that of each conversation
      learn INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('running', 'done', 'cancelled')),
      file INTEGER NOT NULL DEFAULT 0, -- what comes next: the file, the byte at which a portion begins, the turn in it
      position INTEGER NOT NULL DEFAULT 0,
      turns_done INTEGER NOT NULL DEFAULT 0,
      bytes_done INTEGER NOT NULL DEFAULT 0,
      bytes_total INTEGER NOT NULL,
      counts TEXT NOT NULL, -- JSON
      problems TEXT NOT NULL DEFAULT '{}', -- JSON: count by code
      started_at INTEGER NOT NULL
    ) STRICT;
  `,
};
