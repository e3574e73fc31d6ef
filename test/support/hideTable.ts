import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';

/** Makes a table of a database in use unreadable; the returned function makes it readable again. */
export function hideTable(dataDir: string, table: string): () => void {
  const run = (sql: string) => {
    const db = new BetterSqlite3(join(dataDir, 'souvenir.sqlite'));
    db.pragma('busy_timeout = 5000');
    // Triggers and keys that name the table stay as they are.
    db.pragma('legacy_alter_table = ON');
    db.exec(sql);
    db.close();
  };
  run(`ALTER TABLE ${table} RENAME TO hidden_${table}`);
  return () => run(`ALTER TABLE hidden_${table} RENAME TO ${table}`);
}
