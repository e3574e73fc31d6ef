import type { Migration } from '../migrate.ts';

/**
 * Context blocks as they were rendered, one for each version of a reply, and what each model call contained. Blocks of schema 15
 * were never stored as text: they are rendered when they are sent next.
 */
export const prompts: Migration = {
  version: 16,
  name: 'prompts',
  sql: `
    CREATE TABLE context_blocks (
      turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
      version INTEGER NOT NULL, -- of the reply that was given it
      marker TEXT NOT NULL,
      language TEXT NOT NULL CHECK (language IN ('en', 'fr')),
      at INTEGER NOT NULL, -- date of the turn, as the block states it
      text TEXT, -- as sent; NULL if it is to be rendered
      PRIMARY KEY (turn_id, version)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE context_items_by_version (
      turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
      version INTEGER NOT NULL DEFAULT 1,
      ordinal INTEGER NOT NULL, -- citation number: it names one passage in the whole conversation
      kind TEXT NOT NULL,
      item_id TEXT NOT NULL,
      title TEXT NOT NULL,
      heading TEXT NOT NULL, -- JSON array
      origin TEXT NOT NULL,
      at INTEGER NOT NULL,
      excerpt TEXT NOT NULL,
      span_start INTEGER NOT NULL DEFAULT 0, -- where the excerpt stands in the item's text
      span_end INTEGER NOT NULL DEFAULT 0,
      text_key TEXT NOT NULL DEFAULT '', -- hash of the item's whole text; empty if it is not known
      score REAL NOT NULL DEFAULT 0,
      text_hash TEXT NOT NULL, -- of the item when it was given: another one now means a correction
      PRIMARY KEY (turn_id, version, ordinal)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO context_items_by_version
      SELECT i.turn_id, t.active_version, i.ordinal, i.kind, i.item_id, i.title, i.heading, i.origin, i.at, i.excerpt, 0, 0, '', 0,
             i.text_hash
      FROM context_items i JOIN turns t ON t.id = i.turn_id;
    DROP TABLE context_items;
    ALTER TABLE context_items_by_version RENAME TO context_items;

    INSERT INTO context_blocks
      SELECT t.id, t.active_version, lower(hex(randomblob(6))),
             coalesce((SELECT m.language FROM messages m WHERE m.turn_id = t.id AND m.version = t.active_version), 'en'),
             t.created_at, NULL
      FROM turns t WHERE EXISTS (SELECT 1 FROM context_items i WHERE i.turn_id = t.id);

    CREATE TABLE prompts (
      turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
      version INTEGER NOT NULL,
      layout TEXT NOT NULL, -- JSON: each message that was sent, with its tokens and items
      steps TEXT NOT NULL, -- JSON: why it does not begin with the prompt before
      tokens INTEGER NOT NULL,
      context_tokens INTEGER NOT NULL,
      trail TEXT NOT NULL, -- JSON: what the next prompt has to know
      made_from TEXT NOT NULL, -- JSON: whether the reply may be made from notes or memory
      created_at INTEGER NOT NULL,
      PRIMARY KEY (turn_id, version)
    ) STRICT, WITHOUT ROWID;

    ALTER TABLE memory_retrievals ADD COLUMN version INTEGER; -- of the reply that was given it; NULL before schema 16
  `,
};
