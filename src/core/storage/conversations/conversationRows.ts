import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import { tokenise } from '../../support/text/tokenise.ts';
import type { Db } from '../database.ts';
import { arrange, giveUpChildren } from './branches.ts';
import type { ConversationRecord } from './records.ts';

type ConversationColumns = Omit<ConversationRecord, 'pinned' | 'archived'> & {
  pinned: number;
  archived: number;
};

const toConversation = (row: ConversationColumns): ConversationRecord => ({
  ...row,
  pinned: row.pinned === 1,
  archived: row.archived === 1,
});

const SELECT = `SELECT v.id, v.channel, v.title, v.turn_count AS turns, v.created_at AS createdAt,
  v.updated_at AS updatedAt, v.pinned_at IS NOT NULL AS pinned, v.archived_at IS NOT NULL AS archived
  FROM conversations v`;

export interface ConversationQuery {
  /** Text of the title, or words that one of its turns holds; empty for every conversation. */
  text: string;
  channel?: string | undefined;
  /** Only those put away, instead of only the others. */
  archived: boolean;
  /** As many as there are, if left out. */
  limit?: number | undefined;
  /** Only those that come after this one in the list. */
  after?: ConversationId | undefined;
}

/** Conversations in use, pinned ones first, then the latest. */
export function listConversations(db: Db, query: ConversationQuery): ConversationRecord[] {
  const matching = query.text === '' ? null : prefixQuery(query.text);
  const found = `(v.title LIKE @like ESCAPE '\\'${
    matching === null
      ? ''
      : ` OR v.id IN (SELECT t.conversation_id FROM turn_fts JOIN turns t ON t.rowid = turn_fts.rowid
                      WHERE turn_fts MATCH @matching)`
  })`;
  return db
    .all<ConversationColumns>(
      `${SELECT} WHERE v.removed_at IS NULL AND (v.archived_at IS NOT NULL) = @archived
         AND (@channel = '' OR v.channel = @channel) AND ${query.text === '' ? '1' : found}
         AND (@after = '' OR (v.pinned_at IS NULL, -v.updated_at, v.id) >
           (SELECT pinned_at IS NULL, -updated_at, id FROM conversations WHERE id = @after))
       ORDER BY v.pinned_at IS NULL, v.updated_at DESC, v.id LIMIT @limit`,
      {
        channel: query.channel ?? '',
        archived: query.archived ? 1 : 0,
        after: query.after ?? '',
        limit: query.limit ?? -1,
        ...(query.text === '' ? {} : { like: `%${query.text.replace(/[\\%_]/g, '\\$&')}%` }),
        ...(matching === null ? {} : { matching }),
      },
    )
    .map(toConversation);
}

/**
 * An FTS5 query for rows that hold every word of a text, or a word that begins with it; null if the text has no word. A stem is
 * looked for beside each word, since the index holds stems.
 */
function prefixQuery(text: string): string | null {
  const words = tokenise(text).map(({ word, term }) =>
    term.startsWith(word) ? `"${word}"*` : `("${word}"* OR "${term}"*)`,
  );
  return words.length === 0 ? null : words.join(' AND ');
}

