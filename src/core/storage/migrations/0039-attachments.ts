import type { Migration } from '../migrate.ts';
import { SUMMED, type SummedTable, sumAnew } from './0023-row-sums.ts';

const [blocks, items, ...others] = SUMMED.context;

/** What is summed of what was attached, and of what a turn was given from here on. */
export const SUMMED_ATTACHMENTS = {
  attachment: [
    {
      table: 'attachments',
      key: ['id'],
      columns: ['turn_id', 'ordinal', 'kind', 'name', 'bytes', 'pages', 'hash', 'sections', 'note_id'],
    },
    {
      table: 'attachment_sections',
      key: ['attachment_id'],
      columns: ['id', 'ordinal', 'heading', 'text'],
      order: ['ordinal'],
    },
  ],
  context: [blocks, { ...items, columns: [...items.columns, 'attached'] }, ...others],
} as const satisfies Record<string, readonly SummedTable[]>;

const queue = (where: string): string =>
  `INSERT OR REPLACE INTO vector_outbox (kind, item_id)
     SELECT 'attachment', s.id FROM attachment_sections s JOIN attachments a ON a.id = s.attachment_id
     JOIN turns t ON t.id = a.turn_id WHERE ${where};`;

/**
 * What was attached to messages. Of a file its text is kept, in sections, which are found like turns; its bytes are not. An attached
 * note stays in its vault. Items of a context block know which of them were attached.
 */
export const attachments: Migration = {
  version: 39,
  name: 'attachments',
  sql: `
    CREATE TABLE attachments (
      id TEXT PRIMARY KEY,
      turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL, -- in its turn, from 1
      kind TEXT NOT NULL CHECK (kind IN ('note', 'markdown', 'text', 'pdf')),
      name TEXT NOT NULL, -- of the file, or the note's title
      bytes INTEGER NOT NULL,
      pages INTEGER, -- of a PDF
      hash TEXT NOT NULL, -- SHA-256 of the file's bytes, or of the note's text
      sections INTEGER NOT NULL,
      note_id TEXT, -- of a note
      UNIQUE (turn_id, ordinal)
    ) STRICT;

    CREATE TABLE attachment_sections (
      id TEXT PRIMARY KEY,
      attachment_id TEXT NOT NULL REFERENCES attachments(id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL, -- in its file, from 1
      heading TEXT NOT NULL, -- JSON array; of a PDF, the page
      text TEXT NOT NULL,
      title_terms TEXT NOT NULL DEFAULT '',
      body_terms TEXT NOT NULL DEFAULT '',
      term_count INTEGER NOT NULL DEFAULT 0,
      text_hash TEXT NOT NULL DEFAULT '',
      UNIQUE (attachment_id, ordinal)
    ) STRICT;

    CREATE VIRTUAL TABLE attachment_fts USING fts5(title, body, content='', contentless_delete=1, tokenize='ascii');
    CREATE VIRTUAL TABLE attachment_vocabulary USING fts5vocab(attachment_fts, row);

    CREATE TRIGGER section_inserted AFTER INSERT ON attachment_sections BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('attachment', new.id);
    END;
    CREATE TRIGGER section_changed AFTER UPDATE OF text_hash ON attachment_sections BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('attachment', new.id);
    END;
    CREATE TRIGGER section_deleted AFTER DELETE ON attachment_sections BEGIN
      DELETE FROM attachment_fts WHERE rowid = old.rowid;
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('attachment', old.id);
    END;
    CREATE TRIGGER attachments_removed AFTER UPDATE OF removed_at ON conversations
    WHEN (old.removed_at IS NULL) <> (new.removed_at IS NULL) BEGIN
      ${queue('t.conversation_id = new.id')}
    END;
    CREATE TRIGGER attached_turn_moved AFTER UPDATE OF conversation_id, active ON turns
    WHEN old.conversation_id <> new.conversation_id OR old.active <> new.active BEGIN
      ${queue('t.id = new.id')}
    END;

    -- Of which attachment of its turn an item is a section; 0 for what was retrieved.
    ALTER TABLE context_items ADD COLUMN attached INTEGER NOT NULL DEFAULT 0;

    INSERT INTO text_versions VALUES ('attachment', 1);
    ${sumAnew('attachment', SUMMED_ATTACHMENTS.attachment)}
    ${sumAnew('context', SUMMED_ATTACHMENTS.context)}
  `,
};
