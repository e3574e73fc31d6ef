import type { Migration } from '../migrate.ts';

/** Vaults, notes, passages, links, conversations and their full text; settings. Times are milliseconds since 1970. */
export const initial: Migration = {
  version: 1,
  name: 'initial',
  sql: `
    CREATE TABLE settings (
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL -- JSON
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE vaults (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      path TEXT NOT NULL, -- absolute, symbolic links resolved
      obsidian_id TEXT,
      ignore_patterns TEXT NOT NULL DEFAULT '[]', -- JSON array
      paused INTEGER NOT NULL DEFAULT 0,
      added_at INTEGER NOT NULL,
      removed_at INTEGER -- set during the undo period
    ) STRICT;

    CREATE TABLE notes (
      id TEXT PRIMARY KEY,
      vault_id TEXT NOT NULL REFERENCES vaults(id) ON DELETE CASCADE,
      path TEXT NOT NULL, -- as on disk, '/' between folders
      path_key TEXT NOT NULL, -- NFC, case folded
      name_key TEXT NOT NULL, -- last part of path_key, without extension
      title TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('pending', 'indexed', 'skipped', 'failed')),
      reason TEXT,
      detail TEXT,
      content_hash TEXT,
      chunker_version INTEGER NOT NULL DEFAULT 0,
      bytes INTEGER NOT NULL,
      mtime_ms REAL NOT NULL,
      tags TEXT NOT NULL DEFAULT '[]', -- JSON array
      aliases TEXT NOT NULL DEFAULT '[]', -- JSON array
      title_terms TEXT NOT NULL DEFAULT '',
      alias_terms TEXT NOT NULL DEFAULT '',
      tag_terms TEXT NOT NULL DEFAULT '',
      chunk_count INTEGER NOT NULL DEFAULT 0,
      indexed_at INTEGER,
      UNIQUE (vault_id, path)
    ) STRICT;
    CREATE INDEX notes_by_name ON notes (vault_id, name_key);
    CREATE INDEX notes_by_hash ON notes (vault_id, content_hash);
    CREATE INDEX notes_by_status ON notes (status, vault_id);

    CREATE TABLE chunks (
      rowid INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      note_id TEXT NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL,
      heading TEXT NOT NULL, -- JSON array, from the first level down
      markdown TEXT NOT NULL,
      text_hash TEXT NOT NULL,
      start_line INTEGER NOT NULL, -- from 1
      end_line INTEGER NOT NULL, -- included
      tokens INTEGER NOT NULL,
      heading_terms TEXT NOT NULL,
      body_terms TEXT NOT NULL,
      term_count INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX chunks_by_note ON chunks (note_id, ordinal);

    CREATE TABLE links (
      note_id TEXT NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('wikilink', 'embed', 'markdown')),
      target TEXT NOT NULL,
      target_key TEXT NOT NULL, -- name_key of what it points at
      heading TEXT,
      display TEXT,
      line INTEGER NOT NULL,
      PRIMARY KEY (note_id, ordinal)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX links_by_target ON links (target_key);

    CREATE TABLE conversations (
      id TEXT PRIMARY KEY,
      channel TEXT NOT NULL,
      title TEXT NOT NULL,
      title_terms TEXT NOT NULL DEFAULT '',
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      removed_at INTEGER -- set during the undo period
    ) STRICT;
    CREATE INDEX conversations_by_update ON conversations (updated_at DESC);

    CREATE TABLE turns (
      rowid INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL,
      active_version INTEGER NOT NULL DEFAULT 1,
      created_at INTEGER NOT NULL,
      body_terms TEXT NOT NULL,
      term_count INTEGER NOT NULL,
      UNIQUE (conversation_id, ordinal)
    ) STRICT;

    CREATE TABLE messages (
      id TEXT NOT NULL, -- unique in its conversation: imported ids are kept, and histories number from 1
      turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL, -- order within the turn
      role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
      author TEXT,
      content TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      version INTEGER, -- of a reply; null for what the user sent or what was imported
      state TEXT NOT NULL DEFAULT 'complete'
        CHECK (state IN ('pending', 'complete', 'stopped', 'failed', 'interrupted')),
      model TEXT,
      language TEXT,
      scope TEXT, -- JSON: what was searched
      PRIMARY KEY (turn_id, ordinal),
      UNIQUE (turn_id, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX messages_by_version ON messages (turn_id, version) WHERE version IS NOT NULL;
    CREATE INDEX messages_pending ON messages (state) WHERE state = 'pending';

    CREATE TABLE citations (
      turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
      version INTEGER NOT NULL, -- of the reply that cites
      ordinal INTEGER NOT NULL, -- from 1, as shown
      kind TEXT NOT NULL CHECK (kind IN ('note', 'turn')),
      item_id TEXT NOT NULL, -- chunk or turn, which may be gone since
      note_id TEXT,
      vault_id TEXT,
      path TEXT,
      title TEXT NOT NULL,
      heading TEXT NOT NULL, -- JSON array
      text_hash TEXT,
      score REAL NOT NULL,
      PRIMARY KEY (turn_id, version, ordinal)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX citations_by_note ON citations (note_id);

    -- Contentless: the rows' terms stand in notes, chunks and turns; the core writes both in one transaction.
    CREATE VIRTUAL TABLE chunk_fts USING fts5(
      title, heading, alias, tag, body,
      content='', contentless_delete=1, tokenize='ascii'
    );
    CREATE VIRTUAL TABLE chunk_vocabulary USING fts5vocab(chunk_fts, row);
    CREATE VIRTUAL TABLE turn_fts USING fts5(
      title, body,
      content='', contentless_delete=1, tokenize='ascii'
    );
    CREATE VIRTUAL TABLE turn_vocabulary USING fts5vocab(turn_fts, row);
  `,
};
