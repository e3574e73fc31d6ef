import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import type { Logger } from '../support/logger.ts';
import { syncFile } from '../support/partialFile.ts';
import { readCounts } from './commitCounter.ts';
import type { Db } from './database.ts';
import { LEDGER_FILE } from './folderNames.ts';
import { DELETED_AT, type Deletable } from './recentlyDeleted.ts';

interface Entry {
  what: Deletable;
  id: string;
  /** Which database it was deleted from, and how many commits that held then: a copy with fewer is from before. */
  lineage: string;
  commits: number;
  /** When it was deleted, in milliseconds since 1970. */
  at: number;
}

const KINDS = Object.keys(DELETED_AT) as Deletable[];
type Told = Record<Deletable, Set<string>>;

const newTold = (): Told => ({ conversations: new Set(), facts: new Set(), vaults: new Set() });

const LINE = /^([+-]) (\w+) (\S+) (\S+) (\d+) (\d+)$/;

/**
 * Keeps, outside of the database, the ids of what the user deleted or forgot, so that an old copy does not bring it back. Ids only; a
 * line for each deletion and each undoing.
 */
export class ErasureLedger {
  readonly #db: Db;
  readonly #file: string;
  readonly #log: Logger;
  /** What is deleted, as the ledger says: first what can still be restored, then what is erased. */
  readonly #told: Told;
  readonly #erased: Told;

  constructor(db: Db, dir: string, log: Logger) {
    this.#db = db;
    this.#file = join(dir, LEDGER_FILE);
    this.#log = log;
    this.#told = newTold();
    this.#erased = newTold();
    for (const { what, id } of readLedger(dir, log)) this.#erased[what].add(id);
    this.sync({ afterImport: true });
  }

  /**
   * Writes down what was deleted or restored since the last call. What cannot be written is tried again at the next.
   * @param afterImport looks also for rows that were erased, which nothing but an import brings back
   */
  sync({ afterImport = false } = {}): void {
    const lines: string[] = [];
    const counts = this.#db.get<{ lineage: string; count: number }>('SELECT lineage, count FROM commits');
    const line = (sign: string, name: string, at: number) =>
      lines.push(`${sign} ${name} ${counts?.lineage} ${counts?.count} ${at}\n`);
    const told = newTold();
    const erased = newTold();
    for (const what of KINDS) {
      const deleted = this.#deleted(what);
      for (const [id, at] of deleted) {
        told[what].add(id);
        if (!this.#told[what].has(id) && !this.#erased[what].has(id)) line('+', `${what} ${id}`, at);
      }
      const gone = [...this.#told[what], ...(afterImport ? this.#erased[what] : [])];
      for (const id of gone.filter((one) => !deleted.has(one))) {
        if (this.#db.get(`SELECT 1 FROM ${what} WHERE id = ?`, id)) line('-', `${what} ${id}`, 0);
        else erased[what].add(id);
      }
      if (!afterImport) for (const id of this.#erased[what]) erased[what].add(id);
    }
    if (lines.length > 0 && !this.#append(lines)) return;
    Object.assign(this.#told, told);
    Object.assign(this.#erased, erased);
  }

  #append(lines: readonly string[]): boolean {
    try {
      appendFileSync(this.#file, lines.join(''), { mode: 0o600 });
      syncFile(this.#file);
      return true;
    } catch (error) {
      const code = (error as { code?: string }).code ?? 'UNKNOWN';
      this.#log.warn({ code, lines: lines.length }, 'what was deleted cannot be written down yet');
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

/** What is deleted, as the ledger of a data folder says. A line that is damaged is left out. */
function readLedger(dir: string, log?: Logger): Entry[] {
  const file = join(dir, LEDGER_FILE);
  if (!existsSync(file)) return [];
  const entries = new Map<string, Entry>();
  let lines: string[] = [];
  try {
    lines = readFileSync(file, 'latin1').split('\n');
  } catch (error) {
    const code = (error as { code?: string }).code ?? 'UNKNOWN';
    log?.warn({ code }, 'the list of what was deleted cannot be read');
  }
  for (const line of lines) {
    const [, sign, what, id, lineage, commits, at] = LINE.exec(line) ?? [];
    if (!KINDS.includes(what as Deletable) || id === undefined || lineage === undefined) continue;
    const key = `${what} ${id}`;
    if (sign === '-') entries.delete(key);
    else {
      const entry = { what: what as Deletable, id, lineage, commits: Number(commits), at: Number(at) };
      entries.set(key, entry);
    }
  }
  return [...entries.values()];
}

/** Ids of what was deleted in a data folder, and not brought back. */
export function deletedIn(dir: string): Record<Deletable, string[]> {
  const deleted: Record<Deletable, string[]> = { conversations: [], facts: [], vaults: [] };
  for (const { what, id } of readLedger(dir)) deleted[what].push(id);
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
  for (const entry of readLedger(dir)) {
    if ((entry.lineage === lineage && entry.commits <= commits) || !tables.has(entry.what)) continue;
    const column = DELETED_AT[entry.what];
    deleted += copy
      .prepare(`UPDATE ${entry.what} SET ${column} = ? WHERE id = ? AND ${column} IS NULL`)
      .run(entry.at, entry.id).changes;
  }
  return deleted;
}
