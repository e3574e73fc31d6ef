import type { Db } from './database.ts';

/** What stays for an undo period after it was deleted. */
export type Deletable = 'conversations' | 'facts' | 'vaults';

/** The column that says when a row was deleted, by table. */
export const DELETED_AT: Readonly<Record<Deletable, string>> = {
  conversations: 'removed_at',
  facts: 'forgotten_at',
  vaults: 'removed_at',
};

const OLDEST: Readonly<Record<Deletable, string>> = {
  conversations: 'SELECT min(removed_at) AS at FROM conversations WHERE removed_at IS NOT NULL',
  facts: 'SELECT min(forgotten_at) AS at FROM facts WHERE forgotten_at IS NOT NULL',
  vaults: 'SELECT min(removed_at) AS at FROM vaults WHERE removed_at IS NOT NULL',
};

/** When the oldest of the deleted rows of a kind was deleted, in milliseconds since 1970; null if there are none. */
export function oldestDeletion(db: Db, what: Deletable): number | null {
  return db.get<{ at: number | null }>(OLDEST[what])?.at ?? null;
}
