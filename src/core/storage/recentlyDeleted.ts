import type { Db } from './database.ts';

/** What stays for a while after it was deleted. */
export const DELETABLE = ['conversations', 'facts', 'vaults'] as const;
export type Deletable = (typeof DELETABLE)[number];

/** The column that says when a row was deleted, by table. */
export const DELETED_AT: Readonly<Record<Deletable, string>> = {
  conversations: 'removed_at',
  facts: 'forgotten_at',
  vaults: 'removed_at',
};

/** The column by which a person knows a row. */
const NAME: Readonly<Record<Deletable, string>> = {
  // Turns that were forgotten alone stand in a conversation without a title.
  conversations: `coalesce(nullif(title, ''), (SELECT substr(m.content, 1, 100) FROM turns t JOIN messages m ON m.turn_id = t.id
    WHERE t.conversation_id = conversations.id ORDER BY t.ordinal, m.ordinal LIMIT 1), '')`,
  facts: 'content',
  vaults: 'name',
};

/** When the oldest of the deleted rows of a kind was deleted, in milliseconds since 1970; null if there are none. */
export function oldestDeletion(db: Db, what: Deletable): number | null {
  const column = DELETED_AT[what];
  const row = db.get<{ at: number | null }>(
    `SELECT min(at) AS at FROM (SELECT min(${column}) AS at FROM ${what} WHERE ${column} IS NOT NULL
       ${what === 'conversations' ? 'UNION ALL SELECT min(at) FROM forgotten_titles UNION ALL SELECT min(at) FROM forgotten_summaries' : ''})`,
  );
  return row?.at ?? null;
}

/** Ids of the rows of a kind that were deleted at a moment. */
export function deletedAt(db: Db, what: Deletable, at: number): string[] {
  return db
    .all<{ id: string }>(`SELECT id FROM ${what} WHERE ${DELETED_AT[what]} = ?`, at)
    .map(({ id }) => id);
}

/** The deleted rows of a kind that can still be restored, the latest first. */
export function listDeleted(db: Db, what: Deletable): { id: string; name: string; deletedAt: number }[] {
  const column = DELETED_AT[what];
  return db.all(
    `SELECT id, ${NAME[what]} AS name, ${column} AS deletedAt FROM ${what} WHERE ${column} >= 0
     ORDER BY ${column} DESC, id`,
  );
}

/** Changes when deleted rows were deleted. Rows that are in use stay as they are. */
export function setDeletedAt(db: Db, what: Deletable, ids: readonly string[], at: number): void {
  const column = DELETED_AT[what];
  db.run(
    `UPDATE ${what} SET ${column} = ? WHERE ${column} IS NOT NULL AND id IN (SELECT value FROM json_each(?))`,
    at,
    JSON.stringify(ids),
  );
}
