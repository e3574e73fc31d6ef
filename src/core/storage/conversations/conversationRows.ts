import { Choices } from '../../../shared/choices.ts';
import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import { parseJson, parseTexts } from '../../../shared/json.ts';
import { tokenise } from '../../support/text/tokenise.ts';
import type { Db } from '../database.ts';
import { arrange, giveUpChildren } from './branches.ts';
import type { ConversationRecord } from './records.ts';

type ConversationColumns = Omit<
  ConversationRecord,
  'pinned' | 'archived' | 'folders' | 'choices' | 'lastMessage'
> & {
  pinned: number;
  archived: number;
  folders: string;
  choices: string;
};

const toConversation = (row: ConversationColumns, lastMessage: LastMessage): ConversationRecord => ({
  ...row,
  folders: parseTexts(row.folders),
  // What is not valid, as after damage, is as elsewhere.
  choices: Choices.catch({}).parse(parseJson(row.choices)),
  lastMessage,
  pinned: row.pinned === 1,
  archived: row.archived === 1,
});

const SELECT = `SELECT v.id, v.channel, v.title, v.turn_count AS turns, v.folders, v.choices, v.created_at AS createdAt,
  v.updated_at AS updatedAt, v.pinned_at IS NOT NULL AS pinned, v.archived_at IS NOT NULL AS archived
  FROM conversations v`;

type LastMessage = ConversationRecord['lastMessage'];

/** Characters of a message that a list shows at most: two lines. */
const LIST_CHARACTERS = 160;
/** Reading the last message takes some 15 µs each: of a list of ten thousand, too long for one that is read with every message. */
const WITH_LAST_MESSAGE = 500;

/** The last message that each of some conversations shows; those that show none are left out. */
function lastMessages(db: Db, ids: readonly ConversationId[]): Map<ConversationId, NonNullable<LastMessage>> {
  const rows = db.all<{ id: ConversationId; last: string | null }>(
    `SELECT v.value AS id, (
       SELECT json_object('role', m.role, 'text', substr(m.content, 1, ${LIST_CHARACTERS}), 'at', m.created_at)
       FROM turns t CROSS JOIN messages m ON m.turn_id = t.id
       WHERE t.conversation_id = v.value AND t.active = 1 AND m.content <> ''
         AND (m.version IS NULL OR m.version = t.active_version)
       ORDER BY t.ordinal DESC, m.version IS NULL, m.ordinal DESC LIMIT 1) AS last
     FROM json_each(?) v`,
    JSON.stringify(ids),
  );
  return new Map(
    rows.flatMap(({ id, last }) =>
      last === null ? [] : [[id, JSON.parse(last) as NonNullable<LastMessage>]],
    ),
  );
}

/** SQL: the folders of the conversation `v`; none after damage, which must not break a list. */
const FOLDERS = "iif(json_valid(v.folders), v.folders, '[]')";

export interface ConversationQuery {
  /** Text of the title, or words that one of its turns holds; empty for every conversation. */
  text: string;
  channel?: string | undefined;
  /** Only those tied to this folder, as `folderPath` gives it. */
  folder?: string | undefined;
  /** Only those put away, instead of only the others. */
  archived: boolean;
  /** As many as there are, if left out. */
  limit?: number | undefined;
  /** Only those that come after this one in the list. */
  after?: ConversationId | undefined;
}

/** Conversations in use, pinned ones first, then the latest. The first 500 come with their last message. */
export function listConversations(db: Db, query: ConversationQuery): ConversationRecord[] {
  const matching = query.text === '' ? null : prefixQuery(query.text);
  const found = `(v.title LIKE @like ESCAPE '\\'${
    matching === null
      ? ''
      : ` OR v.id IN (SELECT t.conversation_id FROM turn_fts JOIN turns t ON t.rowid = turn_fts.rowid
                      WHERE turn_fts MATCH @matching)`
  })`;
  const rows = db.all<ConversationColumns>(
    `${SELECT} WHERE v.removed_at IS NULL AND (v.archived_at IS NOT NULL) = @archived
         AND (@channel = '' OR v.channel = @channel)
         AND (@folder = '' OR EXISTS (SELECT 1 FROM json_each(${FOLDERS}) f WHERE f.value = @folder))
         AND ${query.text === '' ? '1' : found}
         AND (@after = '' OR (v.pinned_at IS NULL, -v.updated_at, v.id) >
           (SELECT pinned_at IS NULL, -updated_at, id FROM conversations WHERE id = @after))
       ORDER BY v.pinned_at IS NULL, v.updated_at DESC, v.id LIMIT @limit`,
    {
      channel: query.channel ?? '',
      folder: query.folder ?? '',
      archived: query.archived ? 1 : 0,
      after: query.after ?? '',
      limit: query.limit ?? -1,
      ...(query.text === '' ? {} : { like: `%${query.text.replace(/[\\%_]/g, '\\$&')}%` }),
      ...(matching === null ? {} : { matching }),
    },
  );
  const last = lastMessages(
    db,
    rows.slice(0, WITH_LAST_MESSAGE).map(({ id }) => id),
  );
  return rows.map((row) => toConversation(row, last.get(row.id) ?? null));
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

    /** The folders that conversations in use are tied to, those of most of them first. */
    folders: (): { folder: string; conversations: number }[] =>
      db.all(
        `SELECT f.value AS folder, count(*) AS conversations FROM conversations v, json_each(${FOLDERS}) f
         WHERE v.removed_at IS NULL AND v.archived_at IS NULL GROUP BY f.value ORDER BY conversations DESC, folder`,
      ),

    /** The models that conversations name, each once. */
    chosenModels: (): string[] =>
      db
        .all<{ model: string | null }>(
          `SELECT DISTINCT json_extract(choices, '$.model') AS model FROM conversations
           WHERE removed_at IS NULL AND json_valid(choices) AND json_type(choices, '$.model') = 'text'`,
        )
        .flatMap(({ model }) => model ?? []),
    setChoices: (id: ConversationId, choices: Choices): void => {
      db.run('UPDATE conversations SET choices = ? WHERE id = ?', JSON.stringify(choices), id);
    },

    setFolders: (id: ConversationId, folders: readonly string[]): void => {
      db.run('UPDATE conversations SET folders = ? WHERE id = ?', JSON.stringify(folders), id);
    },

    /** Undefined if it was removed. */
    get: (id: ConversationId): ConversationRecord | undefined => {
      const row = db.get<ConversationColumns>(`${SELECT} WHERE v.id = ? AND v.removed_at IS NULL`, id);
      return row && toConversation(row, lastMessages(db, [id]).get(id) ?? null);
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
