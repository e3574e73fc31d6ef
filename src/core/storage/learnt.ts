import type { Learnt } from '../../shared/contract/facts.ts';
import type { FactId, TurnId } from '../../shared/ids.ts';
import { parseTexts } from '../../shared/json.ts';
import type { Db } from './database.ts';
import { factInUse } from './factRows.ts';

/** What a turn taught of one fact. */
export interface LearntRow extends Learnt {
  turnId: TurnId;
  /** The turn added the fact; otherwise it gave a fact that was there another wording. */
  added: boolean;
}

interface LearntColumns {
  turn_id: TurnId;
  id: FactId;
  kind: Learnt['kind'];
  content: string;
  added: number;
  is_latest: number;
  is_expired: number;
  in_use: number;
}

/**
 * Wordings of a fact are numbered from 0: wording n is revision n + 1, or the present one if there is no such revision. A turn that
 * adds a fact teaches wording 0; one that replaces revision n teaches wording n. A turn of several messages may teach several
 * wordings of a fact, of which the last counts.
 */
const LEARNT = `
  WITH taught AS (
    SELECT turn_id, id AS fact_id, 0 AS wording, 1 AS added FROM facts
    WHERE turn_id IN (SELECT value FROM json_each(@turnIds))
    UNION ALL
    SELECT turn_id, fact_id, ordinal, 0 FROM fact_revisions
    WHERE turn_id IN (SELECT value FROM json_each(@turnIds))
  ), last AS (
    SELECT turn_id, fact_id, max(wording) AS wording, max(added) AS added FROM taught GROUP BY turn_id, fact_id
  )
  SELECT l.turn_id, f.id, f.kind, l.added,
         coalesce(r.content, f.content) AS content, r.content IS NULL AS is_latest,
         coalesce(f.expires_at <= @now, 0) AS is_expired, ${factInUse('f')} AS in_use
  FROM last l JOIN facts f ON f.id = l.fact_id
  LEFT JOIN fact_revisions r ON r.fact_id = l.fact_id AND r.ordinal = l.wording + 1
  WHERE f.forgotten_at IS NULL ORDER BY f.created_at, f.rowid`;

/** What some turns taught, as they taught it; forgotten facts left out. */
export function readLearnt(db: Db, turnIds: readonly TurnId[], now: number): LearntRow[] {
  return db.all<LearntColumns>(LEARNT, { turnIds: JSON.stringify(turnIds), now }).map((row) => ({
    turnId: row.turn_id,
    id: row.id,
    kind: row.kind,
    content: row.content,
    added: row.added === 1,
    state: stateOf(row),
  }));
}

function stateOf(row: LearntColumns): Learnt['state'] {
  if (row.is_expired === 1) return 'expired';
  return row.is_latest === 1 && row.in_use === 1 ? 'current' : 'changed';
}

/** Keeps the wording that a fact had until now. */
export function addRevision(
  db: Db,
  id: FactId,
  wording: { content: string; subjects: string; importance: number; at: number; turnId: TurnId | null },
): void {
  db.run(
    `INSERT INTO fact_revisions (fact_id, ordinal, content, until, turn_id, subjects, importance)
     VALUES (@id, (SELECT coalesce(max(ordinal), 0) + 1 FROM fact_revisions WHERE fact_id = @id), @content, @at, @turnId,
             @subjects, @importance)`,
    { id, ...wording },
  );
}

/** The wording of a fact before a turn first changed it, which the turn is no longer said to have taught after this. */
export function takeReplaced(
  db: Db,
  id: FactId,
  turnId: TurnId,
): { content: string; subjects?: string[]; importance?: number } | null {
  const row = db.get<{ content: string; subjects: string | null; importance: number | null }>(
    'SELECT content, subjects, importance FROM fact_revisions WHERE fact_id = ? AND turn_id = ? ORDER BY ordinal LIMIT 1',
    id,
    turnId,
  );
  if (!row) return null;
  db.run('UPDATE fact_revisions SET turn_id = NULL WHERE fact_id = ? AND turn_id = ?', id, turnId);
  const { content, subjects, importance } = row;
  return {
    content,
    ...(subjects === null ? {} : { subjects: parseTexts(subjects) }),
    ...(importance === null ? {} : { importance }),
  };
}
