import type { FactId, TurnId } from '../../shared/ids.ts';
import type { Db } from './database.ts';
import { wasPending } from './factLinks.ts';
import { factInUse } from './factRows.ts';

/** A turn that taught what is no longer true, and a fact in use that is true instead. */
export interface Replacement {
  turnId: TurnId;
  factId: FactId;
  /** Of the fact. */
  rowid: number;
  /** The turn that taught the fact first; null if none did. */
  taughtBy: TurnId | null;
}

/**
 * Follows what a turn taught to what superseded it, however often that happened. A fact that was merged into another goes on in it, and
 * so does one that waited for the user's word: that alone makes nothing outdated. A turn that taught both the older and the newer fact tells of the change, and is up to date.
 */
const REPLACEMENTS = `
  WITH RECURSIVE taught(turn_id, fact_id) AS (
    SELECT turn_id, id FROM facts WHERE turn_id IN (SELECT value FROM json_each(@turnIds))
    UNION SELECT turn_id, fact_id FROM fact_revisions WHERE turn_id IN (SELECT value FROM json_each(@turnIds))
  ), newer(turn_id, fact_id, is_superseded) AS (
    SELECT turn_id, fact_id, 0 FROM taught
    UNION
    SELECT n.turn_id, e.from_id,
           n.is_superseded OR (NOT EXISTS (SELECT 1 FROM fact_merges m WHERE m.fact_id = e.from_id AND m.at = e.at)
             AND NOT ${wasPending('e.to_id')})
    FROM newer n JOIN fact_edges e ON e.to_id = n.fact_id AND e.kind = 'updates'
  )
  SELECT DISTINCT n.turn_id AS turnId, f.id AS factId, f.rowid AS rowid, f.turn_id AS taughtBy
  FROM newer n JOIN facts f ON f.id = n.fact_id
  WHERE n.is_superseded = 1 AND ${factInUse('f')}
    AND NOT EXISTS (SELECT 1 FROM taught t WHERE t.turn_id = n.turn_id AND t.fact_id = f.id)
  ORDER BY n.turn_id, f.created_at DESC, f.rowid`;

/** For those of some turns that taught what is no longer true, the facts in use that are true instead, of each turn the newest first. */
export function findReplacements(db: Db, turnIds: readonly TurnId[], now: number): Replacement[] {
  return db.all<Replacement>(REPLACEMENTS, { turnIds: JSON.stringify(turnIds), now });
}
