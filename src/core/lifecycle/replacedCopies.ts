import { rmSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { COPIES, listCopies } from '../storage/databaseCopies.ts';
import { deletedIn } from '../storage/erasureLedger.ts';
import { BACKUP_FOLDER, DATABASE_FILE } from '../storage/folderNames.ts';
import type { Logger } from '../support/logger.ts';
import { restorableCopies } from './copies.ts';

/** How many copies made before a restore are kept whatever they hold: as many as those of each day. */
const KEPT = 7;

/**
 * Erases old copies made before a restore, the oldest first. The newest stay, and so does one with a message or a fact that was not
 * deleted and is neither in the present database nor in another copy. Only after a restore that succeeded: until then, what it replaced may
 * be needed.
 */
export function eraseOldReplaced(dir: string, log?: Logger): void {
  const surplus = listCopies(join(dir, BACKUP_FOLDER), COPIES['before-restore']).slice(KEPT);
  for (const path of surplus.reverse()) {
    try {
      if (!holdsSomethingAlone(dir, path)) rmSync(path);
    } catch (error) {
      const code = (error as { code?: string }).code ?? 'UNKNOWN';
      log?.warn({ code }, 'a copy made before a restore cannot be looked through, and is kept');
    }
  }
}

/** @throws SQLite's error if this or another copy cannot be read, which an old schema may be the reason of */
function holdsSomethingAlone(dir: string, path: string): boolean {
  const db = new BetterSqlite3(':memory:');
  try {
    db.prepare('ATTACH ? AS old').run(path);
    db.exec(`
      CREATE TABLE alone (kind TEXT, id TEXT, ordinal INTEGER, PRIMARY KEY (kind, id, ordinal)) WITHOUT ROWID;
      INSERT INTO alone SELECT 'message', m.turn_id, m.ordinal FROM old.messages m JOIN old.turns t ON t.id = m.turn_id
        JOIN old.conversations c ON c.id = t.conversation_id WHERE c.removed_at IS NULL;
      INSERT INTO alone SELECT 'fact', id, 0 FROM old.facts WHERE forgotten_at IS NULL;
    `);
    const deleted = deletedIn(dir);
    const forget = db.prepare("DELETE FROM alone WHERE kind = 'fact' AND id = ?");
    for (const id of deleted.facts) forget.run(id);
    const remove = db.prepare(
      "DELETE FROM alone WHERE kind = 'message' AND id IN (SELECT id FROM old.turns WHERE conversation_id = ?)",
    );
    for (const id of deleted.conversations) remove.run(id);
    const take = db.prepare("DELETE FROM alone WHERE kind = 'message' AND id = ?");
    for (const id of deleted.turns) take.run(id);
    const others = restorableCopies(dir).map((copy) => copy.path);
    for (const other of [join(dir, DATABASE_FILE), ...others]) {
      if (other !== path) strike(db, other);
      if (!db.prepare('SELECT 1 FROM alone').get()) return false;
    }
    return true;
  } finally {
    db.close();
  }
}

/** Takes what another database holds too from what the copy holds alone. A former wording of a fact counts. */
function strike(db: BetterSqlite3.Database, other: string): void {
  db.prepare('ATTACH ? AS other').run(other);
  db.exec(`
    DELETE FROM alone WHERE kind = 'message' AND EXISTS (
      SELECT 1 FROM old.messages o JOIN other.messages m USING (turn_id, ordinal, content)
      WHERE o.turn_id = alone.id AND o.ordinal = alone.ordinal);
    DELETE FROM alone WHERE kind = 'fact' AND EXISTS (
      SELECT 1 FROM old.facts o WHERE o.id = alone.id AND (
        EXISTS (SELECT 1 FROM other.facts f WHERE f.id = o.id AND f.content = o.content) OR
        EXISTS (SELECT 1 FROM other.fact_revisions r WHERE r.fact_id = o.id AND r.content = o.content)));
    DETACH other;
  `);
}
