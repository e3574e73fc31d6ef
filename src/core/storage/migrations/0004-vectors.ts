import type { Migration } from '../migrate.ts';

/**
 * What the vectors need: a hash of every text that is embedded, an outbox that triggers fill, and which index answers.
 * `sha256` is a function of the connection.
 */
export const vectors: Migration = {
  version: 4,
  name: 'vectors',
  sql: `
    ALTER TABLE turns ADD COLUMN text_hash TEXT NOT NULL DEFAULT '';
    UPDATE turns SET text_hash = sha256(body_terms);
    ALTER TABLE facts ADD COLUMN text_hash TEXT NOT NULL DEFAULT '';
    UPDATE facts SET text_hash = sha256(content);

    -- Rows whose vector may no longer be right. An entry goes once the vectors hold what its row says.
    CREATE TABLE vector_outbox (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, -- a later change of the same row takes a new number
      kind TEXT NOT NULL CHECK (kind IN ('chunk', 'turn', 'fact')),
      item_id TEXT NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      UNIQUE (kind, item_id)
    ) STRICT;

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
    CREATE TRIGGER fact_inserted AFTER INSERT ON facts BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('fact', new.id);
    END;
    CREATE TRIGGER fact_changed AFTER UPDATE OF text_hash, status, forgotten_at ON facts BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('fact', new.id);
    END;
    CREATE TRIGGER fact_deleted AFTER DELETE ON facts BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('fact', old.id);
    END;

    -- Indexes of vectors under vectors/<fingerprint>. One answers; another may be built beside it.
    CREATE TABLE vector_indexes (
      fingerprint TEXT PRIMARY KEY, -- of chunker, embedder and dimensions
      embedder TEXT NOT NULL, -- the setting that names it
      state TEXT NOT NULL CHECK (state IN ('serving', 'building')),
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
};
