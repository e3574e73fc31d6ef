import type { TurnSource } from '../../../shared/contract/chat.ts';
import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import { parseTexts } from '../../../shared/json.ts';
import { sha256 } from '../../support/ids.ts';
import { countTerms } from '../../support/text/tokenise.ts';
import type { Db } from '../database.ts';
import {
  arrange,
  endOfPath,
  isContinued,
  nextPick,
  type Standing,
  setActiveVersion,
  showTurn,
  standBehind,
  type TurnPlace,
  writeFullText,
} from './branches.ts';
import { insertMessages, nextMessageOrdinal } from './messageRows.ts';
import type { NewMessage, TurnRecord } from './records.ts';

interface TurnColumns {
  id: string;
  conversation_id: string;
  ordinal: number;
  active_version: number;
  parent_id: string | null;
  parent_version: number | null;
  active: number;
  fork: string | null;
  replaced: number;
  source: TurnSource;
  folders: string;
  created_at: number;
}

const COLUMNS =
  't.id, t.conversation_id, t.ordinal, t.active_version, t.parent_id, t.parent_version, t.active, t.fork, t.replaced, t.source, t.folders, t.created_at';

const toTurn = (row: TurnColumns): TurnRecord => ({
  id: row.id as TurnId,
  conversationId: row.conversation_id as ConversationId,
  ordinal: row.ordinal,
  activeVersion: row.active_version,
  parentId: row.parent_id as TurnId | null,
  parentVersion: row.parent_version,
  isActive: row.active === 1,
  isReplaced: row.replaced === 1,
  fork: row.fork as TurnId | null,
  source: row.source,
  folders: parseTexts(row.folders),
  createdAt: row.created_at,
});

export interface NewTurn {
  id: TurnId;
  conversationId: ConversationId;
  createdAt: number;
  /** 'user' if left out. */
  source?: TurnSource;
  /** The terms by which it is found, in order, joined by spaces. */
  bodyTerms: string;
  messages: readonly NewMessage[];
  /** Where it is said; at the end of the active path, if left out. */
  at?: TurnPlace;
  /** What is shown stays so: the turn stands behind those said at the same place, and is shown only if there is none. */
  keepsPath?: boolean;
}

/** The terms by which a turn is found, joined by spaces; the last `tools` of them are of the tools that its reply called. */
export interface TurnTerms {
  body: string;
  tools: number;
}

