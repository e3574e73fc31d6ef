import type { ConversationId } from '../../shared/ids.ts';
import { FORGET_ITEMS } from '../memory/forget/forgetActs.ts';
import { createConversationStore } from '../storage/conversations.ts';
import { type Db, openForReading } from '../storage/database.ts';
import { ForgottenTurns, UNTITLED } from '../storage/forgottenTurns.ts';
import { DELETABLE, DELETED_AT, setDeletedAt } from '../storage/recentlyDeleted.ts';
import { Tombstones } from '../storage/tombstones.ts';
import { ERASE_FROM_BACKUPS } from './backupErasure.ts';
import { restorableCopies } from './copies.ts';

/** When rows were deleted that are to be erased as soon as the database is open. */
const LONG_AGO = -1;

/**
 * Keeps what was forgotten from being learnt, imported or shown again in another database: takes over the tombstones of the one that it
 * replaces or, if that cannot be read, of the newest copy that can.
 */
export function keepForgotten(db: Db, dir: string, replaced: string | null): void {
  const copies = restorableCopies(dir).map(({ path }) => path);
  for (const path of replaced === null ? copies : [replaced, ...copies]) {
    const found = tombstonesIn(path);
    if (!found) continue;
    try {
      const tombstones = new Tombstones(db);
      db.transaction(() => {
        tombstones.takeFrom(found);
        hideTitles(db, found);
        if (lineageOf(db) === lineageOf(found)) eraseAgain(db, found);
        takeOverWork(db, found);
      });
      return;
    } finally {
      found.close();
    }
  }
}

/** A copy whose tombstones can be read; null if it is damaged, or older than these. */
function tombstonesIn(path: string): Db | null {
  let db: Db | undefined;
  try {
    db = openForReading(path);
    db.get('SELECT count(*) FROM tombstones JOIN tombstone_keys ON id = key_id');
    return db;
  } catch {
    db?.close();
    return null;
  }
}

const lineageOf = (db: Db): string | undefined =>
  db.get<{ lineage: string }>('SELECT lineage FROM commits')?.lineage;

/** Titles that were forgotten since: they can come back if they still can in the other database. */
function hideTitles(db: Db, other: Db): void {
  const titles = new ForgottenTurns(db, createConversationStore(db));
  const tombstones = new Tombstones(db);
  for (const { id, title } of db.all<{ id: ConversationId; title: string }>(
    "SELECT id, title FROM conversations WHERE removed_at IS NULL AND title <> ''",
  )) {
    if (!tombstones.has({ kind: 'title', title })) continue;
    const kept = other.get<{ at: number }>('SELECT at FROM forgotten_titles WHERE conversation_id = ?', id);
    titles.replaceTitle(id, UNTITLED, kept?.at ?? 0);
  }
}

/** Kinds of jobs that forget or erase: what the user asked for goes on, whatever is restored meanwhile. */
const WORK = [ERASE_FROM_BACKUPS, FORGET_ITEMS];

function takeOverWork(db: Db, other: Db): void {
  const has = (table: string) => other.get('SELECT 1 FROM sqlite_schema WHERE name = ?', table) !== undefined;
  if (!has('jobs') || !has('forget_items')) return;
  // What is to be brought back is where it was in the other database.
  const jobs = other.all<{ kind: string; subject: string }>(
    "SELECT kind, subject FROM jobs WHERE kind IN (SELECT value FROM json_each(?)) AND subject NOT LIKE 'restore %'",
    JSON.stringify(WORK),
  );
  for (const { kind, subject } of jobs) {
    db.run('INSERT OR IGNORE INTO jobs (kind, subject, due_at, priority) VALUES (?, ?, 0, 0)', kind, subject);
    for (const item of other.all<{ act: string; step: number; kind: string; id: string }>(
      'SELECT act, step, kind, id FROM forget_items WHERE act = ?',
      subject,
    ))
      db.run(
        'INSERT OR IGNORE INTO forget_items (act, step, kind, id) VALUES (@act, @step, @kind, @id)',
        item,
      );
  }
}

/** What the other database has erased, and is only deleted in this earlier state of it. */
function eraseAgain(db: Db, other: Db): void {
  const isThere = (table: string) => {
    const ids = new Set(other.all<{ id: string }>(`SELECT id FROM ${table}`).map(({ id }) => id));
    return (id: string) => ids.has(id);
  };
  const isTurn = isThere('turns');
  for (const what of DELETABLE) {
    const isHere = isThere(what);
    const ids = db
      .all<{ id: string }>(`SELECT id FROM ${what} WHERE ${DELETED_AT[what]} IS NOT NULL`)
      .map(({ id }) => id)
      .filter((id) => !isHere(id));
    // Turns that were forgotten while their conversation goes on stand in one of their own.
    const gone =
      what === 'conversations'
        ? ids.filter((id) =>
            db
              .all<{ id: string }>('SELECT id FROM turns WHERE conversation_id = ?', id)
              .every((turn) => !isTurn(turn.id)),
          )
        : ids;
    setDeletedAt(db, what, gone, LONG_AGO);
  }
}
