import type { Migration } from '../migrate.ts';

/**
 * Citations, context items and the outbox of vectors take any kind of item, so that a new kind needs none of these tables
 * rebuilt. Turns of removed conversations and expired facts lose their vectors, like forgotten facts. `facts` is never rebuilt:
 * with foreign keys on, dropping it would empty `fact_revisions` and `fact_subjects`.
 */
export const itemKinds: Migration = {
  version: 14,
  name: 'item-kinds',
  sql: `
    CREATE TABLE citations_of_any_kind (
      turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
      version INTEGER NOT NULL, -- of the reply that cites
      ordinal INTEGER NOT NULL, -- from 1, as shown
      kind TEXT NOT NULL,
      item_id TEXT NOT NULL, -- of a passage, a turn, a fact, …; the item may have been deleted since
      note_id TEXT,
      vault_id TEXT,
      path TEXT,
      title TEXT NOT NULL,
      heading TEXT NOT NULL, -- JSON array
      text_hash TEXT,
      score REAL NOT NULL,
      PRIMARY KEY (turn_id, version, ordinal)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO citations_of_any_kind SELECT turn_id, version, ordinal, kind, item_id, note_id, vault_id, path, title,
      heading, text_hash, score FROM citations;
    DROP TABLE citations;
    ALTER TABLE citations_of_any_kind RENAME TO citations;
    CREATE INDEX citations_by_note ON citations (note_id);

    CREATE TABLE context_items_of_any_kind (
      turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL,
      kind TEXT NOT NULL,
      item_id TEXT NOT NULL,
      title TEXT NOT NULL,
      heading TEXT NOT NULL, -- JSON array
      origin TEXT NOT NULL,
      at INTEGER NOT NULL,
      excerpt TEXT NOT NULL,
      text_hash TEXT NOT NULL, -- of what was quoted from when it was given; a different hash now means that it was edited
      PRIMARY KEY (turn_id, ordinal)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO context_items_of_any_kind SELECT turn_id, ordinal, kind, item_id, title, heading, origin, at, excerpt,
      text_hash FROM context_items;
    DROP TABLE context_items;
    ALTER TABLE context_items_of_any_kind RENAME TO context_items;

    -- A table that triggers write to cannot be renamed over: they are dropped first, and made again below.
    DROP TRIGGER chunk_inserted;
    DROP TRIGGER chunk_deleted;
    DROP TRIGGER turn_inserted;
    DROP TRIGGER turn_changed;
    DROP TRIGGER turn_deleted;
    DROP TRIGGER fact_inserted;
    DROP TRIGGER fact_changed;
    DROP TRIGGER fact_deleted;
    CREATE TABLE vector_outbox_of_any_kind (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, -- a later change of the same row takes a new number
      kind TEXT NOT NULL,
      item_id TEXT NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      UNIQUE (kind, item_id)
    ) STRICT;
    INSERT INTO vector_outbox_of_any_kind SELECT seq, kind, item_id, attempts FROM vector_outbox;
    DROP TABLE vector_outbox;
    ALTER TABLE vector_outbox_of_any_kind RENAME TO vector_outbox;

    -- Set once the expiry of a fact has been acted upon. Whether a fact is in use follows from expires_at alone.
    ALTER TABLE facts ADD COLUMN retired_at INTEGER;
    DROP INDEX facts_expiring;
    CREATE INDEX facts_expiring ON facts (expires_at) WHERE expires_at IS NOT NULL AND retired_at IS NULL;

    CREATE TRIGGER chunk_inserted AFTER INSERT ON chunks BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('chunk', new.id);
    END;
    CREATE TRIGGER chunk_deleted AFTER DELETE ON chunks BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('chunk', old.id);
    END;
    CREATE TRIGGER turn_inserted AFTER INSERT ON turns BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('turn', new.id);
    END;
    CREATE TRIGGER turn_changed AFTER UPDATE OF text_hash ON turns WHEN old.text_hash <> new.text_hash BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('turn', new.id);
    END;
    CREATE TRIGGER turn_deleted AFTER DELETE ON turns BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('turn', old.id);
    END;
    CREATE TRIGGER turns_removed AFTER UPDATE OF removed_at ON conversations
    WHEN (old.removed_at IS NULL) <> (new.removed_at IS NULL) BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) SELECT 'turn', id FROM turns WHERE conversation_id = new.id;
    END;
    CREATE TRIGGER fact_inserted AFTER INSERT ON facts BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('fact', new.id);
    END;
    CREATE TRIGGER fact_changed AFTER UPDATE OF text_hash, status, forgotten_at, expires_at, retired_at ON facts BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('fact', new.id);
    END;
    CREATE TRIGGER fact_deleted AFTER DELETE ON facts BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('fact', old.id);
    END;
  `,
};
