import type { Migration } from '../migrate.ts';

/** Facts with their earlier wordings and full text; citations may point at a fact. */
export const facts: Migration = {
  version: 2,
  name: 'facts',
  sql: `
    CREATE TABLE facts (
      rowid INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      content TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN
        ('identity', 'preference', 'relation', 'event', 'decision', 'goal', 'task', 'fact')),
      key TEXT, -- what it answers, e.g. user.name: a newer fact of the same key replaces an older one
      subjects TEXT NOT NULL DEFAULT '[]', -- JSON array
      importance REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
      source TEXT NOT NULL CHECK (source IN ('conversation', 'chat', 'note', 'manual', 'import')),
      channel TEXT,
      turn_id TEXT REFERENCES turns(id) ON DELETE SET NULL,
      status TEXT NOT NULL DEFAULT 'current' CHECK (status IN ('current', 'superseded')),
      pinned INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      last_used_at INTEGER,
      use_count INTEGER NOT NULL DEFAULT 0,
      expires_at INTEGER,
      forgotten_at INTEGER, -- set during the undo period
      subject_terms TEXT NOT NULL,
      body_terms TEXT NOT NULL,
      term_count INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX facts_by_key ON facts (key) WHERE key IS NOT NULL;
    CREATE INDEX facts_by_turn ON facts (turn_id) WHERE turn_id IS NOT NULL;
    CREATE INDEX facts_by_importance ON facts (importance);
    CREATE INDEX facts_by_creation ON facts (created_at);

    CREATE TABLE fact_revisions (
      fact_id TEXT NOT NULL REFERENCES facts(id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL, -- from 1, the oldest wording first
      content TEXT NOT NULL,
      until INTEGER NOT NULL, -- when the next wording replaced it
      PRIMARY KEY (fact_id, ordinal)
    ) STRICT, WITHOUT ROWID;

    CREATE VIRTUAL TABLE fact_fts USING fts5(
      subject, body, content='', contentless_delete=1, tokenize='ascii'
    );
    CREATE VIRTUAL TABLE fact_vocabulary USING fts5vocab(fact_fts, row);

    CREATE TABLE citations_with_facts (
      turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
      version INTEGER NOT NULL,
      ordinal INTEGER NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('note', 'turn', 'fact')),
      item_id TEXT NOT NULL, -- chunk, turn or fact, which may be gone since
      note_id TEXT,
      vault_id TEXT,
      path TEXT,
      title TEXT NOT NULL,
      heading TEXT NOT NULL,
      text_hash TEXT,
      score REAL NOT NULL,
      PRIMARY KEY (turn_id, version, ordinal)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO citations_with_facts SELECT turn_id, version, ordinal, kind, item_id, note_id, vault_id, path, title,
      heading, text_hash, score FROM citations;
    DROP TABLE citations;
    ALTER TABLE citations_with_facts RENAME TO citations;
    CREATE INDEX citations_by_note ON citations (note_id);
  `,
};
