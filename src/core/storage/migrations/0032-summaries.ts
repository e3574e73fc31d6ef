import type { Migration } from '../migrate.ts';
import { type SummedTable, sumAnew } from './0023-row-sums.ts';

/** What is summed of summaries: what a model or the user wrote cannot be derived. */
export const SUMMED_SUMMARIES = {
  summary: [
    {
      table: 'summaries',
      key: ['id'],
      columns: [
        'conversation_id',
        'level',
        'parent_id',
        'text',
        'findings',
        'files',
        'tools',
        'topics',
        'characters',
        'made_by',
        'made_from',
        'created_at',
        'updated_at',
        'removed_at',
      ],
    },
    { table: 'summary_turns', key: ['summary_id'], columns: ['turn_id'], order: ['turn_id'] },
  ],
} as const satisfies Record<string, readonly SummedTable[]>;

/** SQL that notes that a conversation's summaries may no longer hang together as they did. */
const note = (conversation: string): string =>
  `INSERT INTO summaries_due VALUES (${conversation}, '', 0) ON CONFLICT DO NOTHING;`;
const drop = (turn: string): string =>
  `DELETE FROM summaries WHERE id IN (SELECT summary_id FROM summary_turns WHERE turn_id = ${turn});`;
const noteTurns = (condition: string): string =>
  `INSERT INTO summaries_due SELECT conversation_id, id, created_at FROM turns WHERE ${condition} ON CONFLICT DO NOTHING;`;

/**
 * Summaries of turns and of summaries. What a turn says changes only with its messages and with the version of its reply that is
 * shown: triggers then delete every summary made of it and note that it is due, so that no writer can forget it. A turn that only leaves its
 * conversation or its active path, as one that was forgotten or another branch was chosen, takes its summaries out of use by their condition, and brings them back.
 */
export const summaries: Migration = {
  version: 32,
  name: 'summaries',
  sql: `
    CREATE TABLE summaries (
      id TEXT PRIMARY KEY,
      conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
      level INTEGER NOT NULL CHECK (level >= 1), -- 1 of a turn; more of summaries
      -- The summary that this one was rolled up into; an import brings rows in any order.
      parent_id TEXT REFERENCES summaries(id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
      text TEXT NOT NULL,
      findings TEXT NOT NULL, -- JSON array, as are the next three
      files TEXT NOT NULL, -- and notes, as they were named
      tools TEXT NOT NULL,
      topics TEXT NOT NULL,
      characters INTEGER NOT NULL, -- of the turns behind it
      made_by TEXT NOT NULL CHECK (made_by IN ('rules', 'model', 'user')),
      made_from TEXT NOT NULL, -- JSON array: what its turns' replies were made from
      sent_text TEXT, -- as it stands in the conversation's prompts, if that is another text by now
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      removed_at INTEGER, -- when the user deleted it; its text is gone, and it is not made again
      body_terms TEXT NOT NULL DEFAULT '',
      term_count INTEGER NOT NULL DEFAULT 0,
      text_hash TEXT NOT NULL DEFAULT ''
    ) STRICT;
    CREATE INDEX summaries_by_conversation ON summaries (conversation_id, level);
    CREATE INDEX summaries_by_parent ON summaries (parent_id) WHERE parent_id IS NOT NULL;
    CREATE INDEX summaries_not_rolled_up ON summaries (conversation_id) WHERE parent_id IS NULL;

    -- The turns behind each summary, whatever its level.
    CREATE TABLE summary_turns (
      summary_id TEXT NOT NULL REFERENCES summaries(id) ON DELETE CASCADE,
      turn_id TEXT NOT NULL,
      PRIMARY KEY (summary_id, turn_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX summary_turns_by_turn ON summary_turns (turn_id);

    -- Turns to be summarised; '' for a conversation whose summaries no longer hang together as they did.
    CREATE TABLE summaries_due (
      conversation_id TEXT NOT NULL,
      turn_id TEXT NOT NULL,
      at INTEGER NOT NULL, -- of the turn: the latest is summarised first
      PRIMARY KEY (conversation_id, turn_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX summaries_due_by_time ON summaries_due (at);

    CREATE VIRTUAL TABLE summary_fts USING fts5(body, content='', contentless_delete=1, tokenize='ascii');
    CREATE VIRTUAL TABLE summary_vocabulary USING fts5vocab(summary_fts, row);

    CREATE TRIGGER summary_inserted AFTER INSERT ON summaries BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('summary', new.id);
    END;
    CREATE TRIGGER summary_changed AFTER UPDATE OF text_hash, removed_at ON summaries BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('summary', new.id);
    END;
    CREATE TRIGGER summary_deleted AFTER DELETE ON summaries BEGIN
      DELETE FROM summary_fts WHERE rowid = old.rowid;
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('summary', old.id);
    END;
    CREATE TRIGGER summaries_removed AFTER UPDATE OF removed_at ON conversations
    WHEN (old.removed_at IS NULL) <> (new.removed_at IS NULL) BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id)
        SELECT 'summary', id FROM summaries WHERE conversation_id = new.id;
    END;
    -- What was not done before it was removed is done once it is back.
    CREATE TRIGGER unsummarised_restored AFTER UPDATE OF removed_at ON conversations
    WHEN old.removed_at IS NOT NULL AND new.removed_at IS NULL BEGIN
      ${noteTurns('conversation_id = new.id')} ${note('new.id')}
    END;

    CREATE TRIGGER turn_unsummarised AFTER INSERT ON turns BEGIN ${noteTurns('id = new.id')} END;
    CREATE TRIGGER turn_shown_otherwise AFTER UPDATE OF active_version ON turns
    WHEN old.active_version <> new.active_version BEGIN
      ${drop('new.id')} ${noteTurns('id = new.id')} ${note('new.conversation_id')}
    END;
    CREATE TRIGGER summarised_turn_moved AFTER UPDATE OF conversation_id, active ON turns
    WHEN old.conversation_id <> new.conversation_id OR old.active <> new.active BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id)
        SELECT 'summary', summary_id FROM summary_turns WHERE turn_id = new.id;
      ${note('old.conversation_id')} ${noteTurns('id = new.id')} ${note('new.conversation_id')}
    END;
    CREATE TRIGGER turn_unsaid AFTER DELETE ON turns BEGIN
      ${drop('old.id')} ${note('old.conversation_id')}
    END;
    CREATE TRIGGER message_said AFTER INSERT ON messages WHEN new.content <> '' BEGIN
      ${drop('new.turn_id')} ${noteTurns('id = new.turn_id')}
    END;
    CREATE TRIGGER message_said_otherwise AFTER UPDATE OF content, state, author ON messages
    WHEN old.content <> new.content OR old.state <> new.state OR old.author IS NOT new.author BEGIN
      ${drop('new.turn_id')} ${noteTurns('id = new.turn_id')}
    END;
    CREATE TRIGGER message_unsaid AFTER DELETE ON messages WHEN old.content <> '' BEGIN
      ${drop('old.turn_id')} ${noteTurns('id = old.turn_id')}
    END;

    INSERT INTO text_versions VALUES ('summary', 1);
    INSERT INTO summaries_due SELECT conversation_id, id, created_at FROM turns;
    ${sumAnew('summary', SUMMED_SUMMARIES.summary)}
  `,
};
