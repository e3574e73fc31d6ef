import type { ConversationId, TurnId } from '../../shared/ids.ts';
import type { Logger } from '../support/logger.ts';
import { createConversationStore } from './conversations.ts';
import type { Db } from './database.ts';
import {
  appendDeletions,
  type Deletion,
  type DeletionChange,
  LISTED,
  type Listed,
  mendDeletions,
  readDeletions,
} from './deletionList.ts';
import { ForgottenTurns } from './forgottenTurns.ts';
import { DELETED_AT } from './recentlyDeleted.ts';
import { Tombstones } from './tombstones.ts';

const of = <T>(make: () => T): Record<Listed, T> => ({
  conversations: make(),
  facts: make(),
  vaults: make(),
  turns: make(),
});
type Told = Record<Listed, Set<string>>;
const newTold = (): Told => of(() => new Set<string>());

/**
 * Keeps, outside of the database, the ids of what the user deleted or forgot, so that an old copy does not bring it back. Ids only; a
 * line for each deletion and each undoing.
 */
export class ErasureLedger {
  readonly #db: Db;
  readonly #dir: string;
  readonly #log: Logger;
  /** What is deleted, as the ledger says: first what can still be restored, then what is erased. */
  readonly #told: Told;
  readonly #erased: Told;
  /** Of `#erased`, what was in copies alone when the ledger was last read. */
  readonly #away: Told;
  /** When each was deleted, as the ledger says: what is deleted again, later, is kept from then on. */
  readonly #at: Record<Listed, Map<string, number>>;

  constructor(db: Db, dir: string, log: Logger) {
    this.#db = db;
    this.#dir = dir;
    this.#log = log;
    this.#told = newTold();
    this.#erased = newTold();
    this.#away = newTold();
    this.#at = of(() => new Map<string, number>());
    this.#attempt(() => mendDeletions(dir, log));
    for (const { what, id, isAway, at } of readDeletions(dir, log)) {
      this.#erased[what].add(id);
      this.#at[what].set(id, at);
      if (isAway) this.#away[what].add(id);
    }
    this.sync({ afterImport: true });
  }

