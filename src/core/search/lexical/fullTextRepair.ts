import { items, type Kind } from '../../items/index.ts';
import type { Db } from '../../storage/database.ts';

/** Rows that the full text of a kind lacks, and full-text rows without a row. */
export function compareFullText(db: Db, kind: Kind): { missing: number[]; orphans: number[] } {
  const { table, fullText } = items[kind];
  const ids = (sql: string) => db.all<{ rowid: number }>(sql).map((row) => row.rowid);
  return {
    missing: ids(`SELECT rowid FROM ${table} WHERE rowid NOT IN (SELECT rowid FROM ${fullText.table})`),
    orphans: ids(`SELECT rowid FROM ${fullText.table} WHERE rowid NOT IN (SELECT rowid FROM ${table})`),
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
