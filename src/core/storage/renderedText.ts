import type { Db } from './database.ts';

/**
 * Has context blocks and results of tools rendered again, from their items as they are then, when they are sent next: the stored texts of
 * those that quote such an item go. In the caller's transaction.
 * @param quoting SQL condition over an item `i` of `context_items` or `tool_items`
 */
export function renderAnew(db: Db, quoting: string, params: Readonly<Record<string, string | number>>): void {
  db.run(
    `UPDATE context_blocks SET text = NULL
     WHERE (turn_id, version) IN (SELECT i.turn_id, i.version FROM context_items i WHERE ${quoting})`,
    params,
  );
  db.run(
    `UPDATE tool_calls SET text = NULL
     WHERE (turn_id, version, ordinal) IN (SELECT i.turn_id, i.version, i.call FROM tool_items i WHERE ${quoting})`,
    params,
  );
}
