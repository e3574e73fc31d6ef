import type { AttachmentKind } from '../../shared/contract/attachments.ts';
import type { ConversationId, SectionId, TurnId } from '../../shared/ids.ts';
import { parseTexts } from '../../shared/json.ts';
import { writeSectionTerms } from '../storage/attachments.ts';
import type { Db } from '../storage/database.ts';
import type { ItemDescription, ItemReading, ItemRow } from './item.ts';

/** A section of an attached file, as search reads it. */
export interface SectionRow extends ItemRow {
  id: SectionId;
  turnId: TurnId;
  conversationId: ConversationId;
  channel: string;
  /** The file's name. */
  title: string;
  heading: string[];
  text: string;
  /** When it was attached. */
  createdAt: number;
}

/** It is in use as long as the turn is that it was attached to. */
const inUse = (row: string): string =>
  `EXISTS (SELECT 1 FROM attachments a JOIN turns t ON t.id = a.turn_id JOIN conversations v ON v.id = t.conversation_id
     WHERE a.id = ${row}.attachment_id AND t.active = 1 AND v.removed_at IS NULL)`;

interface Columns {
  rowid: number;
  id: string;
  turn_id: string;
  conversation_id: string;
  channel: string;
  name: string;
  kind: AttachmentKind;
  heading: string;
  text: string;
  text_hash: string;
  created_at: number;
  title_terms: string;
  body_terms: string;
  term_count: number;
}

const SELECT = `SELECT s.rowid, s.id, a.turn_id, t.conversation_id, v.channel, a.name, a.kind, s.heading, s.text, s.text_hash,
    t.created_at, s.title_terms, s.body_terms, s.term_count
  FROM attachment_sections s JOIN attachments a ON a.id = s.attachment_id
  JOIN turns t ON t.id = a.turn_id JOIN conversations v ON v.id = t.conversation_id`;

const toRow = (row: Columns): SectionRow => ({
  rowid: row.rowid,
  id: row.id as SectionId,
  turnId: row.turn_id as TurnId,
  conversationId: row.conversation_id as ConversationId,
  channel: row.channel,
  title: row.name,
  heading: parseTexts(row.heading),
  text: row.text,
  createdAt: row.created_at,
  termCount: row.term_count,
  quotedHash: row.text_hash,
  fields: { title: row.title_terms, body: row.body_terms },
});

function readRow({
  id,
  title,
  heading,
  turnId,
  conversationId,
  channel,
  createdAt,
  text,
}: SectionRow): ItemReading {
  return {
    place: { id, title, heading, turnIds: [turnId], conversationId, channel, createdAt },
    text,
    onlyAsks: () => false,
  };
}

const one = (db: Db, id: string): Columns | undefined =>
  db.get<Columns>(`${SELECT} WHERE s.id = ? AND t.active = 1 AND v.removed_at IS NULL`, id);

/** A section of a file that was attached to a message. Attached notes are found in their vaults. */
export const attachment: ItemDescription<SectionRow> = {
  storedAs: 'attachment',
  table: 'attachment_sections',
  fullText: {
    table: 'attachment_fts',
    vocabulary: 'attachment_vocabulary',
    fields: ['title', 'body'],
    weights: [1, 1],
    content: 'SELECT s.rowid, s.title_terms, s.body_terms FROM attachment_sections s',
    changes: [
      { after: 'INSERT ON attachment_sections', rowids: 'SELECT new.rowid AS rowid' },
      {
        after: 'UPDATE OF title_terms, body_terms ON attachment_sections',
        rowids: 'SELECT new.rowid AS rowid',
      },
      { after: 'DELETE ON attachment_sections', rowids: 'SELECT old.rowid AS rowid' },
    ],
  },
  inUse,
  vectors: `SELECT s.id, s.text_hash AS hash FROM attachment_sections s WHERE ${inUse('s')}`,
  inConversation:
    'attachment_sections r JOIN attachments a ON a.id = r.attachment_id JOIN turns t ON t.id = a.turn_id JOIN conversations v ON v.id = t.conversation_id',
  happened: (row) =>
    `EXISTS (SELECT 1 FROM attachments a JOIN turns t ON t.id = a.turn_id WHERE a.id = ${row}.attachment_id
       AND t.created_at >= @from AND t.created_at < @to)`,
  inFolder: null,
  inEveryScope: null,
  quotedHash: (id) => `(SELECT s.text_hash FROM attachment_sections s WHERE s.id = ${id} AND ${inUse('s')})`,
  isErased: ({ id }) => `NOT EXISTS (SELECT 1 FROM attachment_sections s WHERE s.id = ${id})`,
  isUsedWithConversation: false,
  keys: `SELECT s.rowid, s.id, t.created_at AS createdAt
    FROM attachment_sections s JOIN attachments a ON a.id = s.attachment_id JOIN turns t ON t.id = a.turn_id`,
  backlinks: null,
  load: (db, rowids, now) =>
    db
      .all<Columns>(
        `${SELECT} WHERE s.rowid IN (SELECT value FROM json_each(@rowids)) AND t.active = 1 AND v.removed_at IS NULL`,
        { rowids: JSON.stringify(rowids), now },
      )
      .map(toRow),
  read: (rows) => rows.map(readRow),
  embeddable: (db, id) => {
    const row = one(db, id);
    return row ? { hash: row.text_hash, text: row.text } : null;
  },
  terms: { version: 1, rewrite: ({ db }, id) => writeSectionTerms(db, id) },
  cite: () => ({ noteId: null, vaultId: null, path: null, textHash: null }),
  readCited: (record, { attachments }) => {
    const place = { kind: 'attachment' as const, id: record.itemId, heading: record.heading };
    const row = attachments.placed(record.itemId);
    if (!row) return { place: { ...place, state: 'gone', title: record.title }, text: null };
    const { name, conversationId, createdAt, text } = row;
    return {
      place: {
        ...place,
        state: 'current',
        title: name,
        createdAt,
        ...(conversationId ? { conversationId } : {}),
      },
      text: { markdown: row.kind === 'markdown' ? text : asCode(text), plain: () => text },
    };
  },
};

/** A text that is no Markdown, to be shown as it is: a fence is longer than any in it. */
function asCode(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}
