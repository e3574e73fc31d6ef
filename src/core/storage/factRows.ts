import type { Fact, FactKind } from '../../shared/contract/facts.ts';
import type { ConversationId, FactId, TurnId } from '../../shared/ids.ts';
import type { Db } from './database.ts';

/** A row of `facts`, with the conversation of the turn that taught it. */
export interface FactColumns {
  rowid: number;
  id: string;
  content: string;
  kind: FactKind;
  key: string | null;
  subjects: string;
  importance: number;
  source: Fact['source'];
  channel: string | null;
  status: 'current' | 'superseded';
  pinned: number;
  turn_id: string | null;
  conversation_id: string | null;
  created_at: number;
  updated_at: number;
  expires_at: number | null;
  forgotten_at: number | null;
  use_count: number;
}

/** Rows of facts, to be followed by a condition on `f`. */
export const SELECT_FACTS =
  'SELECT f.*, t.conversation_id FROM facts f LEFT JOIN turns t ON t.id = f.turn_id';

/**
 * The SQL condition under which the fact `row` is in use: it may be found, quoted and embedded. Takes `@now` (milliseconds since
 * 1970), so that a fact is out of use as soon as its time is over.
 */
export const factInUse = (row: string): string =>
  `(${row}.status = 'current' AND ${row}.forgotten_at IS NULL AND (${row}.expires_at IS NULL OR ${row}.expires_at > @now))`;

/** Rows as facts, in their order. The earlier wordings of all of them are read at once. */
export function toFacts(db: Db, rows: readonly FactColumns[], now: number): Fact[] {
  const revisions = Map.groupBy(
    db.all<{ fact_id: string; content: string; until: number }>(
      `SELECT fact_id, content, until FROM fact_revisions WHERE fact_id IN (SELECT value FROM json_each(?))
       ORDER BY fact_id, ordinal`,
      JSON.stringify(rows.map(({ id }) => id)),
    ),
    (revision) => revision.fact_id,
  );
  return rows.map((row) => {
    const earlier = revisions.get(row.id) ?? [];
    return toFact(
      row,
      earlier.map(({ content, until }) => ({ content, until })),
      now,
    );
  });
}

function toFact(row: FactColumns, revisions: Fact['revisions'], now: number): Fact {
  return {
    id: row.id as FactId,
    content: row.content,
    kind: row.kind,
    key: row.key,
    subjects: JSON.parse(row.subjects) as string[],
    importance: row.importance,
    source: row.source,
    channel: row.channel,
    status: statusOf(row, now),
    pinned: row.pinned === 1,
    turnId: row.turn_id as TurnId | null,
    conversationId: row.conversation_id as ConversationId | null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
    useCount: row.use_count,
    revisions,
  };
}

/** `current` exactly if `factInUse` holds. */
function statusOf(row: FactColumns, now: number): Fact['status'] {
  if (row.forgotten_at !== null) return 'forgotten';
  return row.expires_at !== null && row.expires_at <= now ? 'expired' : row.status;
}