/** The rows of conversations. What is removed stays until its undo period ends, and is not in use meanwhile. */
export function conversationRows(db: Db) {
  return {
    list: (query: ConversationQuery): ConversationRecord[] => listConversations(db, query),

    /** Channels of conversations in use, the fullest first; how many conversations are put away. */
    channels: (): { channels: { channel: string; conversations: number }[]; archived: number } => ({
      channels: db.all(
        `SELECT channel, count(*) AS conversations FROM conversations
         WHERE removed_at IS NULL AND archived_at IS NULL GROUP BY channel ORDER BY conversations DESC, channel`,
      ),
      archived:
        db.get<{ n: number }>(
          'SELECT count(*) AS n FROM conversations WHERE removed_at IS NULL AND archived_at IS NOT NULL',
        )?.n ?? 0,
    }),

    /** Undefined if it was removed. */
    get: (id: ConversationId): ConversationRecord | undefined => {
      const row = db.get<ConversationColumns>(`${SELECT} WHERE v.id = ? AND v.removed_at IS NULL`, id);
      return row && toConversation(row);
    },

    /** Is the id taken, by a removed conversation too? */
    exists: (id: ConversationId): boolean =>
      db.get<{ id: string }>('SELECT id FROM conversations WHERE id = ?', id) !== undefined,

    insert: (conversation: {
      id: ConversationId;
      channel: string;
      title: string;
      titleTerms: string;
      createdAt: number;
    }): void => {
      db.run(
        'INSERT INTO conversations (id, channel, title, title_terms, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
        conversation.id,
        conversation.channel,
        conversation.title,
        conversation.titleTerms,
        conversation.createdAt,
        conversation.createdAt,
      );
    },

    /** Pins, puts away or moves a conversation, or undoes it. What was already so keeps its time; what came of it moves along. */
    place: (
      id: ConversationId,
      place: { channel: string; pinned: boolean; archived: boolean; at: number },
    ): void =>
      db.transaction(() => {
        db.run(
          `UPDATE conversations SET channel = @channel,
             pinned_at = iif(@pinned, coalesce(pinned_at, @at), NULL),
             archived_at = iif(@archived, coalesce(archived_at, @at), NULL) WHERE id = @id`,
          { ...place, id, pinned: place.pinned ? 1 : 0, archived: place.archived ? 1 : 0 },
        );
        for (const table of ['facts', 'memory_retrievals']) {
          db.run(
            `UPDATE ${table} SET channel = @channel WHERE channel IS NOT @channel
               AND turn_id IN (SELECT id FROM turns WHERE conversation_id = @id)`,
            { channel: place.channel, id },
          );
        }
      }),

    /** Renames a conversation, in the full text of its turns too. */
    setTitle: (id: ConversationId, title: string, titleTerms: string): void =>
      db.transaction(() => {
        db.run('UPDATE conversations SET title = ?, title_terms = ? WHERE id = ?', title, titleTerms, id);
        db.run('DELETE FROM turn_fts WHERE rowid IN (SELECT rowid FROM turns WHERE conversation_id = ?)', id);
        db.run(
          `INSERT INTO turn_fts (rowid, title, body)
           SELECT rowid, ?, body_terms FROM turns WHERE conversation_id = ? AND active = 1`,
          titleTerms,
          id,
        );
      }),

    touch: (id: ConversationId, at: number): void => {
      db.run('UPDATE conversations SET updated_at = max(updated_at, ?) WHERE id = ?', at, id);
    },

    setRemovedAt: (id: ConversationId, at: number | null): boolean =>
      db.run('UPDATE conversations SET removed_at = ? WHERE id = ?', at, id).changes > 0,

    /** Brings back a removed conversation; false if it was not removed. */
    restore: (id: ConversationId): boolean =>
      db.run('UPDATE conversations SET removed_at = NULL WHERE id = ? AND removed_at IS NOT NULL', id)
        .changes > 0,

    /**
     * Erases conversations removed before `before`, full text included, with `most` turns or those of one; what was removed first.
     * Returns how many.
     */
    purgeRemoved: (before: number, most = Number.MAX_SAFE_INTEGER): number =>
      db.transaction(() => {
        const rows = db.all<{ id: string }>(
          `SELECT id FROM (SELECT id, sum(max(turns, 1)) OVER (ORDER BY removed_at, id) - max(turns, 1) AS ahead
             FROM (SELECT v.id, v.removed_at, (SELECT count(*) FROM turns t WHERE t.conversation_id = v.id) AS turns
                   FROM conversations v WHERE v.removed_at < ?)) WHERE ahead < ?`,
          before,
          most,
        );
        const due = JSON.stringify(rows.map(({ id }) => id));
        const turns = 'SELECT t.id FROM turns t WHERE t.conversation_id IN (SELECT value FROM json_each(?))';
        db.run(`DELETE FROM turn_fts WHERE rowid IN (SELECT rowid FROM turns WHERE id IN (${turns}))`, due);
        // The id of an imported turn is that of its file: if the file is imported again with other words, blocks that quote the former
        // words must not hold.
        for (const table of ['context_items', 'tool_items'])
          db.run(`UPDATE ${table} SET text_hash = '' WHERE kind = 'turn' AND item_id IN (${turns})`, due);
        const ids = db.all<{ id: TurnId }>(turns, due).map(({ id }) => id);
        const changed = giveUpChildren(db, ids);
        const { changes } = db.run(
          'DELETE FROM conversations WHERE id IN (SELECT value FROM json_each(?))',
          due,
        );
        for (const id of changed) arrange(db, id);
        return changes;
      }),
  };
}
