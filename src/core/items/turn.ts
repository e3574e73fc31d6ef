import type { ConversationId, TurnId } from '../../shared/ids.ts';
import { type MessageRecord, textOfMessages } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import { readLabels } from '../storage/turnLabels.ts';
import type { ItemDescription, ItemReading, ItemRow, ItemStores } from './item.ts';
import { CHANGED_SINCE_3, joined, TURN_TEXT_VERSION, toolTexts, turnTerms, turnText } from './turnText.ts';

/** A turn of a conversation, as search reads it. */
export interface TurnRow extends ItemRow {
  id: TurnId;
  conversationId: ConversationId;
  channel: string;
  title: string;
  ordinal: number;
  createdAt: number;
  /** How many of the body's terms, the last ones, are of the tools that the reply called. */
  toolTerms: number;
}

/** A turn is in use on the active path of its conversation, unless that was removed and is in its undo period. */
const inUse = (row: string): string =>
  `(${row}.active = 1 AND EXISTS (SELECT 1 FROM conversations v WHERE v.id = ${row}.conversation_id AND v.removed_at IS NULL))`;

interface TurnColumns {
  rowid: number;
  id: string;
  conversation_id: string;
  channel: string;
  title: string;
  ordinal: number;
  created_at: number;
  term_count: number;
  tool_terms: number;
  title_terms: string;
  body_terms: string;
}

const toRow = (row: TurnColumns): TurnRow => ({
  rowid: row.rowid,
  id: row.id as TurnId,
  conversationId: row.conversation_id as ConversationId,
  channel: row.channel,
  title: row.title,
  ordinal: row.ordinal,
  createdAt: row.created_at,
  termCount: row.term_count,
  quotedHash: row.id,
  toolTerms: row.tool_terms,
  fields: { title: row.title_terms, body: row.body_terms },
});

function load(db: Db, rowids: readonly number[], now: number): TurnRow[] {
  return db
    .all<TurnColumns>(
      `SELECT t.rowid, t.id, t.conversation_id, v.channel, v.title, t.ordinal, t.created_at, t.term_count, t.tool_terms, v.title_terms, t.body_terms
       FROM json_each(@rowids) j JOIN turns t ON t.rowid = j.value JOIN conversations v ON v.id = t.conversation_id
       WHERE ${inUse('t')}`,
      { rowids: JSON.stringify(rowids), now },
    )
    .map(toRow);
}

/** Reads the shown messages of all turns at once. */
function read(
  rows: readonly TurnRow[],
  { db, conversations }: Pick<ItemStores, 'conversations' | 'db'>,
): ItemReading[] {
  const ids = rows.map(({ id }) => id);
  const messages = Map.groupBy(conversations.shownMessagesOf(ids), (message) => message.turnId);
  const tools = toolTexts(db, ids);
  const labels = readLabels(db, ids);
  return rows.map((row) => ({
    ...readRow(row, messages.get(row.id) ?? [], tools.get(row.id) ?? ''),
    label: labels.get(row.id),
  }));
}

function readRow(row: TurnRow, messages: readonly MessageRecord[], tools: string): ItemReading {
  const { id, conversationId, channel, title, ordinal, createdAt } = row;
  const messageIds = messages.map((message) => message.id);
  return {
    place: { id, title, conversationId, channel, ordinal, messageIds, createdAt },
    text: joined([textOfMessages(messages, '\n'), tools]),
    onlyAsks: (terms) => onlyAsks(row, messages, terms),
  };
}

/**
 * A turn tells nothing if only its questions are kept, because passages answered them, or if it says no more than what is asked
 * now. The passages that answered it are candidates themselves.
 */
function onlyAsks(
  row: TurnRow,
  messages: readonly MessageRecord[],
  terms: ReadonlyMap<string, number>,
): boolean {
  const said = messages.filter(({ content }) => content !== '');
  const wasAnswered = messages.some(({ version }) => version !== null);
  if (!wasAnswered || said.some(({ role }) => role !== 'user')) return false;
  const body = row.fields.body?.split(' ') ?? [];
  return said.every(({ content }) => content.trim().endsWith('?')) || body.every((term) => terms.has(term));
}

function embeddable(db: Db, id: string, now: number): { hash: string; text: string } | null {
  const row = db.get<{ text_hash: string }>(
    `SELECT t.text_hash FROM turns t WHERE t.id = @id AND ${inUse('t')}`,
    { id, now },
  );
  return row ? { hash: row.text_hash, text: turnText(db, id as TurnId) } : null;
}

