import type { ConversationId, SummaryId, TurnId } from '../../shared/ids.ts';
import { parseTexts } from '../../shared/json.ts';
import type { Db } from '../storage/database.ts';
import { summaryText, writeSummaryTerms } from '../storage/summaries.ts';
import { SELECT_SUMMARIES, type SummaryColumns, summaryInUse } from '../storage/summaryRows.ts';
import type { ItemDescription, ItemReading, ItemRow } from './item.ts';

/** A summary, as search reads it. */
export interface SummaryRow extends ItemRow {
  id: SummaryId;
  conversationId: ConversationId;
  channel: string;
  title: string;
  level: number;
  text: string;
  /** The turns behind it. */
  turns: readonly TurnId[];
  /** Of the first of them. */
  createdAt: number;
  /** When the last of them was. */
  lastAt: number;
}

type Columns = SummaryColumns & { turns: string; at: number; last_at: number };

const toRow = (row: Columns): SummaryRow => ({
  rowid: row.rowid,
  id: row.id as SummaryId,
  conversationId: row.conversation_id as ConversationId,
  channel: row.channel,
  title: row.title,
  level: row.level,
  text: textOf(row),
  turns: parseTexts(row.turns) as TurnId[],
  createdAt: row.at,
  lastAt: row.last_at,
  termCount: row.term_count,
  quotedHash: row.text_hash,
  fields: { body: row.body_terms },
});

const textOf = ({ text, findings, topics }: Pick<SummaryColumns, 'text' | 'findings' | 'topics'>): string =>
  summaryText({ text, findings: parseTexts(findings), topics: parseTexts(topics) });

function load(db: Db, rowids: readonly number[], now: number): SummaryRow[] {
  return db
    .all<Columns>(
      `SELECT x.*, (SELECT json_group_array(b.turn_id) FROM summary_turns b WHERE b.summary_id = x.id) AS turns,
         (SELECT min(t.created_at) FROM summary_turns b JOIN turns t ON t.id = b.turn_id WHERE b.summary_id = x.id) AS at,
         (SELECT max(t.created_at) FROM summary_turns b JOIN turns t ON t.id = b.turn_id WHERE b.summary_id = x.id) AS last_at
       FROM json_each(@rowids) j JOIN (${SELECT_SUMMARIES}) x ON x.rowid = j.value WHERE ${summaryInUse('x')} AND @now >= 0`,
      { rowids: JSON.stringify(rowids), now },
    )
    .map(toRow);
}

function readRow({
  id,
  title,
  conversationId,
  channel,
  level,
  turns,
  createdAt,
  text,
}: SummaryRow): ItemReading {
  return {
    place: { id, title, conversationId, channel, level, turnIds: [...turns], createdAt },
    text,
    onlyAsks: () => false,
  };
}

function embeddable(db: Db, id: string): { hash: string; text: string } | null {
  const row = db.get<SummaryColumns>(`${SELECT_SUMMARIES} WHERE s.id = ? AND ${summaryInUse('s')}`, id);
  return row ? { hash: row.text_hash, text: textOf(row) } : null;
}

/** What one turn, or several, came to. */
export const summary: ItemDescription<SummaryRow> = {
  storedAs: 'summary',
  table: 'summaries',
  fullText: {
    table: 'summary_fts',
    vocabulary: 'summary_vocabulary',
    fields: ['body'],
    weights: [1],
    content: 'SELECT s.rowid, s.body_terms FROM summaries s',
    changes: [
      { after: 'INSERT ON summaries', rowids: 'SELECT new.rowid AS rowid' },
      { after: 'UPDATE OF body_terms ON summaries', rowids: 'SELECT new.rowid AS rowid' },
      { after: 'DELETE ON summaries', rowids: 'SELECT old.rowid AS rowid' },
    ],
  },
  inUse: summaryInUse,
  vectors: `SELECT s.id, s.text_hash AS hash FROM summaries s WHERE ${summaryInUse('s')}`,
  inConversation: 'summaries r JOIN conversations v ON v.id = r.conversation_id',
  inEveryScope: null,
  happened: (row) =>
    `EXISTS (SELECT 1 FROM summary_turns b JOIN turns t ON t.id = b.turn_id WHERE b.summary_id = ${row}.id
       AND t.created_at >= @from AND t.created_at < @to)`,
  inFolder: null,
  quotedHash: (id) => `(SELECT s.text_hash FROM summaries s WHERE s.id = ${id} AND ${summaryInUse('s')})`,
  isErased: ({ id }) => `NOT EXISTS (SELECT 1 FROM summaries s WHERE s.id = ${id} AND s.removed_at IS NULL)`,
  isUsedWithConversation: false,
  keys: `SELECT s.rowid, s.id,
      (SELECT min(t.created_at) FROM summary_turns b JOIN turns t ON t.id = b.turn_id WHERE b.summary_id = s.id) AS createdAt
    FROM summaries s`,
  backlinks: null,
  load,
  read: (rows) => rows.map(readRow),
  embeddable,
  terms: { version: 1, rewrite: ({ db }, id) => writeSummaryTerms(db, id) },
  cite: () => ({ noteId: null, vaultId: null, path: null, textHash: null }),
  readCited: (record, { summaries }) => {
    const found = summaries.get(record.itemId as SummaryId);
    const place = { kind: 'summary' as const, id: record.itemId, heading: [] };
    if (!found) return { place: { ...place, state: 'gone', title: record.title }, text: null };
    return {
      place: {
        ...place,
        state: 'current',
        title: found.title,
        conversationId: found.conversationId,
        createdAt: found.turns[0]?.at ?? found.createdAt,
      },
      text: { markdown: found.text, plain: () => found.text },
    };
  },
};
