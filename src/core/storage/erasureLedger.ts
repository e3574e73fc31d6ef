import { appendFileSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
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
const LINE = /^([+-]) (\w+) (\S+) (\S+) (\d+) (\d+)$/;

/**
 * Keeps, outside of the database, the ids of what the user deleted or forgot, so that an old copy does not bring it back. Ids only; a
 * line for each deletion and each undoing.
 */
export class ErasureLedger {
  readonly #db: Db;
  readonly #file: string;
  readonly #log: Logger;
  /** What is deleted and can still be restored, as the ledger says. */
  readonly #told: Readonly<Record<Deletable, Set<string>>>;

  constructor(db: Db, dir: string, log: Logger) {
    this.#db = db;
    this.#file = join(dir, LEDGER_FILE);
    this.#log = log;
    // Whatever else has this name says nothing, and is in the way.
    if (statSync(this.#file, { throwIfNoEntry: false })?.isFile() === false)
      rmSync(this.#file, { recursive: true });
    const known = new Set(readLedger(dir, log).map(({ what, id }) => `${what} ${id}`));
    const told = (what: Deletable) =>
      new Set([...this.#deleted(what).keys()].filter((id) => known.has(`${what} ${id}`)));
    this.#told = { conversations: told('conversations'), facts: told('facts'), vaults: told('vaults') };
    this.sync();
  }

  /** Writes down what was deleted or restored since the last call. What cannot be written is tried again at the next. */
  sync(): void {
    const deleted = new Map(KINDS.map((what) => [what, this.#deleted(what)]));
    const lines: string[] = [];
    const counts = this.#db.get<{ lineage: string; count: number }>('SELECT lineage, count FROM commits');
    for (const what of KINDS) {
      const now = deleted.get(what) as Map<string, number>;
      const line = (sign: string, id: string, at: number) =>
        lines.push(`${sign} ${what} ${id} ${counts?.lineage} ${counts?.count} ${at}\n`);
      for (const [id, at] of now) if (!this.#told[what].has(id)) line('+', id, at);
      for (const id of this.#told[what]) {
        // A row that is gone was erased for good.
        if (!now.has(id) && this.#db.get(`SELECT 1 FROM ${what} WHERE id = ?`, id)) line('-', id, 0);
      }
    }
    try {
      if (lines.length > 0) {
        appendFileSync(this.#file, lines.join(''), { mode: 0o600 });
        syncFile(this.#file);
      }
      for (const what of KINDS) this.#told[what].clear();
      for (const [what, now] of deleted) for (const id of now.keys()) this.#told[what].add(id);
    } catch (error) {
      const code = (error as { code?: string }).code ?? 'UNKNOWN';
      this.#log.warn({ code, lines: lines.length }, 'what was deleted cannot be written down yet');
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
