import { existsSync, statSync } from 'node:fs';
import { items } from '../items/index.ts';
import type { Db } from '../storage/database.ts';

export interface RowCounts {
  vaults: number;
  links: number;
  conversations: number;
  turns: number;
  messages: number;
  citations: number;
  facts: number;
}

/**
 * Counts rows in use. Excludes deleted rows in their undo period, and expired ones.
 * @param now milliseconds since 1970
 */
export function countRows(db: Db, now: number): RowCounts {
  const inUse = 'WHERE v.removed_at IS NULL';
  const count = (sql: string) => db.get<{ n: number }>(sql, { now })?.n ?? 0;
  return {
    facts: count(`SELECT count(*) AS n FROM facts f WHERE ${items.fact.inUse('f')}`),
    turns: count(`SELECT count(*) AS n FROM turns t WHERE ${items.turn.inUse('t')}`),
    vaults: count(`SELECT count(*) AS n FROM vaults v ${inUse}`),
    links: count(
      `SELECT count(*) AS n FROM links l JOIN notes n ON n.id = l.note_id JOIN vaults v ON v.id = n.vault_id ${inUse}`,
    ),
    conversations: count(`SELECT count(*) AS n FROM conversations v ${inUse}`),
    messages: count(
      `SELECT count(*) AS n FROM messages m JOIN turns t ON t.id = m.turn_id JOIN conversations v ON v.id = t.conversation_id ${inUse}`,
    ),
    citations: count(
      `SELECT count(*) AS n FROM citations c JOIN turns t ON t.id = c.turn_id JOIN conversations v ON v.id = t.conversation_id ${inUse}`,
    ),
  };
}

/** Size of the database on disk in bytes, write-ahead log included. */
export function databaseBytes(db: Db): number {
  return [db.path, `${db.path}-wal`].reduce(
    (sum, file) => sum + (existsSync(file) ? statSync(file).size : 0),
    0,
  );
}

export function schemaVersion(db: Db): number {
  return (db.pragma('user_version') as { user_version: number }[])[0]?.user_version ?? 0;
}

/** SQLite's own checks: damage in the file, and foreign keys without a row. */
export function checkIntegrity(db: Db): { damaged: string[]; brokenReferences: string[] } {
  const damaged = (db.pragma('integrity_check(20)') as { integrity_check: string }[])
    .map((row) => row.integrity_check)
    .filter((line) => line !== 'ok');
  const broken = db.pragma('foreign_key_check') as { table: string; rowid: number | null; parent: string }[];
  return {
    damaged,
    brokenReferences: broken.map((row) => `${row.table} ${row.rowid ?? ''} -> ${row.parent}`),
  };
}

/** Indexed notes whose number of passages differs from the one in their row. */
export function notesWithMissingChunks(db: Db): { id: string; path: string }[] {
  return db.all(
    `SELECT n.id, n.path FROM notes n WHERE n.status = 'indexed'
       AND n.chunk_count <> (SELECT count(*) FROM chunks c WHERE c.note_id = n.id)`,
  );
}
