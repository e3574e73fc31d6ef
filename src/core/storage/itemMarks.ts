import type { ItemKind } from '../../shared/contract/retrieval.ts';
import type { ItemMark } from '../../shared/contract/traces.ts';
import type { TurnId } from '../../shared/ids.ts';
import type { Db } from './database.ts';

/** What is marked: an item, for what a turn asks. */
export interface MarkedItem {
  turnId: TurnId;
  kind: ItemKind;
  itemId: string;
}

export interface StoredMark extends MarkedItem {
  mark: ItemMark;
}

/** A mark with the question that it was made for: the user messages of its turn, joined. */
export interface QuestionMark extends StoredMark {
  question: string;
}

const QUESTION_MARKS = `SELECT m.turn_id AS turnId, m.kind, m.item_id AS itemId, m.mark,
    (SELECT group_concat(content, char(10, 10)) FROM
      (SELECT content FROM messages WHERE turn_id = m.turn_id AND role = 'user' ORDER BY ordinal)) AS question
  FROM item_marks m JOIN turns t ON t.id = m.turn_id JOIN conversations v ON v.id = t.conversation_id
  WHERE v.removed_at IS NULL`;

/** What the user said of given items. A mark goes with its turn, and is out of use while the turn is. */
export class ItemMarkStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Null takes the mark back. @returns the mark before */
  set({ turnId, kind, itemId }: MarkedItem, mark: ItemMark | null, at: number): ItemMark | null {
    const key = [turnId, kind, itemId] as const;
    return this.#db.transaction(() => {
      const those = 'turn_id = ? AND kind = ? AND item_id = ?';
      const row = this.#db.get<{ mark: ItemMark }>(`SELECT mark FROM item_marks WHERE ${those}`, ...key);
      if (mark === null) this.#db.run(`DELETE FROM item_marks WHERE ${those}`, ...key);
      else
        this.#db.run(
          `INSERT INTO item_marks (turn_id, kind, item_id, mark, at) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET mark = excluded.mark, at = excluded.at WHERE mark <> excluded.mark`,
          ...key,
          mark,
          at,
        );
      return row?.mark ?? null;
    });
  }

  ofTurns(ids: readonly TurnId[]): StoredMark[] {
    return this.#db.all<StoredMark>(
      `SELECT turn_id AS turnId, kind, item_id AS itemId, mark FROM item_marks
       WHERE turn_id IN (SELECT value FROM json_each(?)) ORDER BY turn_id, item_id`,
      JSON.stringify(ids),
    );
  }

  /** How many questions have a mark in use. */
  questions(): number {
    const sql = `SELECT count(DISTINCT turnId) AS n FROM (${QUESTION_MARKS})`;
    return this.#db.get<{ n: number }>(sql)?.n ?? 0;
  }

  /** The latest marks in use, at most `limit`. */
  latest(limit: number): QuestionMark[] {
    return this.#db.all<QuestionMark>(`${QUESTION_MARKS} ORDER BY m.at DESC, m.rowid DESC LIMIT ?`, limit);
  }

  /** The latest marks in use of some items, at most `limit`. */
  ofItems(ids: readonly string[], limit: number): QuestionMark[] {
    // Most users have none, which is known at once.
    if (!this.#db.get('SELECT 1 FROM item_marks LIMIT 1')) return [];
    return this.#db.all<QuestionMark>(
      `${QUESTION_MARKS} AND m.item_id IN (SELECT value FROM json_each(?)) ORDER BY m.at DESC, m.rowid DESC LIMIT ?`,
      JSON.stringify(ids),
      limit,
    );
  }
}