  /**
   * Writes down what was deleted or restored since the last call. What cannot be written is tried again at the next.
   * @param afterImport looks also for rows that were erased, which nothing but an import brings back
   */
  sync({ afterImport = false } = {}): void {
    const changes: DeletionChange[] = [];
    const counts = this.#db.get<{ lineage: string; count: number }>('SELECT lineage, count FROM commits');
    const { lineage = '', count: commits = 0 } = counts ?? {};
    const note = (what: Listed, id: string, deletedAt: number | null) => {
      const isDeleted = deletedAt !== null;
      changes.push({ what, id, lineage, commits, at: deletedAt ?? 0, isAway: false, isDeleted });
    };
    const told = newTold();
    const erased = newTold();
    for (const what of LISTED) {
      const deleted = this.#deleted(what);
      for (const [id, at] of deleted) {
        told[what].add(id);
        const isListed = this.#told[what].has(id) || this.#erased[what].has(id);
        const isLater = at > (this.#at[what].get(id) ?? 0);
        if (!isListed || this.#away[what].has(id) || isLater) note(what, id, at);
      }
      const gone = [...this.#told[what], ...(afterImport ? this.#erased[what] : [])];
      for (const id of gone.filter((one) => !deleted.has(one))) {
        if (this.#db.get(`SELECT 1 FROM ${what} WHERE id = ?`, id)) note(what, id, null);
        else erased[what].add(id);
      }
      if (!afterImport) for (const id of this.#erased[what]) erased[what].add(id);
    }
    if (changes.length > 0 && !this.#attempt(() => appendDeletions(this.#dir, changes))) return;
    Object.assign(this.#told, told);
    Object.assign(this.#erased, erased);
    for (const { what, id, at } of changes) {
      this.#away[what].delete(id);
      this.#at[what].set(id, at);
    }
  }

  #attempt(write: () => void): boolean {
    try {
      write();
      return true;
    } catch (error) {
      const code = (error as { code?: string }).code ?? 'UNKNOWN';
      this.#log.warn({ code }, 'what was deleted cannot be written down yet');
      return false;
    }
  }

  #deleted(what: Listed): Map<string, number> {
    const rows = this.#db.all<{ id: string; at: number }>(
      what === 'turns'
        ? FORGOTTEN_TURNS
        : `SELECT id, ${DELETED_AT[what]} AS at FROM ${what} WHERE ${DELETED_AT[what]} IS NOT NULL`,
    );
    return new Map(rows.map(({ id, at }) => [id, at]));
  }
}

const FORGOTTEN_TURNS = `SELECT f.turn_id AS id, v.removed_at AS at FROM forgotten_turns f
  JOIN turns t ON t.id = f.turn_id JOIN conversations v ON v.id = t.conversation_id WHERE v.removed_at IS NOT NULL`;

/** Ids of what was deleted in a data folder, and not brought back. */
export function deletedIn(dir: string): Record<Listed, string[]> {
  const deleted = of((): string[] => []);
  for (const { what, id } of readDeletions(dir)) deleted[what].push(id);
  return deleted;
}

/** What became of the rows that were deleted in a data folder and that its database does not hold. */
export interface Gone {
  /** They were erased for good. */
  erased: Record<Listed, ReadonlySet<string>>;
  /** They are in copies alone, since the database never held them or is older than they are. They can still be restored. */
  away: Record<Listed, ReadonlySet<string>>;
}

/**
 * @param db the database of the data folder, or one that stands for it
 * @param restorableSince what was deleted before this time is as good as erased
 */
export function goneFrom(
  db: Db,
  { dir, restorableSince = 0 }: { dir: string; restorableSince?: number },
): Gone {
  const gone = { erased: newTold(), away: newTold() };
  for (const { what, id, at, isAway } of notIn(db, readDeletions(dir)))
    gone[isAway && at >= restorableSince ? 'away' : 'erased'][what].add(id);
  return gone;
}

/**
 * Writes down which deleted rows a database that is about to be replaced holds and its successor lacks: they are not erased, and a newer
 * copy brings them back to be restored.
 * @throws the file system's error
 */
export function noteAway(dir: string, { replaced, by }: { replaced: Db; by: Db }): void {
  const lacking = notIn(by, readDeletions(dir));
  const unknown = new Set(notIn(replaced, lacking));
  const away = lacking.filter((one) => !one.isAway && !unknown.has(one));
  if (away.length > 0)
    appendDeletions(
      dir,
      away.map((one) => ({ ...one, isAway: true, isDeleted: true })),
    );
}

/** Those of some rows that a database does not hold. */
function notIn(db: Db, rows: readonly Deletion[]): Deletion[] {
  const held = of(() => new Set<string>());
  for (const what of LISTED)
    held[what] = new Set(db.all<{ id: string }>(`SELECT id FROM ${what}`).map(({ id }) => id));
  return rows.filter(({ what, id }) => !held[what].has(id));
}

/**
 * Marks as deleted, in a copy that is to be restored, what was deleted or forgotten in the data folder since the copy was made. The rows
 * are erased as those of any deletion are.
 */
export function deleteSince(copy: Db, dir: string): void {
  const { lineage, count } = copy.get<{ lineage: string; count: number }>(
    'SELECT lineage, count FROM commits',
  ) ?? {
    lineage: null,
    count: 0,
  };
  const since = readDeletions(dir).filter((entry) => entry.lineage !== lineage || entry.commits > count);
  for (const { what, id, at } of since)
    if (what !== 'turns')
      copy.run(
        // What was deleted in the copy already may have been brought back, and deleted again, since; what is to be erased there is erased.
        `UPDATE ${what} SET ${DELETED_AT[what]} = @at WHERE id = @id AND coalesce(${DELETED_AT[what]}, 0) BETWEEN 0 AND @at - 1`,
        { at, id },
      );
  takeTurns(
    copy,
    since.filter(({ what }) => what === 'turns'),
  );
}

/**
 * Takes turns out of their conversations, together those that were forgotten together; out of deleted ones too, which may be brought back
 * without them.
 */
function takeTurns(copy: Db, deletions: readonly Deletion[]): void {
  const conversations = createConversationStore(copy);
  const turns = new ForgottenTurns(copy, conversations);
  const tombstones = new Tombstones(copy);
  for (const [at, together] of Map.groupBy(deletions, (one) => one.at)) {
    const rows = copy.all<{ id: TurnId; conversationId: ConversationId; isDeleted: number; isLeft: number }>(
      `SELECT t.id, t.conversation_id AS conversationId, v.removed_at IS NOT NULL AS isDeleted,
         EXISTS (SELECT 1 FROM turns o WHERE o.conversation_id = v.id AND o.id NOT IN (SELECT value FROM json_each(@ids))) AS isLeft
       FROM turns t JOIN conversations v ON v.id = t.conversation_id
       WHERE t.id IN (SELECT value FROM json_each(@ids)) ORDER BY t.ordinal`,
      { ids: JSON.stringify(together.map(({ id }) => id)) },
    );
    tombstones.add(
      together.map(({ id }) => ({ kind: 'turn', id })),
      at,
    );
    for (const [id, some] of Map.groupBy(rows, ({ conversationId }) => conversationId)) {
      const isGone = some.every(({ isDeleted, isLeft }) => isDeleted === 1 && isLeft === 0);
      const ids = some.map((row) => row.id);
      if (!isGone) turns.forget(ids, id, at);
    }
  }
}
