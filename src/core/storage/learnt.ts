import type { FactKind, Learnt } from '../../shared/contract/facts.ts';
import type { FactId, TurnId } from '../../shared/ids.ts';
import { parseTexts } from '../../shared/json.ts';
import type { Db } from './database.ts';
import { type FactColumns, factInUse } from './factRows.ts';

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
  former: string | null;
  superseded: string | null;
  alias: number;
  added: number;
  is_latest: number;
  is_expired: number;
  in_use: number;
}

/**
 * Wordings of a fact are numbered from 0: wording n is revision n + 1, or the present one if there is no such revision. A turn that
 * adds a fact teaches wording 0; one that replaces revision n teaches wording n. A turn of several messages may teach several
 * wordings of a fact, of which the last counts. What it superseded is quoted as it was then. A fact that others were merged into says
 * what they taught too.
 */
const LEARNT = `
  WITH taught AS (
    SELECT turn_id, id AS fact_id, 0 AS wording, 1 AS added FROM facts
    WHERE turn_id IN (SELECT value FROM json_each(@turnIds))
    UNION ALL
    SELECT turn_id, fact_id, ordinal, 0 FROM fact_revisions
    WHERE turn_id IN (SELECT value FROM json_each(@turnIds))
  ), last AS (
    SELECT turn_id, fact_id, min(wording) AS first, max(wording) AS wording, max(added) AS added
    FROM taught GROUP BY turn_id, fact_id
  )
  SELECT l.turn_id, f.id, f.kind, l.added,
         coalesce(r.content, f.content) AS content,
         r.content IS NULL AND NOT EXISTS (
           SELECT 1 FROM fact_merges m WHERE m.fact_id = l.fact_id AND (l.added = 1 OR m.at >= (
             SELECT until FROM fact_revisions w WHERE w.fact_id = l.fact_id AND w.ordinal = l.wording))) AS is_latest,
         (SELECT content FROM fact_revisions o WHERE o.fact_id = l.fact_id AND o.ordinal = l.first) AS former,
         (SELECT coalesce((SELECT content FROM fact_revisions w WHERE w.fact_id = o.id AND w.until > e.at ORDER BY w.ordinal LIMIT 1),
                          o.content)
          FROM fact_edges e JOIN facts o ON o.id = e.to_id
          WHERE e.from_id = l.fact_id AND e.kind = 'updates' AND e.turn_id = l.turn_id AND o.forgotten_at IS NULL
            AND NOT EXISTS (SELECT 1 FROM fact_edges d WHERE d.to_id = o.id AND d.kind = 'derived-from')
          ORDER BY e.at DESC LIMIT 1) AS superseded,
         EXISTS (SELECT 1 FROM fact_people p
                 WHERE p.fact_id = l.fact_id AND p.turn_id = l.turn_id AND p.tie = 'alias') AS alias,
         coalesce(f.expires_at <= @now, 0) AS is_expired, ${factInUse('f')} AS in_use
  FROM last l JOIN facts f ON f.id = l.fact_id
  LEFT JOIN fact_revisions r ON r.fact_id = l.fact_id AND r.ordinal = l.wording + 1
  WHERE f.forgotten_at IS NULL AND f.state <> 'pending' ORDER BY f.created_at, f.rowid`;

/** What some turns taught, as they taught it; forgotten facts and those that the user has yet to confirm left out. */
export function readLearnt(db: Db, turnIds: readonly TurnId[], now: number): LearntRow[] {
  return db.all<LearntColumns>(LEARNT, { turnIds: JSON.stringify(turnIds), now }).map((row) => ({
    turnId: row.turn_id,
    id: row.id,
    kind: row.kind,
    content: row.content,
    added: row.added === 1,
    state: stateOf(row),
    ...actOf(row),
  }));
}

function stateOf(row: LearntColumns): Learnt['state'] {
  if (row.is_expired === 1) return 'expired';
  return row.is_latest === 1 && row.in_use === 1 ? 'current' : 'changed';
}

function actOf({ superseded, former, alias, added }: LearntColumns): Pick<Learnt, 'act' | 'former'> {
  if (superseded !== null) return { act: 'superseded', former: superseded };
  if (added === 0) return { act: 'changed', former };
  return { act: alias === 1 ? 'alias' : 'learnt', former: null };
}

/** What a fact says, as far as a new wording replaces it. */
export type Wording = Pick<
  FactColumns,
  'content' | 'subjects' | 'importance' | 'kind' | 'value' | 'expires_at'
>;

/** Keeps the wording that a fact had until now. */
export function addRevision(
  db: Db,
  id: FactId,
  { at, turnId, ...wording }: Wording & { at: number; turnId: TurnId | null },
): void {
  const { content, subjects, importance, kind, value, expires_at } = wording;
  db.run(
    `INSERT INTO fact_revisions (fact_id, ordinal, content, until, turn_id, subjects, importance, kind, value, expires_at)
     VALUES (@id, (SELECT coalesce(max(ordinal), 0) + 1 FROM fact_revisions WHERE fact_id = @id), @content, @at, @turnId,
             @subjects, @importance, @kind, @value, @expires_at)`,
    { id, at, turnId, content, subjects, importance, kind, value, expires_at },
  );
}

/** What a fact said; what an earlier version of the schema did not keep is left out. */
export interface FormerWording {
  content: string;
  subjects?: string[];
  importance?: number;
  kind?: FactKind;
  value?: string | null;
  expiresAt?: number | null;
}

/**
 * What a fact said before the last wordings, those that a turn taught. They leave no revision: it is as if the turn had never been.
 * @returns null if the turn did not teach the present wording
 */
export function takeBackWordings(db: Db, id: FactId, turnId: TurnId): FormerWording | null {
  const taught = `fact_id = @id AND ordinal > coalesce(
    (SELECT max(ordinal) FROM fact_revisions WHERE fact_id = @id AND turn_id IS NOT @turnId), 0)`;
  const row = db.get<
    Pick<Wording, 'content' | 'value' | 'expires_at'> & {
      subjects: string | null;
      importance: number | null;
      kind: FactKind | null;
    }
  >(
    `SELECT content, subjects, importance, kind, value, expires_at FROM fact_revisions WHERE ${taught} ORDER BY ordinal LIMIT 1`,
    { id, turnId },
  );
  if (!row) return null;
  db.run(`DELETE FROM fact_revisions WHERE ${taught}`, { id, turnId });
  const { content, subjects, importance, kind, value, expires_at } = row;
  return {
    content,
    ...(subjects === null ? {} : { subjects: parseTexts(subjects) }),
    ...(importance === null ? {} : { importance }),
    ...(kind === null ? {} : { kind, value, expiresAt: expires_at }),
  };
}