/** A turn, and the conversation that it belongs to. */
export interface PlacedTurn {
  rowid: number;
  id: TurnId;
  conversationId: ConversationId;
}

/** Turns in use of a stretch of time (`to` excluded), without jobs' own, the latest first; only those of `within`, if given. */
export function turnsBetween(
  db: Db,
  time: { from: number; to: number; now: number },
  options: { limit: number; within: ReadonlySet<number> | null },
): PlacedTurn[] {
  const { limit, within } = options;
  return db.all<PlacedTurn>(
    `SELECT t.rowid, t.id, t.conversation_id AS conversationId FROM turns t
     WHERE t.created_at >= @from AND t.created_at < @to AND t.source <> 'system' AND ${inUse('t')}
     ${within ? 'AND t.rowid IN (SELECT value FROM json_each(@within))' : ''}
     ORDER BY t.created_at DESC, t.rowid DESC LIMIT @limit`,
    { ...time, limit, within: within ? JSON.stringify([...within]) : null },
  );
}

/** One turn of a conversation: what the user sent and the reply that is shown. */
export const turn: ItemDescription<TurnRow> = {
  storedAs: 'turn',
  table: 'turns',
  fullText: {
    table: 'turn_fts',
    vocabulary: 'turn_vocabulary',
    fields: ['title', 'body'],
    weights: [1, 1],
    content: `SELECT t.rowid, v.title_terms, t.body_terms FROM turns t JOIN conversations v ON v.id = t.conversation_id
      WHERE t.active = 1`,
    // All turns of a conversation share its title, so it tells little.
    fieldWeights: { title: 0.5 },
    // A turn of three words that only names what is asked for answers nothing. nDCG@10 of the talk to tune on: .274 with 0.75, .303 with 0.15.
    lengthCounts: 0.15,
    changes: [
      { after: 'INSERT ON turns', rowids: 'SELECT new.rowid AS rowid' },
      {
        after: 'UPDATE OF body_terms, active, conversation_id, ordinal ON turns',
        rowids: 'SELECT new.rowid AS rowid',
      },
      { after: 'DELETE ON turns', rowids: 'SELECT old.rowid AS rowid' },
      {
        after: 'UPDATE OF title_terms ON conversations',
        rowids: 'SELECT rowid FROM turns WHERE conversation_id = new.id',
      },
    ],
  },
  inUse,
  vectors: `SELECT t.id, t.text_hash AS hash FROM turns t WHERE ${inUse('t')}`,
  inConversation: 'turns r JOIN conversations v ON v.id = r.conversation_id',
  inEveryScope: null,
  happened: (row) => `(${row}.created_at >= @from AND ${row}.created_at < @to)`,
  inFolder: null,
  // A turn that was answered again still says what was quoted of it.
  quotedHash: (id) => `(SELECT t.id FROM turns t WHERE t.id = ${id} AND ${inUse('t')})`,
  isErased: ({ id }) => `NOT EXISTS (SELECT 1 FROM turns t WHERE t.id = ${id})`,
  isUsedWithConversation: true,
  keys: `SELECT t.rowid, t.id, t.created_at AS createdAt, t.conversation_id AS conversationId, t.ordinal FROM turns t
    WHERE t.active = 1`,
  backlinks: null,
  load,
  read,
  embeddable,
  terms: {
    version: TURN_TEXT_VERSION,
    rewrite: ({ db, conversations }, id) => conversations.setTerms(id as TurnId, turnTerms(db, id as TurnId)),
    changed: { since: 3, rows: CHANGED_SINCE_3 },
  },
  cite: () => ({ noteId: null, vaultId: null, path: null, textHash: null }),
  readCited: (record, { conversations }) => {
    const found = conversations.turn(record.itemId as TurnId);
    const conversation = found && conversations.get(found.conversationId);
    const place = { kind: 'turn' as const, id: record.itemId, heading: [] };
    if (!found || !conversation) {
      return { place: { ...place, state: 'gone', title: record.title }, text: null };
    }
    const messages = conversations.shownMessagesOf([found.id]);
    const text = textOfMessages(messages, '\n\n');
    return {
      place: {
        ...place,
        state: 'current',
        title: conversation.title,
        conversationId: conversation.id,
        messageIds: messages.map((message) => message.id),
        createdAt: found.createdAt,
      },
      text: { markdown: text, plain: () => text },
    };
  },
};