/** Stores a turn with its messages and its full text, and shows it unless that is to stay as it is. */
function insertTurn(db: Db, turn: NewTurn): void {
  const {
    title_terms: titleTerms,
    ordinal,
    folders,
  } = db.get<{
    title_terms: string;
    ordinal: number;
    folders: string;
  }>(
    // A turn that was forgotten keeps its place, in case it comes back.
    `SELECT title_terms, folders, (SELECT coalesce(max(ordinal), 0) + 1 FROM (
         SELECT ordinal FROM turns WHERE conversation_id = v.id
         UNION ALL SELECT ordinal FROM forgotten_turns WHERE conversation_id = v.id)) AS ordinal
     FROM conversations v WHERE id = ?`,
    turn.conversationId,
  ) ?? { title_terms: '', ordinal: 1, folders: '[]' };
  const place = turn.at ?? endOfPath(db, turn.conversationId);
  const { picked, active, fork, toArrange }: Standing = turn.keepsPath
    ? standBehind(db, turn.conversationId, place)
    : {
        picked: nextPick(db, turn.conversationId, place),
        active: true,
        fork: null,
        toArrange: turn.at !== undefined,
      };
  const { lastInsertRowid } = db.run(
    `INSERT INTO turns (id, conversation_id, ordinal, parent_id, parent_version, picked, source, folders, created_at, body_terms, text_hash,
       term_count, active, fork, replaced)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    turn.id,
    turn.conversationId,
    ordinal,
    place.parentId,
    place.parentVersion,
    picked,
    turn.source ?? 'user',
    folders,
    turn.createdAt,
    turn.bodyTerms,
    sha256(turn.bodyTerms),
    countTerms(turn.bodyTerms),
    active ? 1 : 0,
    fork,
    fork === null ? 0 : 1,
  );
  // Beside the first one that a turn is stored behind, there was nothing to switch to so far.
  if (fork !== null) db.run('UPDATE turns SET fork = id WHERE id = ? AND fork IS NULL', fork);
  if (active)
    db.run(
      'INSERT INTO turn_fts (rowid, title, body) VALUES (?, ?, ?)',
      lastInsertRowid,
      titleTerms,
      turn.bodyTerms,
    );
  insertMessages(db, turn.id, turn.messages);
  if (toArrange) arrange(db, turn.conversationId);
}

/** Replaces the terms by which a turn is found; does nothing if they are the same or the turn was erased. */
function setTerms(db: Db, id: TurnId, { body, tools }: TurnTerms): void {
  const row = db.get<{ body_terms: string; tool_terms: number }>(
    'SELECT body_terms, tool_terms FROM turns WHERE id = ?',
    id,
  );
  if (!row || (row.body_terms === body && row.tool_terms === tools)) return;
  db.run(
    'UPDATE turns SET body_terms = ?, text_hash = ?, term_count = ?, tool_terms = ? WHERE id = ?',
    body,
    sha256(body),
    countTerms(body),
    tools,
    id,
  );
  writeFullText(db, [id]);
}

/** A page of a conversation's active path: the latest turns, or those before a turn. */
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
      const row = db.get<TurnColumns>(`SELECT ${COLUMNS} FROM turns t WHERE t.id = ?`, id);
      return row && toTurn(row);
    },

    /** Those of `ids` whose conversation is in use, in the order of `ids`, on whatever branch they are. */
    turnsInUse: (ids: readonly TurnId[]): TurnRecord[] =>
      db
        .all<TurnColumns>(
          `SELECT ${COLUMNS} FROM json_each(?) j
           CROSS JOIN turns t ON t.id = j.value JOIN conversations v ON v.id = t.conversation_id
           WHERE v.removed_at IS NULL ORDER BY j.key`,
          JSON.stringify(ids),
        )
        .map(toTurn),

    /** Every turn of a conversation, on whatever branch, in the order in which they were made. */
    turns: (id: ConversationId): TurnRecord[] =>
      db
        .all<TurnColumns>(`SELECT ${COLUMNS} FROM turns t WHERE t.conversation_id = ? ORDER BY t.ordinal`, id)
        .map(toTurn),

    /** The turns of a conversation's active path, the oldest first. */
    activeTurns: (id: ConversationId): TurnRecord[] =>
      db
        .all<TurnColumns>(
          `SELECT ${COLUMNS} FROM turns t WHERE t.conversation_id = ? AND t.active = 1 ORDER BY t.ordinal`,
          id,
        )
        .map(toTurn),

    /**
     * How often turns have left the active path of a conversation or come back to it: while the number is the same, turns were only
     * added at its end. Not exported; 0 for a conversation that does not exist.
     */
    pathChanges: (id: ConversationId): number =>
      db.get<{ n: number }>('SELECT path_changes AS n FROM conversations WHERE id = ?', id)?.n ?? 0,

    /**
     * A turn and those that it was said after, `most` at most, the oldest first. On whatever branch it is: where it is known to be on the
     * active path, that is cheaper to read.
     */
    chain: (id: TurnId, most: number): TurnId[] =>
      db
        .all<{ id: TurnId }>(
          `WITH RECURSIVE chain(id, parent_id, conversation_id, depth) AS (
             SELECT id, parent_id, conversation_id, 1 FROM turns WHERE id = @id
             UNION ALL
             SELECT t.id, t.parent_id, t.conversation_id, c.depth + 1 FROM chain c JOIN turns t ON t.id = c.parent_id
             WHERE c.depth < @most
           )
           SELECT c.id FROM chain c WHERE c.conversation_id = (SELECT conversation_id FROM turns WHERE id = @id)
           ORDER BY c.depth DESC`,
          { id, most },
        )
        .map((row) => row.id),

    /** For each of some turns that the user can switch from, all those between which that is, in the order in which they were made. */
    siblings: (forks: readonly TurnId[]): Map<TurnId, TurnId[]> => {
      const rows = db.all<{ id: TurnId; fork: TurnId }>(
        'SELECT t.id, t.fork FROM json_each(?) j CROSS JOIN turns t ON t.fork = j.value ORDER BY t.fork, t.ordinal',
        JSON.stringify([...new Set(forks)]),
      );
      return new Map(
        [...Map.groupBy(rows, ({ fork }) => fork)].map(([fork, some]) => [fork, some.map(({ id }) => id)]),
      );
    },

    /**
     * Makes the path through a turn the active one.
     * @returns turns that show another version of their reply now: their terms are the caller's to write
     */
    showTurn: (turn: Pick<TurnRecord, 'id' | 'conversationId'>): TurnId[] =>
      db.transaction(() => showTurn(db, turn.conversationId, turn.id)),

    isContinued: (place: TurnPlace): boolean => isContinued(db, place),

    /** Does the active path of a conversation hold turns that were not imported? */
    hasOwnTurns: (id: ConversationId): boolean =>
      db.get(
        "SELECT 1 FROM turns WHERE conversation_id = ? AND active = 1 AND source <> 'import' LIMIT 1",
        id,
      ) !== undefined,

    /** The latest `limit` turns of a conversation's active path, or the latest before the turn `before`. */
    turnPage: (id: ConversationId, page: { limit: number; before?: TurnId | undefined }): TurnPage => {
      const rows = db.all<TurnColumns>(
        `SELECT ${COLUMNS} FROM turns t WHERE t.conversation_id = @id AND t.active = 1
           AND (@before = '' OR t.ordinal < (SELECT ordinal FROM turns WHERE id = @before AND conversation_id = @id))
         ORDER BY t.ordinal DESC LIMIT @limit`,
        { id, before: page.before ?? '', limit: page.limit + 1 },
      );
      return { turns: rows.slice(0, page.limit).reverse().map(toTurn), hasMore: rows.length > page.limit };
    },

    setTerms: (id: TurnId, terms: TurnTerms): void => db.transaction(() => setTerms(db, id, terms)),

    /** Shows a version of a turn's reply, with what was said after it. */
    setActiveVersion: (id: TurnId, version: number): void =>
      db.transaction(() => setActiveVersion(db, id, version)),

    /** How many turns the active paths of conversations in use have. */
    countTurns: (): number =>
      db.get<{ n: number }>(
        'SELECT coalesce(sum(turn_count), 0) AS n FROM conversations WHERE removed_at IS NULL',
      )?.n ?? 0,
  };
}
