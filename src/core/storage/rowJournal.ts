import type { Db } from './database.ts';

/** A row that was changed. Both are JSON arrays of its columns; null if there was, or is, no such row. */
export interface RowChange {
  table: string;
  before: string | null;
  after: string | null;
}

/** A table whose changes are recorded. */
interface Recorded {
  table: string;
  columns: readonly string[];
  /** That name a row. */
  key: readonly string[];
  /** Columns that change by themselves: they neither count as a change nor are they taken back. */
  passing: readonly string[];
}

/** Records what some work changes in tables, however it does so, so that exactly that can be taken back. */
export class RowJournal {
  readonly #db: Db;
  readonly #tables: ReadonlyMap<string, Recorded>;

  /** @param tables each with its passing columns */
  constructor(db: Db, tables: Readonly<Record<string, readonly string[]>>) {
    this.#db = db;
    this.#tables = new Map(
      Object.entries(tables).map(([table, passing]) => {
        const columns = db
          .all<{ name: string; pk: number }>('SELECT name, pk FROM pragma_table_info(?) ORDER BY cid', table)
          // A row that is put back may get another number: what names it is its id.
          .filter(({ name }) => name !== 'rowid');
        const hasId = columns.some(({ name }) => name === 'id');
        const key = columns
          .filter(({ name, pk }) => (hasId ? name === 'id' : pk > 0))
          .map(({ name }) => name);
        if (key.length === 0) throw new Error(`${table} has no key`);
        return [table, { table, columns: columns.map(({ name }) => name), key, passing }];
      }),
    );
  }

  /** Does some work in a transaction. */
  record<T>(work: () => T): { result: T; changes: RowChange[] } {
    const db = this.#db;
    return db.transaction(() => {
      db.run(
        'CREATE TEMP TABLE journal ("table" TEXT NOT NULL, before TEXT, after TEXT, CHECK (before IS NOT after))',
      );
      for (const one of this.#tables.values()) for (const sql of triggersOf(one)) db.run(sql);
      const result = work();
      const changes = db.all<RowChange>('SELECT "table", before, after FROM temp.journal ORDER BY rowid');
      for (const table of this.#tables.keys())
        for (const event of EVENTS) db.run(`DROP TRIGGER temp.journal_${table}_${event}`);
      db.run('DROP TABLE temp.journal');
      return { result, changes };
    });
  }

  /** Takes changes back, if all rows still are what these made of them. @returns false if one is not, and nothing was done */
  takeBack(changes: readonly RowChange[]): boolean {
    return this.#db.transaction(() => {
      if (!this.#isUnchanged(changes)) return false;
      for (const change of changes.toReversed()) this.#undo(change);
      return true;
    });
  }

  #isUnchanged(changes: readonly RowChange[]): boolean {
    const made = new Map(
      changes.map((change): [string, RowChange] => [
        JSON.stringify([change.table, this.#keyOf(change)]),
        change,
      ]),
    );
    return [...made.values()].every((change) => {
      const one = this.#table(change.table);
      const row = this.#db.get<{ json: string }>(
        `SELECT json_array(${one.columns.join(', ')}) AS json FROM ${one.table} WHERE ${keyIs(one)}`,
        ...this.#keyOf(change),
      );
      return lasting(one, row?.json ?? null) === lasting(one, change.after);
    });
  }

  #undo(change: RowChange): void {
    const one = this.#table(change.table);
    const { before, after } = change;
    const value = (column: string) => `json_extract(@before, '$[${one.columns.indexOf(column)}]')`;
    if (before === null) this.#db.run(`DELETE FROM ${one.table} WHERE ${keyIs(one)}`, ...this.#keyOf(change));
    else if (after === null)
      this.#db.run(
        `INSERT INTO ${one.table} (${one.columns.join(', ')}) VALUES (${one.columns.map(value).join(', ')})`,
        { before },
      );
    else
      this.#db.run(
        `UPDATE ${one.table} SET ${one.columns
          .filter((column) => !one.passing.includes(column))
          .map((column) => `${column} = ${value(column)}`)
          .join(', ')}
         WHERE ${one.key.map((column) => `${column} = json_extract(@after, '$[${one.columns.indexOf(column)}]')`).join(' AND ')}`,
        { before, after },
      );
  }

  #keyOf({ table, before, after }: RowChange): (string | number)[] {
    const { columns, key } = this.#table(table);
    const values = JSON.parse(after ?? before ?? '[]') as (string | number)[];
    return key.flatMap((column) => values[columns.indexOf(column)] ?? []);
  }

  #table(name: string): Recorded {
    const found = this.#tables.get(name);
    if (!found) throw new Error(`changes of ${name} are not recorded`);
    return found;
  }
}

const EVENTS = ['insert', 'update', 'delete'] as const;

function triggersOf({ table, columns, passing }: Recorded): string[] {
  const json = (row: string) => `json_array(${columns.map((column) => `${row}.${column}`).join(', ')})`;
  const lasts = columns.filter((column) => !passing.includes(column));
  const isChanged = lasts.map((column) => `old.${column} IS NOT new.${column}`).join(' OR ');
  const rows = {
    insert: ['NULL', json('new')],
    update: [json('old'), json('new')],
    delete: [json('old'), 'NULL'],
  };
  return EVENTS.map(
    (event) =>
      `CREATE TEMP TRIGGER journal_${table}_${event} AFTER ${event.toUpperCase()} ON main.${table}
       ${event === 'update' ? `WHEN ${isChanged}` : ''}
       BEGIN INSERT INTO journal VALUES ('${table}', ${rows[event].join(', ')}); END`,
  );
}

const keyIs = ({ key }: Recorded): string => key.map((column) => `${column} = ?`).join(' AND ');

/** What of a row counts. */
function lasting({ columns, passing }: Recorded, json: string | null): string | null {
  if (json === null) return null;
  const values = JSON.parse(json) as unknown[];
  return JSON.stringify(values.filter((_, place) => !passing.includes(columns[place] ?? '')));
}
