import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import { sha256 } from '../../support/ids.ts';
import { countTerms } from '../../support/text/tokenise.ts';
import type { Db } from '../database.ts';
import { insertMessages, nextMessageOrdinal } from './messageRows.ts';
import type { NewMessage, TurnRecord } from './records.ts';

interface TurnColumns {
  id: string;
  conversation_id: string;
  ordinal: number;
  active_version: number;
  created_at: number;
}

const COLUMNS = 'id, conversation_id, ordinal, active_version, created_at';

const toTurn = (row: TurnColumns): TurnRecord => ({
  id: row.id as TurnId,
  conversationId: row.conversation_id as ConversationId,
  ordinal: row.ordinal,
  activeVersion: row.active_version,
  createdAt: row.created_at,
});

export interface NewTurn {
  id: TurnId;
  conversationId: ConversationId;
  createdAt: number;
  /** The terms by which it is found, in order, joined by spaces. */
  bodyTerms: string;
  messages: readonly NewMessage[];
}

/** Stores a turn with its messages and its full text. */
function insertTurn(db: Db, turn: NewTurn): void {
  const { title_terms: titleTerms, ordinal } = db.get<{ title_terms: string; ordinal: number }>(
    // A turn that was forgotten keeps its place, in case it comes back.
    `SELECT title_terms, (SELECT coalesce(max(ordinal), 0) + 1 FROM (
         SELECT ordinal FROM turns WHERE conversation_id = v.id
         UNION ALL SELECT ordinal FROM forgotten_turns WHERE conversation_id = v.id)) AS ordinal
     FROM conversations v WHERE id = ?`,
    turn.conversationId,
  ) ?? { title_terms: '', ordinal: 1 };
  const { lastInsertRowid } = db.run(
    `INSERT INTO turns (id, conversation_id, ordinal, created_at, body_terms, text_hash, term_count)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    turn.id,
    turn.conversationId,
    ordinal,
    turn.createdAt,
    turn.bodyTerms,
    sha256(turn.bodyTerms),
    countTerms(turn.bodyTerms),
  );
  db.run(
    'INSERT INTO turn_fts (rowid, title, body) VALUES (?, ?, ?)',
    lastInsertRowid,
    titleTerms,
    turn.bodyTerms,
  );
  insertMessages(db, turn.id, turn.messages);
}

/** Replaces the terms by which a turn is found; does nothing if they are the same or the turn was erased. */
function setTerms(db: Db, id: TurnId, bodyTerms: string): void {
  const row = db.get<{ rowid: number; title_terms: string; body_terms: string }>(
    `SELECT t.rowid, t.body_terms, v.title_terms FROM turns t JOIN conversations v ON v.id = t.conversation_id
     WHERE t.id = ?`,
    id,
  );
  if (!row || row.body_terms === bodyTerms) return;
  db.run(
    'UPDATE turns SET body_terms = ?, text_hash = ?, term_count = ? WHERE id = ?',
    bodyTerms,
    sha256(bodyTerms),
    countTerms(bodyTerms),
    id,
  );
  db.run('DELETE FROM turn_fts WHERE rowid = ?', row.rowid);
  db.run('INSERT INTO turn_fts (rowid, title, body) VALUES (?, ?, ?)', row.rowid, row.title_terms, bodyTerms);
}

/** A page of a conversation's turns: the latest ones, or those before a turn. */
export interface TurnPage {
  /** The oldest first. */
  turns: TurnRecord[];
  /** Are there turns before them? */
  hasMore: boolean;
}

/** The rows of turns, each with its full text. */
export function turnRows(db: Db) {
  return {
    /** Stores a turn with its messages and its full text, in the caller's transaction if there is one. */
    insertTurn: (turn: NewTurn): void => db.transaction(() => insertTurn(db, turn)),

    /** Adds messages that came later to a turn; its terms are the caller's to write. */
    addMessages: (id: TurnId, messages: readonly NewMessage[]): void =>
      db.transaction(() => insertMessages(db, id, messages, nextMessageOrdinal(db, id))),

    turn: (id: TurnId): TurnRecord | undefined => {
      const row = db.get<TurnColumns>(`SELECT ${COLUMNS} FROM turns WHERE id = ?`, id);
      return row && toTurn(row);
    },

    /** Those of `ids` whose conversation is in use, in the order of `ids`. */
    turnsInUse: (ids: readonly TurnId[]): TurnRecord[] =>
      db
        .all<TurnColumns>(
          `SELECT t.id, t.conversation_id, t.ordinal, t.active_version, t.created_at FROM json_each(?) j
           CROSS JOIN turns t ON t.id = j.value JOIN conversations v ON v.id = t.conversation_id
           WHERE v.removed_at IS NULL ORDER BY j.key`,
          JSON.stringify(ids),
        )
        .map(toTurn),

    /** Every turn of a conversation, the oldest first. */
    turns: (id: ConversationId): TurnRecord[] =>
      db
        .all<TurnColumns>(`SELECT ${COLUMNS} FROM turns WHERE conversation_id = ? ORDER BY ordinal`, id)
        .map(toTurn),

    /** The latest `limit` turns of a conversation, or the latest before the turn `before`. */
    turnPage: (id: ConversationId, page: { limit: number; before?: TurnId | undefined }): TurnPage => {
      const rows = db.all<TurnColumns>(
        `SELECT ${COLUMNS} FROM turns WHERE conversation_id = @id
           AND (@before = '' OR ordinal < (SELECT ordinal FROM turns WHERE id = @before AND conversation_id = @id))
         ORDER BY ordinal DESC LIMIT @limit`,
        { id, before: page.before ?? '', limit: page.limit + 1 },
      );
      return { turns: rows.slice(0, page.limit).reverse().map(toTurn), hasMore: rows.length > page.limit };
    },

    setTerms: (id: TurnId, bodyTerms: string): void => db.transaction(() => setTerms(db, id, bodyTerms)),

    setActiveVersion: (id: TurnId, version: number): void => {
      db.run('UPDATE turns SET active_version = ? WHERE id = ?', version, id);
    },

    /** How many turns the conversations in use have. */
    countTurns: (): number =>
      db.get<{ n: number }>(
        'SELECT coalesce(sum(turn_count), 0) AS n FROM conversations WHERE removed_at IS NULL',
      )?.n ?? 0,
  };
}
