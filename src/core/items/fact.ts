import type { FactKind } from '../../shared/contract/facts.ts';
import type { FactId, TurnId } from '../../shared/ids.ts';
import type { Db } from '../storage/database.ts';
import { factInUse } from '../storage/factRows.ts';
import type { ItemDescription, ItemReading, ItemRow } from './item.ts';

/** A fact, as search reads it. */
export interface FactRow extends ItemRow {
  id: FactId;
  kind: FactKind;
  content: string;
  turnId: TurnId | null;
  channel: string | null;
  createdAt: number;
  expiresAt: number | null;
}

interface FactColumns {
  rowid: number;
  id: string;
  kind: FactKind;
  content: string;
  turn_id: string | null;
  channel: string | null;
  created_at: number;
  expires_at: number | null;
  term_count: number;
  subject_terms: string;
  body_terms: string;
}

const toRow = (row: FactColumns): FactRow => ({
  rowid: row.rowid,
  id: row.id as FactId,
  kind: row.kind,
  content: row.content,
  turnId: row.turn_id as TurnId | null,
  channel: row.channel,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  termCount: row.term_count,
  quotedHash: row.content,
  fields: { subject: row.subject_terms, body: row.body_terms },
});

function load(db: Db, rowids: readonly number[], now: number): FactRow[] {
  return db
    .all<FactColumns>(
      `SELECT f.* FROM json_each(@rowids) j JOIN facts f ON f.rowid = j.value WHERE ${factInUse('f')}`,
      { rowids: JSON.stringify(rowids), now },
    )
    .map(toRow);
}

function readRow({ id, channel, createdAt, content }: FactRow): ItemReading {
  return {
    place: { id, ...(channel === null ? {} : { channel }), createdAt },
    text: content,
    onlyAsks: () => false,
  };
}

function embeddable(db: Db, id: string, now: number): { hash: string; text: string } | null {
  const row = db.get<{ text_hash: string; content: string }>(
    `SELECT f.text_hash, f.content FROM facts f WHERE f.id = @id AND ${factInUse('f')}`,
    { id, now },
  );
  return row ? { hash: row.text_hash, text: row.content } : null;
}

/** One unit of long-term memory. */
export const fact: ItemDescription<FactRow> = {
  storedAs: 'fact',
  table: 'facts',
  fullText: {
    table: 'fact_fts',
    vocabulary: 'fact_vocabulary',
    fields: ['subject', 'body'],
    weights: [2, 1],
    content: 'SELECT f.rowid, f.subject_terms, f.body_terms FROM facts f',
    changes: [
      { after: 'INSERT ON facts', rowids: 'SELECT new.rowid AS rowid' },
      { after: 'UPDATE OF subject_terms, body_terms ON facts', rowids: 'SELECT new.rowid AS rowid' },
      { after: 'DELETE ON facts', rowids: 'SELECT old.rowid AS rowid' },
    ],
  },
  inUse: factInUse,
  vectors: `SELECT f.id, f.text_hash AS hash FROM facts f WHERE ${factInUse('f')}`,
  inConversation: 'facts r JOIN turns t ON t.id = r.turn_id JOIN conversations v ON v.id = t.conversation_id',
  happened: (row) => `(${row}.created_at >= @from AND ${row}.created_at < @to)`,
  inFolder: null,
  inEveryScope: "r.kind = 'identity' OR r.pinned = 1 OR r.source = 'manual'",
  quotedHash: (id) => `(SELECT f.content FROM facts f WHERE f.id = ${id} AND ${factInUse('f')})`,
  isErased: ({ id }) => `NOT EXISTS (SELECT 1 FROM facts f WHERE f.id = ${id})`,
  isUsedWithConversation: false,
  keys: 'SELECT f.rowid, f.id, f.created_at AS createdAt FROM facts f',
  backlinks: null,
  load,
  read: (rows) => rows.map(readRow),
  embeddable,
  terms: { version: 1, rewrite: ({ facts }, id) => facts.writeTerms(id as FactId) },
  cite: () => ({ noteId: null, vaultId: null, path: null, textHash: null }),
  readCited: (record, { facts }, now) => {
    const found = facts.get(record.itemId as FactId, now);
    const place = { kind: 'fact' as const, id: record.itemId, title: '', heading: [] };
    if (!found || found.status === 'forgotten') return { place: { ...place, state: 'gone' }, text: null };
    return {
      place: {
        ...place,
        state: 'current',
        ...(found.conversationId === null ? {} : { conversationId: found.conversationId }),
        createdAt: found.updatedAt,
      },
      text: { markdown: found.content, plain: () => found.content },
    };
  },
};
