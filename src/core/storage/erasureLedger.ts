import type BetterSqlite3 from 'better-sqlite3';
import type { Logger } from '../support/logger.ts';
import { readCounts } from './commitCounter.ts';
import type { Db } from './database.ts';
import { appendDeletions, type DeletionChange, mendDeletions, readDeletions } from './deletionList.ts';
import { DELETED_AT, type Deletable } from './recentlyDeleted.ts';

const KINDS = Object.keys(DELETED_AT) as Deletable[];
type Told = Record<Deletable, Set<string>>;

const newTold = (): Told => ({ conversations: new Set(), facts: new Set(), vaults: new Set() });

/**
 * Keeps, outside of the database, the ids of what the user deleted or forgot, so that an old copy does not bring it back. Ids only; a
 * line for each deletion and each undoing.
 */
export class ErasureLedger {
  readonly #db: Db;
  readonly #dir: string;
  readonly #log: Logger;
  /** What is deleted, as the ledger says: first what can still be restored, then what is erased. */
  readonly #told: Told;
  readonly #erased: Told;

  constructor(db: Db, dir: string, log: Logger) {
    this.#db = db;
    this.#dir = dir;
    this.#log = log;
    this.#told = newTold();
    this.#erased = newTold();
    this.#attempt(() => mendDeletions(dir, log));
    for (const { what, id } of readDeletions(dir, log)) this.#erased[what].add(id);
    this.sync({ afterImport: true });
  }

  /**
   * Writes down what was deleted or restored since the last call. What cannot be written is tried again at the next.
   * @param afterImport looks also for rows that were erased, which nothing but an import brings back
   */
  sync({ afterImport = false } = {}): void {
    const changes: DeletionChange[] = [];
    const counts = this.#db.get<{ lineage: string; count: number }>('SELECT lineage, count FROM commits');
    const { lineage = '', count: commits = 0 } = counts ?? {};
    const note = (what: Deletable, id: string, deletedAt: number | null) =>
      changes.push({ what, id, lineage, commits, at: deletedAt ?? 0, isDeleted: deletedAt !== null });
    const told = newTold();
    const erased = newTold();
    for (const what of KINDS) {
      const deleted = this.#deleted(what);
      for (const [id, at] of deleted) {
        told[what].add(id);
        if (!this.#told[what].has(id) && !this.#erased[what].has(id)) note(what, id, at);
      }
      const gone = [...this.#told[what], ...(afterImport ? this.#erased[what] : [])];
      for (const id of gone.filter((one) => !deleted.has(one))) {
        if (this.#db.get(`SELECT 1 FROM ${what} WHERE id = ?`, id)) note(what, id, null);
        else erased[what].add(id);
      }
      if (!afterImport) for (const id of this.#erased[what]) erased[what].add(id);
    }
    if (changes.length > 0 && !this.#attempt(() => appendDeletions(this.#dir, changes))) return;
    Object.assign(this.#told, told);
    Object.assign(this.#erased, erased);
  }

  #attempt(write: () => void): boolean {
    try {
      write();
      return true;
    } catch (error) {
      const code = (error as { code?: string }).code ?? 'UNKNOWN';
      this.#log.warn({ code }, 'what was deleted cannot be written down yet');
      return false;
    }
  }

  #deleted(what: Deletable): Map<string, number> {
    const column = DELETED_AT[what];
    const rows = this.#db.all<{ id: string; at: number }>(
      `SELECT id, ${column} AS at FROM ${what} WHERE ${column} IS NOT NULL`,
    );
    return new Map(rows.map(({ id, at }) => [id, at]));
  }
}

/** Ids of what was deleted in a data folder, and not brought back. */
export function deletedIn(dir: string): Record<Deletable, string[]> {
  const deleted: Record<Deletable, string[]> = { conversations: [], facts: [], vaults: [] };
  for (const { what, id } of readDeletions(dir)) deleted[what].push(id);
  return deleted;
}

/**
 * Marks as deleted, in a copy that is to be restored, what was deleted in the data folder since the copy was made. The rows are
 * erased as those of any deletion are.
 * @returns how many rows
 */
export function deleteSince(copy: BetterSqlite3.Database, dir: string): number {
  const { lineage, commits } = readCounts(copy) ?? { lineage: null, commits: 0 };
  const tables = new Set(copy.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all());
  let deleted = 0;
  for (const entry of readDeletions(dir)) {
    if ((entry.lineage === lineage && entry.commits <= commits) || !tables.has(entry.what)) continue;
    const column = DELETED_AT[entry.what];
    deleted += copy
      .prepare(`UPDATE ${entry.what} SET ${column} = ? WHERE id = ? AND ${column} IS NULL`)
      .run(entry.at, entry.id).changes;
  }
  return deleted;
}
