import { crc32 } from 'node:zlib';
import type BetterSqlite3 from 'better-sqlite3';
import type { Db } from './database.ts';
import { keyOf, SUMMED as SUMMED_AT_FIRST, type SummedTable } from './migrations/0023-row-sums.ts';
import { SUMMED_FACT_NOTES } from './migrations/0025-fact-notes.ts';
import { SUMMED_REVIEW } from './migrations/0026-fact-review.ts';
import { SUMMED_BRANCHES } from './migrations/0028-branches.ts';
import { SUMMED_TOOL_CALLS } from './migrations/0030-tool-calls.ts';
import { SUMMED_UNSAID } from './migrations/0031-unsaid-facts.ts';
import { SUMMED_SUMMARIES } from './migrations/0032-summaries.ts';
import { SUMMED_TURN_SOURCE } from './migrations/0033-turn-source.ts';
import { SUMMED_FOLDERS } from './migrations/0037-folders.ts';
import { SUMMED_FORGOTTEN_BEFORE } from './migrations/0038-forgotten-before.ts';
import { SUMMED_ATTACHMENTS } from './migrations/0039-attachments.ts';
import { SUMMED_CHOICES } from './migrations/0040-choices.ts';
import { SUMMED_ITEM_MARKS } from './migrations/0041-item-marks.ts';
import { SUMMED_WHOLE_RETRIEVALS } from './migrations/0042-whole-retrievals.ts';
import { sumSchema } from './schemaSums.ts';

/** What is summed by now: each migration that adds to it says what. */
const SUMMED = {
  ...SUMMED_AT_FIRST,
  ...SUMMED_FACT_NOTES,
  ...SUMMED_REVIEW,
  ...SUMMED_BRANCHES,
  ...SUMMED_TOOL_CALLS,
  ...SUMMED_UNSAID,
  ...SUMMED_SUMMARIES,
  ...SUMMED_TURN_SOURCE,
  ...SUMMED_FOLDERS,
  ...SUMMED_FORGOTTEN_BEFORE,
  ...SUMMED_ATTACHMENTS,
  ...SUMMED_CHOICES,
  ...SUMMED_ITEM_MARKS,
  ...SUMMED_WHOLE_RETRIEVALS,
};

export type SumKind = keyof typeof SUMMED;

/** Every kind of what is summed; what others refer to comes first. */
export const SUM_KINDS = Object.keys(SUMMED) as readonly SumKind[];

export const tablesOf = (kind: SumKind): readonly SummedTable[] => SUMMED[kind];

/** The rows of one sum, of each of its tables: the values of the columns that are summed. */
export type SummedRows = unknown[][][];

/** The values of the key's columns. Only the first may hold spaces. */
export function keyParts(kind: SumKind, key: string): string[] {
  const parts = key.split(' ');
  const first = parts.length - (tablesOf(kind)[0]?.key.length ?? 1) + 1;
  return [parts.slice(0, first).join(' '), ...parts.slice(first)];
}

/**
 * CRC-32 of rows and their key: it differs whenever one bit does, and for any other damage but one in four thousand millions. Null if
 * there is no row.
 */
export function sumOf(key: string, rows: SummedRows): number | null {
  if (rows.every((of) => of.length === 0)) return null;
  return crc32(`${key}\n${JSON.stringify(rows)}`);
}

type Pair = [kind: SumKind, key: string];

/** The sums of a database, over a connection of which nothing else is asked. */
export class RowSums {
  readonly #raw: BetterSqlite3.Database;
  readonly #readers = new Map<SumKind, BetterSqlite3.Statement<unknown[]>[]>();
  readonly #due: BetterSqlite3.Statement<unknown[]>;
  readonly #write: BetterSqlite3.Statement<unknown[]>;
  readonly #remove: BetterSqlite3.Statement<unknown[]>;
  readonly #done: BetterSqlite3.Statement<unknown[]>;

