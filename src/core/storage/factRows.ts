import type { Fact, FactKind } from '../../shared/contract/facts.ts';
import type { ConversationId, FactId, TurnId, VaultId } from '../../shared/ids.ts';
import { parseTexts } from '../../shared/json.ts';
import type { Db } from './database.ts';
import { isPairSettled } from './factReviews.ts';

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
  state: 'current' | 'pending' | 'superseded';
  confidence: number;
  message_id: string | null;
  entity: string | null;
  relation: string | null;
  value: string | null;
  anchor_vault_id: string | null;
  anchor_path: string | null;
  anchor_heading: string | null;
  anchor_hash: string | null;
  stale_since: number | null;
  pinned: number;
  turn_id: string | null;
  conversation_id: string | null;
  created_at: number;
  updated_at: number;
  expires_at: number | null;
  forgotten_at: number | null;
  unsaid_at: number | null;
  use_count: number;
  last_used_at: number | null;
}

/** Rows of facts, to be followed by a condition on `f`. */
export const SELECT_FACTS = `SELECT f.*, t.conversation_id, d.since AS stale_since FROM facts f
  LEFT JOIN turns t ON t.id = f.turn_id LEFT JOIN fact_drift d ON d.fact_id = f.id`;

/**
 * The SQL condition under which the fact `row` is in use: it may be found, quoted and embedded. Takes `@now` (milliseconds since
 * 1970), so that a fact is out of use as soon as its time is over.
 */
export const factInUse = (row: string): string =>
  `(${row}.state = 'current' AND ${row}.forgotten_at IS NULL AND ${row}.unsaid_at IS NULL AND (${row}.expires_at IS NULL OR ${row}.expires_at > @now))`;

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
  const linksOf = readLinks(
    db,
    rows.map(({ id }) => id),
    now,
  );
  return rows.map((row) => {
    const earlier = revisions.get(row.id) ?? [];
    const links = linksOf.get(row.id) ?? [];
    return {
      ...toFact(row, now),
      supersededBy:
        row.state === 'superseded'
          ? (links.find(({ kind, isNewer }) => kind === 'updates' && isNewer)?.id ?? null)
          : null,
      contradicts: links.filter(({ kind }) => kind === 'contradicts').map(({ id }) => id),
      revisions: earlier.map(({ content, until }) => ({ content, until })),
    };
  });
}

interface Link {
  kind: 'updates' | 'contradicts';
  /** The other fact, and whether it is the newer one. */
  id: FactId;
  isNewer: boolean;
}

/** What replaced each of some facts, the latest first, and the facts in use that contradict it. */
function readLinks(db: Db, ids: readonly string[], now: number): Map<string, Link[]> {
  const rows = db.all<{ fact_id: string; kind: Link['kind']; other: string; is_newer: number }>(
    `WITH some AS (SELECT value AS id FROM json_each(@ids))
     SELECT e.to_id AS fact_id, e.kind, e.from_id AS other, 1 AS is_newer, e.at
       FROM some CROSS JOIN fact_edges e ON e.to_id = some.id LEFT JOIN facts f ON f.id = e.from_id
       WHERE (e.kind = 'updates' AND f.unsaid_at IS NULL) OR (e.kind = 'contradicts' AND ${factInUse('f')} AND NOT ${isPairSettled('e.from_id', 'e.to_id')})
     UNION ALL
     SELECT e.from_id, e.kind, e.to_id, 0, e.at
       FROM some CROSS JOIN fact_edges e ON e.from_id = some.id JOIN facts f ON f.id = e.to_id
       WHERE e.kind = 'contradicts' AND ${factInUse('f')} AND NOT ${isPairSettled('e.from_id', 'e.to_id')}
     ORDER BY at DESC, other`,
    { ids: JSON.stringify(ids), now },
  );
  const links = Map.groupBy(rows, ({ fact_id }) => fact_id);
  return new Map(
    [...links].map(([id, some]) => [
      id,
      some.map(({ kind, other, is_newer }) => ({ kind, id: other as FactId, isNewer: is_newer === 1 })),
    ]),
  );
}

function toFact(row: FactColumns, now: number): Omit<Fact, 'supersededBy' | 'contradicts' | 'revisions'> {
  return {
    id: row.id as FactId,
    content: row.content,
    kind: row.kind,
    key: row.key,
    subjects: parseTexts(row.subjects),
    importance: row.importance,
    source: row.source,
    channel: row.channel,
    status: statusOf(row, now),
    confidence: row.confidence,
    pinned: row.pinned === 1,
    turnId: row.turn_id as TurnId | null,
    conversationId: row.conversation_id as ConversationId | null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
    useCount: row.use_count,
    lastUsedAt: row.last_used_at,
    anchor:
      row.anchor_vault_id === null || row.anchor_path === null
        ? null
        : {
            vaultId: row.anchor_vault_id as VaultId,
            path: row.anchor_path,
            heading: parseTexts(row.anchor_heading ?? '[]'),
          },
    staleSince: row.stale_since,
  };
}

/** `current` exactly if `factInUse` holds. */
function statusOf(row: FactColumns, now: number): Fact['status'] {
  if (row.forgotten_at !== null) return 'forgotten';
  if (row.unsaid_at !== null) return 'unsaid';
  return row.expires_at !== null && row.expires_at <= now ? 'expired' : row.state;
}
