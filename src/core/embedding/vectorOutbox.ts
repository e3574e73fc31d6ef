import type { TurnId } from '../../shared/ids.ts';
import type { TextIndex } from '../items/kinds.ts';
import { turnText } from '../items/turnText.ts';
import type { ConversationStore } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import { toPlainText } from '../support/text/plainText.ts';

export interface OutboxEntry {
  seq: number;
  kind: TextIndex;
  id: string;
}

/** What the vector of a row is made from; null where the row wants none any more. */
export type Embeddable = { hash: string; text: string } | null;

/** An entry that failed so often waits for the next start. */
const MOST_ATTEMPTS = 3;

const IN_USE = "status = 'current' AND forgotten_at IS NULL";

export type VectorOutbox = ReturnType<typeof createVectorOutbox>;

/** Rows whose vectors are due, as triggers wrote them down in the transaction of each change. */
export function createVectorOutbox(db: Db, conversations: ConversationStore) {
  const read: Record<TextIndex, (id: string) => Embeddable> = {
    chunk: (id) => {
      const row = db.get<{ text_hash: string; heading: string; markdown: string }>(
        'SELECT text_hash, heading, markdown FROM chunks WHERE id = ?',
        id,
      );
      if (!row) return null;
      const heading = (JSON.parse(row.heading) as string[]).join(' › ');
      return { hash: row.text_hash, text: `${heading}\n${toPlainText(row.markdown)}` };
    },
    turn: (id) => {
      const row = db.get<{ text_hash: string }>('SELECT text_hash FROM turns WHERE id = ?', id);
      return row
        ? { hash: row.text_hash, text: turnText(db, id as TurnId, conversations.messages(id as TurnId)) }
        : null;
    },
    fact: (id) => {
      const row = db.get<{ text_hash: string; content: string }>(
        `SELECT text_hash, content FROM facts WHERE id = ? AND ${IN_USE}`,
        id,
      );
      return row ? { hash: row.text_hash, text: row.content } : null;
    },
  };
  return {
    /** Entries still to be worked on, those that failed for good left out. */
    count: (): number =>
      db.get<{ n: number }>('SELECT count(*) AS n FROM vector_outbox WHERE attempts < ?', MOST_ATTEMPTS)?.n ??
      0,
    next: (limit: number): OutboxEntry[] =>
      db.all<OutboxEntry>(
        'SELECT seq, kind, item_id AS id FROM vector_outbox WHERE attempts < ? ORDER BY seq LIMIT ?',
        MOST_ATTEMPTS,
        limit,
      ),
    read: ({ kind, id }: OutboxEntry): Embeddable => read[kind](id),
    /** A row that changed meanwhile has a new number, and stays. */
    done: (entries: readonly OutboxEntry[]): void => {
      db.run(
        'DELETE FROM vector_outbox WHERE seq IN (SELECT value FROM json_each(?))',
        JSON.stringify(entries.map((entry) => entry.seq)),
      );
    },
    failed: (entries: readonly OutboxEntry[]): void => {
      db.run(
        'UPDATE vector_outbox SET attempts = attempts + 1 WHERE seq IN (SELECT value FROM json_each(?))',
        JSON.stringify(entries.map((entry) => entry.seq)),
      );
    },
    /** Gives what failed before another chance. */
    retry: (): void => {
      db.run('UPDATE vector_outbox SET attempts = 0 WHERE attempts > 0');
    },
    /** Rows that are there already keep their place. */
    add: (kind: TextIndex, ids: readonly string[]): void => {
      db.run(
        'INSERT OR IGNORE INTO vector_outbox (kind, item_id) SELECT ?, value FROM json_each(?)',
        kind,
        JSON.stringify(ids),
      );
    },
    /** Every row that wants a vector, with the hash of its text. */
    wanted: (kind: TextIndex): Map<string, string> => {
      const sql = {
        chunk: 'SELECT id, text_hash FROM chunks',
        turn: 'SELECT id, text_hash FROM turns',
        fact: `SELECT id, text_hash FROM facts WHERE ${IN_USE}`,
      }[kind];
      return new Map(db.all<{ id: string; text_hash: string }>(sql).map((row) => [row.id, row.text_hash]));
    },

    /** Indexes of vectors that are on the disk, or should be. */
    indexes: () =>
      db.all<{ fingerprint: string; embedder: string; state: 'serving' | 'building' }>(
        'SELECT fingerprint, embedder, state FROM vector_indexes',
      ),
    setIndex: (index: {
      fingerprint: string;
      embedder: string;
      state: 'serving' | 'building';
      at: number;
    }): void =>
      db.transaction(() => {
        // One answers and one is built, at most.
        db.run(
          'DELETE FROM vector_indexes WHERE state = ? OR fingerprint = ?',
          index.state,
          index.fingerprint,
        );
        db.run(
          'INSERT INTO vector_indexes (fingerprint, embedder, state, created_at) VALUES (?, ?, ?, ?)',
          index.fingerprint,
          index.embedder,
          index.state,
          index.at,
        );
      }),
  };
}
