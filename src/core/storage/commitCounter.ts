import type BetterSqlite3 from 'better-sqlite3';
import type { DatabaseState, StateWriter } from './folderState.ts';
import { RowSums } from './rowSums.ts';

/**
 * Counts the commits of a connection, and sums the rows that they changed, in the database itself, within each commit; tells the count
 * to the data folder after it.
 */
export class CommitCounter {
  readonly #raw: BetterSqlite3.Database;
  readonly #changes: BetterSqlite3.Statement<[]>;
  readonly #bump: BetterSqlite3.Statement<[number]>;
  readonly #state: StateWriter;
  readonly #sums: RowSums;

  constructor(raw: BetterSqlite3.Database, state: StateWriter) {
    this.#raw = raw;
    this.#state = state;
    this.#sums = new RowSums(raw);
    this.#changes = raw.prepare<[]>('SELECT total_changes()').pluck();
    this.#bump = raw.prepare<[number]>(
      'UPDATE commits SET count = count + 1, at = ? WHERE id = 1 RETURNING lineage, count AS commits, at',
    );
    state.write(readCounts(raw) as DatabaseState);
  }

  /** Runs `work` in a transaction, which no other holds. One that changes rows is counted. */
  commit<T>(work: () => T): T {
    let counted: DatabaseState | undefined;
    const result = this.#raw
      .transaction(() => {
        const before = this.#changes.get();
        const value = work();
        this.#sums.sumDue();
        if (this.#changes.get() !== before) counted = this.#bump.get(Date.now()) as DatabaseState;
        return value;
      })
      .immediate();
    // The commit is on disk from here on: now it may be claimed.
    if (counted) this.#state.write(counted);
    return result;
  }

  close(): void {
    this.#state.close();
  }
}

/** The commits to a copy: they sum the rows that they changed, and are not counted. */
export class SummedCommits {
  readonly #raw: BetterSqlite3.Database;
  readonly #sums: RowSums;

  constructor(raw: BetterSqlite3.Database) {
    this.#raw = raw;
    this.#sums = new RowSums(raw);
  }

  commit<T>(work: () => T): T {
    return this.#raw
      .transaction(() => {
        const value = work();
        this.#sums.sumDue();
        return value;
      })
      .immediate();
  }

  /** There is nothing to end. */
  close(): void {}
}

/** The counts that a database holds; null if it is of a schema that did not count. */
export function readCounts(raw: BetterSqlite3.Database): DatabaseState | null {
  const counts = raw.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'commits'").get();
  if (!counts) return null;
  const row = raw.prepare('SELECT lineage, count AS commits, at FROM commits').get();
  return (row as DatabaseState | undefined) ?? null;
}
