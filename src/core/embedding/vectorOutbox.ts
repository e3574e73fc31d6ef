import { items, KINDS, type Kind, kindStoredAs } from '../items/index.ts';
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

/** Entries of kinds that nothing describes stay where they are. */
const OF_KNOWN_KIND = `kind IN (${KINDS.map((kind) => `'${items[kind].storedAs}'`).join(', ')})`;

/** An index of vectors as SQLite knows it. */
export interface KnownIndex {
  fingerprint: string;
  /** The value of the setting that names its embedder. */
  embedder: string;
}

/** Rows whose vectors are due. Triggers write them in the transaction of each change. */
export class VectorOutbox {
  readonly #db: Db;
  readonly #clock: Clock;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Entries still to be worked on, without those that failed for good. */
  count(): number {
    const sql = `SELECT count(*) AS n FROM vector_outbox WHERE attempts < ? AND ${OF_KNOWN_KIND}`;
    return this.#db.get<{ n: number }>(sql, MOST_ATTEMPTS)?.n ?? 0;
  }

  /** The oldest of these entries. */
  next(limit: number): OutboxEntry[] {
    return this.#entries('attempts < ?', limit);
  }

  /** How many entries failed for good: their texts have no vector until they change. */
  failedCount(): number {
    const sql = `SELECT count(*) AS n FROM vector_outbox WHERE attempts >= ? AND ${OF_KNOWN_KIND}`;
    return this.#db.get<{ n: number }>(sql, MOST_ATTEMPTS)?.n ?? 0;
  }

  /** Entries that failed for good. */
  failures(): OutboxEntry[] {
    return this.#entries('attempts >= ?', -1);
  }

  #entries(condition: string, limit: number): OutboxEntry[] {
    return this.#db
      .all<{ seq: number; kind: string; id: string }>(
        `SELECT seq, kind, item_id AS id FROM vector_outbox WHERE ${condition} AND ${OF_KNOWN_KIND} ORDER BY seq LIMIT ?`,
        MOST_ATTEMPTS,
        limit,
      )
      .flatMap(({ seq, kind: stored, id }) => {
        const kind = kindStoredAs(stored);
        return kind ? [{ seq, kind, id }] : [];
      });
  }

  read({ kind, id }: OutboxEntry): Embeddable {
    return items[kind].embeddable(this.#db, id, this.#clock.now());
  }

  /** Removes entries. That of a row that changed meanwhile has a new number, and stays. */
  done(entries: readonly OutboxEntry[]): void {
    this.#db.run(
      'DELETE FROM vector_outbox WHERE seq IN (SELECT value FROM json_each(?))',
      numbersOf(entries),
    );
  }

  /** Counts a failed attempt of each entry. */
  failed(entries: readonly OutboxEntry[]): void {
    if (entries.length === 0) return;
    this.#db.run(
      'UPDATE vector_outbox SET attempts = attempts + 1 WHERE seq IN (SELECT value FROM json_each(?))',
      numbersOf(entries),
    );
  }

  /** Gives what failed before another chance. */
  retry(): void {
    this.#db.run('UPDATE vector_outbox SET attempts = 0 WHERE attempts > 0');
  }

  /** Adds rows; those that are there already keep their place. */
  add(kind: Kind, ids: readonly string[]): void {
    this.#db.run(
      'INSERT OR IGNORE INTO vector_outbox (kind, item_id) SELECT ?, value FROM json_each(?)',
      items[kind].storedAs,
      JSON.stringify(ids),
    );
  }

  /** Every row that should have a vector, with the hash of its text. */
  expected(kind: Kind): Map<string, string> {
    const rows = this.#db.all<{ id: string; hash: string }>(items[kind].vectors, { now: this.#clock.now() });
    return new Map(rows.map((row) => [row.id, row.hash]));
  }

  /** The index that answered when it was last written down; undefined if there was none. */
  serving(): KnownIndex | undefined {
    return this.#db.get<KnownIndex>(
      "SELECT fingerprint, embedder FROM vector_indexes WHERE state = 'serving'",
    );
  }

  /** Writes down which index answers, for the next start. */
  setServing({ fingerprint, embedder }: KnownIndex): void {
    this.#db.transaction(() => {
      this.#db.run("DELETE FROM vector_indexes WHERE state = 'serving' OR fingerprint = ?", fingerprint);
      this.#db.run(
        "INSERT INTO vector_indexes (fingerprint, embedder, state, created_at) VALUES (?, ?, 'serving', ?)",
        fingerprint,
        embedder,
        this.#clock.now(),
      );
    });
  }
}

const numbersOf = (entries: readonly OutboxEntry[]): string => JSON.stringify(entries.map(({ seq }) => seq));
