import type { ConversationId } from '../../shared/ids.ts';
import { FORGET_ITEMS } from '../memory/forget/forgetActs.ts';
import { createConversationStore } from '../storage/conversations.ts';
import { type Db, openForReading } from '../storage/database.ts';
import { goneFrom, noteAway } from '../storage/erasureLedger.ts';
import { ForgottenSummaries } from '../storage/forgottenSummaries.ts';
import { ForgottenTurns, UNTITLED } from '../storage/forgottenTurns.ts';
import { DELETABLE, DELETED_AT, type Deletable, setDeletedAt } from '../storage/recentlyDeleted.ts';
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
        hideSummaries(db, found);
        eraseAgain(db, found, dir);
        takeOverWork(db, found);
      });
      noteAway(dir, { replaced: found, by: db });
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

/** Titles that were forgotten since: they can come back if they still can in the other database. */
function hideTitles(db: Db, other: Db): void {
  const titles = new ForgottenTurns(db, createConversationStore(db));
  const tombstones = new Tombstones(db);
  for (const { id, title } of db.all<{ id: ConversationId; title: string }>(
    "SELECT id, title FROM conversations WHERE title <> ''",
  )) {
    const at = tombstones.forgottenAt({ kind: 'title', title });
    if (at === null) continue;
    const kept = other.get<{ at: number }>('SELECT at FROM forgotten_titles WHERE conversation_id = ?', id);
    // From a conversation that the other database does not know it has not been erased.
    const isKnown = other.get('SELECT 1 FROM conversations WHERE id = ?', id) !== undefined;
    titles.replaceTitle(id, UNTITLED, kept?.at ?? (isKnown ? 0 : at));
  }
}

/** Summaries that were forgotten since, as titles. */
function hideSummaries(db: Db, other: Db): void {
  const summaries = new ForgottenSummaries(db);
  const isKept = hasTable(other, 'forgotten_summaries')
    ? (id: string, at: number) =>
        other.get('SELECT 1 FROM forgotten_summaries WHERE summary_id = ? AND at = ?', id, at) !== undefined
    : () => false;
  for (const { id, at } of summaries.said(new Tombstones(db))) {
    const isKnown = other.get('SELECT 1 FROM summaries WHERE id = ?', id) !== undefined;
    summaries.keep(id, isKept(id, at) || !isKnown ? at : 0);
    summaries.blank(id);
  }
}

const hasTable = (db: Db, table: string): boolean =>
  db.get('SELECT 1 FROM sqlite_schema WHERE name = ?', table) !== undefined;

/** Kinds of jobs that forget or erase: what the user asked for goes on, whatever is restored meanwhile. */
const WORK = [ERASE_FROM_BACKUPS, FORGET_ITEMS];

function takeOverWork(db: Db, other: Db): void {
  if (!hasTable(other, 'jobs') || !hasTable(other, 'forget_items')) return;
  // What is to be brought back is where it was in the other database.
  const jobs = other.all<{ kind: string; subject: string }>(
    "SELECT kind, subject FROM jobs WHERE kind IN (SELECT value FROM json_each(?)) AND subject NOT LIKE 'restore %' AND subject NOT LIKE 'bring-back %'",
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
function eraseAgain(db: Db, other: Db, dir: string): void {
  const { erased } = goneFrom(other, { dir });
  const turnsThere = new Set(other.all<{ id: string }>('SELECT id FROM turns').map(({ id }) => id));
  const isErased: Record<Deletable, (id: string) => boolean> = {
    facts: (id) => erased.facts.has(id),
    vaults: (id) => erased.vaults.has(id),
    conversations: (id) => {
      const turns = turnsOf(db, id);
      if (turns.length > 0 && turns.every((turn) => erased.turns.has(turn.id))) return true;
      // Turns that were forgotten alone stand in a conversation of their own, which also ends when they are put back.
      return (
        erased.conversations.has(id) &&
        !turns.some((turn) => turn.isForgottenAlone === 1 || turnsThere.has(turn.id))
      );
    },
  };
  for (const what of DELETABLE) {
    const deleted = db.all<{ id: string }>(`SELECT id FROM ${what} WHERE ${DELETED_AT[what]} IS NOT NULL`);
    const ids = deleted.map(({ id }) => id).filter(isErased[what]);
    setDeletedAt(db, what, ids, LONG_AGO);
  }
}

function turnsOf(db: Db, conversation: string): { id: string; isForgottenAlone: number }[] {
  return db.all<{ id: string; isForgottenAlone: number }>(
    `SELECT id, EXISTS (SELECT 1 FROM forgotten_turns WHERE turn_id = id) AS isForgottenAlone
     FROM turns WHERE conversation_id = ?`,
    conversation,
  );
}
