import type { FactId, TurnId } from '../../shared/ids.ts';
import type { Db } from './database.ts';

/**
 * SQL: is the fact `f` said in a turn in whose place no other is shown? What the user worded or merged by hand is said, and so is a fact
 * of which no turn is known any more.
 */
const IS_SAID = `(f.turn_id IS NULL
  OR EXISTS (SELECT 1 FROM fact_revisions r WHERE r.fact_id = f.id AND r.turn_id IS NULL)
  OR EXISTS (SELECT 1 FROM fact_merges m WHERE m.fact_id = f.id)
  OR EXISTS (SELECT 1 FROM turns t WHERE t.replaced = 0 AND t.id IN (
    SELECT f.turn_id UNION ALL SELECT r.turn_id FROM fact_revisions r WHERE r.fact_id = f.id
    UNION ALL SELECT s.turn_id FROM fact_sayings s WHERE s.fact_id = f.id)))`;

/** Notes that a turn said again what a fact says, unless it taught the fact. */
export function addSaying(db: Db, id: FactId, turnId: TurnId): void {
  db.run(
    `INSERT OR IGNORE INTO fact_sayings (fact_id, turn_id) SELECT f.id, @turnId FROM facts f
     WHERE f.id = @id AND f.turn_id IS NOT @turnId`,
    { id, turnId },
  );
}

/**
 * Takes facts out of use that only turns said in whose place others are shown since, and brings back those that are said again.
 * @returns them
 */
export function markUnsaid(db: Db, now: number): FactId[] {
  const due = db.all<{ id: TurnId }>('DELETE FROM turns_replaced RETURNING turn_id AS id');
  if (due.length === 0) return [];
  return db
    .all<{ id: FactId }>(
      `UPDATE facts AS f SET unsaid_at = iif(f.unsaid_at IS NULL, @now, NULL)
       WHERE f.id IN (
           SELECT id FROM facts WHERE turn_id IN (SELECT value FROM json_each(@due))
           UNION SELECT fact_id FROM fact_revisions WHERE turn_id IN (SELECT value FROM json_each(@due))
           UNION SELECT fact_id FROM fact_sayings WHERE turn_id IN (SELECT value FROM json_each(@due)))
         AND (f.unsaid_at IS NULL) <> ${IS_SAID} RETURNING id`,
      { due: JSON.stringify(due.map(({ id }) => id)), now },
    )
    .map(({ id }) => id);
}
