import type { Migration } from '../migrate.ts';

/** What each turn was given, kept beside it; what retrieval considered; token usage of replies. */
export const context: Migration = {
  version: 3,
  name: 'context',
  sql: `
    -- One row for each item of a turn's context block. The block is written anew for each prompt from those that still hold.
    CREATE TABLE context_items (
      turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('note', 'turn', 'fact')),
      item_id TEXT NOT NULL,
      title TEXT NOT NULL,
      heading TEXT NOT NULL, -- JSON array
      origin TEXT NOT NULL,
      at INTEGER NOT NULL,
      excerpt TEXT NOT NULL,
      text_hash TEXT NOT NULL, -- of the whole item when it was given: another one now means a correction
      PRIMARY KEY (turn_id, ordinal)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE memory_retrievals (
      id TEXT PRIMARY KEY,
      turn_id TEXT REFERENCES turns(id) ON DELETE CASCADE,
      channel TEXT NOT NULL,
      user_message_preview TEXT NOT NULL,
      memories_injected INTEGER NOT NULL,
      obsidian_notes_injected INTEGER NOT NULL,
      total_tokens_added INTEGER NOT NULL,
      timings TEXT NOT NULL, -- JSON, milliseconds by stage
      skipped TEXT NOT NULL, -- JSON: sources that failed or were late, and why
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX memory_retrievals_by_time ON memory_retrievals (created_at DESC);
    CREATE INDEX memory_retrievals_by_turn ON memory_retrievals (turn_id);

    CREATE TABLE memory_retrieval_items (
      retrieval_id TEXT NOT NULL REFERENCES memory_retrievals(id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL, -- from 1, best first
      kind TEXT NOT NULL,
      item_id TEXT NOT NULL,
      title TEXT NOT NULL,
      path TEXT,
      heading TEXT NOT NULL, -- JSON array
      score REAL NOT NULL,
      verdict TEXT NOT NULL,
      because TEXT NOT NULL,
      tokens INTEGER NOT NULL,
      PRIMARY KEY (retrieval_id, ordinal)
    ) STRICT, WITHOUT ROWID;

    ALTER TABLE messages ADD COLUMN prompt_tokens INTEGER;
    ALTER TABLE messages ADD COLUMN completion_tokens INTEGER;
    ALTER TABLE messages ADD COLUMN error TEXT; -- JSON {code, params} of a reply that failed
  `,
};
