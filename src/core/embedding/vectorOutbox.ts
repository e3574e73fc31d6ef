import { items, type Kind, kindStoredAs } from '../items/index.ts';
import type { Db } from '../storage/database.ts';
import type { Clock } from '../support/clock.ts';

export interface OutboxEntry {
  seq: number;
  kind: Kind;
  id: string;
}

/** What the vector of a row is made from; null if the row was deleted or is not in use. */
export type Embeddable = { hash: string; text: string } | null;

/** An entry that failed this often waits for the next start. */
const MOST_ATTEMPTS = 3;

export type VectorOutbox = ReturnType<typeof createVectorOutbox>;

/** Rows whose vectors are due. Triggers write them in the transaction of each change. */
export function createVectorOutbox(db: Db, clock: Clock) {
  return {
    /** Entries still to be worked on, without those that failed for good. */
    count: (): number =>
      db.get<{ n: number }>('SELECT count(*) AS n FROM vector_outbox WHERE attempts < ?', MOST_ATTEMPTS)?.n ??
      0,
    next: (limit: number): OutboxEntry[] =>
      db
        .all<{ seq: number; kind: string; id: string }>(
          'SELECT seq, kind, item_id AS id FROM vector_outbox WHERE attempts < ? ORDER BY seq LIMIT ?',
          MOST_ATTEMPTS,
          limit,
        )
        .flatMap(({ seq, kind: stored, id }) => {
          const kind = kindStoredAs(stored);
          return kind ? [{ seq, kind, id }] : [];
        }),
    read: ({ kind, id }: OutboxEntry): Embeddable => items[kind].embeddable(db, id, clock.now()),
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
    /** Adds rows; those that are there already keep their place. */
    add: (kind: Kind, ids: readonly string[]): void => {
      db.run(
        'INSERT OR IGNORE INTO vector_outbox (kind, item_id) SELECT ?, value FROM json_each(?)',
        items[kind].storedAs,
        JSON.stringify(ids),
      );
    },
    /** Every row that should have a vector, with the hash of its text. */
    expected: (kind: Kind): Map<string, string> =>
      new Map(
        db
          .all<{ id: string; hash: string }>(items[kind].vectors, { now: clock.now() })
          .map((row) => [row.id, row.hash]),
      ),

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
        // One index answers and one is built, at most.
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
