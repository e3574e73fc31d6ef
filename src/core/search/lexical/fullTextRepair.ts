import { items, type Kind } from '../../items/index.ts';
import type { Db } from '../../storage/database.ts';

/** Rows that the full text of a kind lacks, and full-text rows without a row. */
export function compareFullText(db: Db, kind: Kind): { missing: number[]; orphans: number[] } {
  const { table, content } = items[kind].fullText;
  const ids = (sql: string) => db.all<{ rowid: number }>(sql).map((row) => row.rowid);
  return {
    missing: ids(`SELECT rowid FROM (${content}) WHERE rowid NOT IN (SELECT rowid FROM ${table})`),
    orphans: ids(`SELECT rowid FROM ${table} WHERE rowid NOT IN (SELECT rowid FROM (${content}))`),
  };
}

/**
 * SQLite's own check of the full text of a kind.
 * @throws AppError DATABASE_DAMAGED
 */
export function checkFullText(db: Db, kind: Kind): void {
  const { table } = items[kind].fullText;
  db.run(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`);
}

/** Makes the full text of a kind again from the terms that the rows hold, whatever state its tables are in. */
export function rebuildFullText(db: Db, kind: Kind): void {
  const { table, fields, content } = items[kind].fullText;
  db.transaction(() => {
    const { sql } = db.get<{ sql: string }>('SELECT sql FROM sqlite_schema WHERE name = ?', table) as {
      sql: string;
    };
    db.run(`DROP TABLE ${table}`);
    db.run(sql);
    db.run(`INSERT INTO ${table} (rowid, ${fields.join(', ')}) ${content}`);
  });
}

/** FTS5 numbers the pages that list the deleted rows of a segment from here on (`FTS5_TOMBSTONE_ROWID` in fts5_index.c). */
const FIRST_PAGE_OF_DELETED = 2 ** 53;
/** Pages that one step writes; it takes some 10 ms. */
const PAGES_AT_ONCE = 64;

/**
 * Merges the full text of a kind until it holds no term of a deleted row: a contentless table only notes that the row is gone. Each
 * step is a commit of its own; where one is interrupted, the next call goes on.
 */
export function* mergeDeadTerms(db: Db, kind: Kind): Generator<void> {
  const { table } = items[kind].fullText;
  const changes = () => db.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
  while (db.get(`SELECT 1 FROM ${table}_data WHERE id >= ? LIMIT 1`, FIRST_PAGE_OF_DELETED)) {
    const before = changes();
    // Negative: segments are merged whatever their size (https://sqlite.org/fts5.html#the_merge_command).
    db.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`, -PAGES_AT_ONCE);
    yield;
    // A merge that has nothing left to do changes fewer than two rows, the count of commits aside.
    if (changes() - before < 3) break;
  }
}