  /** @param raw a connection that may write, to a database of the present schema */
  constructor(raw: BetterSqlite3.Database) {
    this.#raw = raw;
    this.#due = raw.prepare('SELECT kind, key FROM sums_due').raw();
    this.#write = raw.prepare(
      'INSERT INTO row_sums VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET sum = excluded.sum WHERE sum <> excluded.sum',
    );
    this.#remove = raw.prepare('DELETE FROM row_sums WHERE kind = ? AND key = ?');
    this.#done = raw.prepare('DELETE FROM sums_due');
  }

  /** Sums what has changed in the present transaction. */
  sumDue(): void {
    const due = this.#due.all() as Pair[];
    if (due.length === 0) return;
    for (const [kind, key] of due) {
      const sum = sumOf(key, this.#read(kind, key));
      if (sum === null) this.#remove.run(kind, key);
      else this.#write.run(kind, key, sum);
    }
    this.#done.run();
  }

  #read(kind: SumKind, key: string): SummedRows {
    let readers = this.#readers.get(kind);
    if (!readers) {
      readers = rowReaders(this.#raw, kind);
      this.#readers.set(kind, readers);
    }
    const parts = keyParts(kind, key);
    return readers.map((reader) => reader.all(...parts) as unknown[][]);
  }
}

/** Statements that read the rows of one sum, for the parts of its key. */
export function rowReaders(raw: BetterSqlite3.Database, kind: SumKind): BetterSqlite3.Statement<unknown[]>[] {
  return tablesOf(kind).map(({ table, key, columns, order }) =>
    raw
      .prepare<unknown[]>(
        `SELECT ${columns.join(', ')} FROM ${table} WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}
         ${order ? `ORDER BY ${order.join(', ')}` : ''}`,
      )
      .raw(),
  );
}

/** How many rows that were changed elsewhere are summed with the first commit; more than that are summed little by little. */
const DUE_AT_ONCE = 1_000;

/**
 * Makes the sums of a database ready that was just opened.
 * @param isNew its schema has just been written
 */
export function prepareSums(raw: BetterSqlite3.Database, isNew: boolean): void {
  const count = (sql: string) => raw.prepare(sql).pluck().get() as number;
  const isMuch =
    count(`SELECT count(*) FROM (SELECT 1 FROM sums_due LIMIT ${DUE_AT_ONCE + 1})`) > DUE_AT_ONCE;
  const lacksSchema = isNew || count("SELECT count(*) FROM row_sums WHERE kind = 'version'") === 0;
  if (!isMuch && !lacksSchema) return;
  raw
    .transaction(() => {
      if (isMuch) putOff(raw);
      if (lacksSchema) sumSchema(raw);
    })
    .immediate();
}

/** Has all rows of the kinds that are due summed anew, little by little. */
function putOff(raw: BetterSqlite3.Database): void {
  const kinds = raw.prepare('SELECT DISTINCT kind FROM sums_due').pluck().all() as SumKind[];
  const add = raw.prepare("INSERT INTO sums_backlog VALUES (?, '') ON CONFLICT DO UPDATE SET after = ''");
  for (const { table } of kinds.flatMap(tablesOf)) add.run(table);
  raw.exec('DELETE FROM row_sums WHERE kind IN (SELECT kind FROM sums_due); DELETE FROM sums_due;');
}

/** Sums done in one commit: a few milliseconds. */
const BACKLOG_AT_ONCE = 100;

/** Sums some of the rows that are not summed yet. Returns false if there are none. */
export function sumSome(db: Db): boolean {
  return db.transaction(() => {
    const next = db.get<{ source: string; after: string }>('SELECT source, after FROM sums_backlog LIMIT 1');
    if (!next) return false;
    const { source, after } = next;
    const kind = SUM_KINDS.find((one) => tablesOf(one).some(({ table }) => table === source));
    const key = kind && tablesOf(kind).find(({ table }) => table === source)?.key;
    if (!kind || !key) throw new Error(`${source} has no sums`);
    const columns = key.join(', ');
    const later = after === '' ? '' : `WHERE (${columns}) > (${key.map(() => '?').join(', ')})`;
    const keys = db.all<{ key: string }>(
      `SELECT ${keyOf('t', key)} AS key FROM (SELECT DISTINCT ${columns} FROM ${source} ${later} ORDER BY ${columns}
       LIMIT ${BACKLOG_AT_ONCE}) t`,
      ...(after === '' ? [] : keyParts(kind, after)),
    );
    // They are summed before the transaction ends.
    for (const one of keys)
      db.run('INSERT INTO sums_due VALUES (?, ?) ON CONFLICT DO NOTHING', kind, one.key);
    const last = keys.at(-1);
    if (keys.length < BACKLOG_AT_ONCE || !last) db.run('DELETE FROM sums_backlog WHERE source = ?', source);
    else db.run('UPDATE sums_backlog SET after = ? WHERE source = ?', last.key, source);
    return true;
  });
}
