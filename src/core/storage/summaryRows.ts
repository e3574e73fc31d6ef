import type { Source } from '../../shared/contract/prompt.ts';
import type { Summary, SummaryMaker } from '../../shared/contract/summaries.ts';
import type { ConversationId, SummaryId, TurnId } from '../../shared/ids.ts';
import { parseTexts } from '../../shared/json.ts';
import type { Db } from './database.ts';

/** A row of `summaries`, with its conversation's title and channel. */
export interface SummaryColumns {
  rowid: number;
  id: string;
  conversation_id: string;
  title: string;
  channel: string;
  level: number;
  parent_id: string | null;
  text: string;
  findings: string;
  files: string;
  tools: string;
  topics: string;
  characters: number;
  made_by: SummaryMaker;
  made_from: string;
  sent_text: string | null;
  created_at: number;
  updated_at: number;
  removed_at: number | null;
  body_terms: string;
  term_count: number;
  text_hash: string;
}

export const SELECT_SUMMARIES = `SELECT s.rowid, s.*, v.title, v.channel FROM summaries s
  JOIN conversations v ON v.id = s.conversation_id`;

/**
 * The SQL condition under which the turns behind the summary `row` are what its conversation shows: all of them stand on its active path still. What
 * they say is the same, since a summary goes with the words that it was made of.
 */
export const summaryStands = (row: string): string =>
  `NOT EXISTS (SELECT 1 FROM summary_turns b LEFT JOIN turns t ON t.id = b.turn_id
     WHERE b.summary_id = ${row}.id AND (t.id IS NULL OR t.active = 0 OR t.conversation_id <> ${row}.conversation_id))`;

/** The SQL condition under which a summary may be found, quoted and embedded. */
export const summaryInUse = (row: string): string =>
  `(${row}.removed_at IS NULL AND ${row}.text <> ''
    AND EXISTS (SELECT 1 FROM conversations c WHERE c.id = ${row}.conversation_id AND c.removed_at IS NULL)
    AND ${summaryStands(row)})`;

/** Rows as summaries, in their order. What belongs to them is read at once. */
export function toSummaries(db: Db, rows: readonly SummaryColumns[]): Summary[] {
  const ids = JSON.stringify(rows.map(({ id }) => id));
  const turns = Map.groupBy(
    db.all<{ summary_id: string; id: TurnId; number: number; at: number }>(
      `SELECT b.summary_id, t.id, t.ordinal AS number, t.created_at AS at
       FROM json_each(?) j JOIN summary_turns b ON b.summary_id = j.value JOIN turns t ON t.id = b.turn_id
       ORDER BY t.ordinal`,
      ids,
    ),
    (turn) => turn.summary_id,
  );
  const children = Map.groupBy(
    db.all<{ parent_id: string; id: SummaryId }>(
      `SELECT s.parent_id, s.id FROM json_each(?) j JOIN summaries s ON s.parent_id = j.value
       ORDER BY (SELECT min(t.ordinal) FROM summary_turns b JOIN turns t ON t.id = b.turn_id WHERE b.summary_id = s.id)`,
      ids,
    ),
    (child) => child.parent_id,
  );
  return rows.map((row) => ({
    id: row.id as SummaryId,
    conversationId: row.conversation_id as ConversationId,
    channel: row.channel,
    title: row.title,
    level: row.level,
    text: row.text,
    findings: parseTexts(row.findings),
    files: parseTexts(row.files),
    tools: parseTexts(row.tools),
    topics: parseTexts(row.topics),
    characters: row.characters,
    turns: (turns.get(row.id) ?? []).map(({ id, number, at }) => ({ id, number, at })),
    parentId: row.parent_id as SummaryId | null,
    childIds: (children.get(row.id) ?? []).map(({ id }) => id),
    madeBy: row.made_by,
    madeFrom: parseTexts(row.made_from) as Source[],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}
