import type { Citation } from '../../shared/contract/chat.ts';
import type { ChunkId, NoteId, VaultId } from '../../shared/ids.ts';
import { parseTexts } from '../../shared/json.ts';
import { clampTime } from '../../shared/time.ts';
import type { CitationRecord } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import type { ChunkRecord } from '../storage/notes/chunks.ts';
import type { NoteRecord } from '../storage/notes/noteRows.ts';
import type { NoteStore } from '../storage/notes/noteStore.ts';
import type { VaultRecord } from '../storage/vaults.ts';
import { obsidianUrl } from '../support/obsidianUrl.ts';
import { toPlainText } from '../support/text/plainText.ts';
import type { ItemDescription, ItemReading, ItemRow } from './item.ts';

/** A passage of a note, as search reads it. */
export interface PassageRow extends ItemRow {
  id: ChunkId;
  noteId: NoteId;
  vaultId: VaultId;
  path: string;
  title: string;
  heading: string[];
  markdown: string;
  tokens: number;
  modifiedAt: number;
  /** How many notes link to this passage's note. */
  backlinks: number;
}

/** A passage is in use unless its vault was removed and is in its undo period. */
const inUse = (row: string): string =>
  `EXISTS (SELECT 1 FROM notes n JOIN vaults v ON v.id = n.vault_id WHERE n.id = ${row}.note_id AND v.removed_at IS NULL)`;

/** How many notes link to notes of a name. Grouped, because `count(DISTINCT …)` makes a table of its own for each row. */
const linksTo = (nameKey: string): string =>
  `(SELECT count(*) FROM (SELECT 1 FROM links l WHERE l.target_key = ${nameKey} GROUP BY l.note_id))`;

interface PassageColumns {
  rowid: number;
  id: string;
  note_id: string;
  vault_id: string;
  path: string;
  title: string;
  heading: string;
  markdown: string;
  text_hash: string;
  tokens: number;
  mtime_ms: number;
  backlinks: number;
  term_count: number;
  title_terms: string;
  alias_terms: string;
  tag_terms: string;
  heading_terms: string;
  body_terms: string;
}

const toRow = (row: PassageColumns): PassageRow => ({
  rowid: row.rowid,
  id: row.id as ChunkId,
  noteId: row.note_id as NoteId,
  vaultId: row.vault_id as VaultId,
  path: row.path,
  title: row.title,
  heading: parseTexts(row.heading),
  markdown: row.markdown,
  quotedHash: row.text_hash,
  tokens: row.tokens,
  modifiedAt: clampTime(row.mtime_ms),
  backlinks: row.backlinks,
  termCount: row.term_count,
  fields: {
    title: row.title_terms,
    heading: row.heading_terms,
    alias: row.alias_terms,
    tag: row.tag_terms,
    body: row.body_terms,
  },
});

function load(db: Db, rowids: readonly number[], now: number): PassageRow[] {
  return db
    .all<PassageColumns>(
      `SELECT c.rowid, c.id, c.note_id, n.vault_id, n.path, n.title, c.heading, c.markdown, c.text_hash, c.tokens, n.mtime_ms,
              ${linksTo('n.name_key')} AS backlinks, c.term_count,
              n.title_terms, n.alias_terms, n.tag_terms, c.heading_terms, c.body_terms
       FROM json_each(@rowids) j JOIN chunks c ON c.rowid = j.value JOIN notes n ON n.id = c.note_id
       WHERE ${inUse('c')}`,
      { rowids: JSON.stringify(rowids), now },
    )
    .map(toRow);
}

function readRow(row: PassageRow): ItemReading {
  const { id, vaultId, noteId, title, path, heading, modifiedAt, markdown } = row;
  return {
    place: { id, vaultId, noteId, title, path, heading, createdAt: modifiedAt },
    text: toPlainText(markdown),
    onlyAsks: () => false,
  };
}

function embeddable(db: Db, id: string): { hash: string; text: string } | null {
  const row = db.get<{ text_hash: string; heading: string; markdown: string }>(
    'SELECT text_hash, heading, markdown FROM chunks WHERE id = ?',
    id,
  );
  if (!row) return null;
  const heading = parseTexts(row.heading).join(' › ');
  return { hash: row.text_hash, text: `${heading}\n${toPlainText(row.markdown)}` };
}

/** The cited passage if it still exists, else the passage that now has its heading. */
function findPassage(
  record: CitationRecord,
  found: { note: NoteRecord | undefined; vault: VaultRecord | undefined },
  notes: NoteStore,
): { chunk: ChunkRecord | undefined; state: Citation['state'] } {
  const { note, vault } = found;
  if (!note || !vault || vault.removedAt !== null) return { chunk: undefined, state: 'gone' };
  const same = notes.chunks.get(record.itemId as ChunkId);
  if (same) return { chunk: same, state: 'current' };
  const heading = JSON.stringify(record.heading);
  const section = notes.chunks.ofNote(note.id).find((chunk) => JSON.stringify(chunk.heading) === heading);
  return section ? { chunk: section, state: 'edited' } : { chunk: undefined, state: 'gone' };
}

/** A passage of a note: the part under one heading, cut where it is too long for the embedder. */
export const passage: ItemDescription<PassageRow> = {
  storedAs: 'chunk',
  table: 'chunks',
  fullText: {
    table: 'chunk_fts',
    vocabulary: 'chunk_vocabulary',
    fields: ['title', 'heading', 'alias', 'tag', 'body'],
    weights: [5, 3, 5, 4, 1],
    content: `SELECT c.rowid, n.title_terms, c.heading_terms, n.alias_terms, n.tag_terms, c.body_terms
              FROM chunks c JOIN notes n ON n.id = c.note_id`,
    changes: [
      { after: 'INSERT ON chunks', rowids: 'SELECT new.rowid AS rowid' },
      { after: 'UPDATE OF heading_terms, body_terms ON chunks', rowids: 'SELECT new.rowid AS rowid' },
      { after: 'DELETE ON chunks', rowids: 'SELECT old.rowid AS rowid' },
      {
        after: 'UPDATE OF title_terms, alias_terms, tag_terms ON notes',
        rowids: 'SELECT rowid FROM chunks WHERE note_id = new.id',
      },
    ],
  },
  inUse,
  // Passages keep their vectors during the undo period of a vault: embedding a vault again may take an hour.
  vectors: 'SELECT id, text_hash AS hash FROM chunks',
  inConversation: null,
  inEveryScope: null,
  happened: (row) =>
    `EXISTS (SELECT 1 FROM notes n WHERE n.id = ${row}.note_id AND n.mtime_ms >= @from AND n.mtime_ms < @to)`,
  inFolder: (row) =>
    `EXISTS (SELECT 1 FROM notes n WHERE n.id = ${row}.note_id AND substr(n.path_key, 1, length(@folder)) = @folder)`,
  quotedHash: (id) => `(SELECT c.text_hash FROM chunks c WHERE c.id = ${id} AND ${inUse('c')})`,
  // A note that changed lost passages too, but what they said may be quoted as long as there is a note of that path.
  isErased: ({ id, path }) =>
    `(${id} NOT IN (SELECT c.id FROM chunks c) AND coalesce(${path}, '') NOT IN (SELECT n.path FROM notes n))`,
  isUsedWithConversation: false,
  keys: 'SELECT c.rowid, c.id FROM chunks c',
  backlinks: (row) => linksTo(`(SELECT n.name_key FROM notes n WHERE n.id = ${row}.note_id)`),
  load,
  read: (rows) => rows.map(readRow),
  embeddable,
  terms: null,
  cite: (id, { notes }) => {
    const chunk = notes.chunks.get(id as ChunkId);
    const note = chunk && notes.get(chunk.noteId);
    return {
      noteId: note?.id ?? null,
      vaultId: note?.vaultId ?? null,
      path: note?.path ?? null,
      textHash: chunk?.textHash ?? null,
    };
  },
  readCited: (record, { vaults, notes }) => {
    const note = record.noteId === null ? undefined : notes.get(record.noteId);
    const vault = record.vaultId === null ? undefined : vaults.get(record.vaultId);
    const { chunk, state } = findPassage(record, { note, vault }, notes);
    const path = note?.path ?? record.path;
    return {
      place: {
        kind: 'note',
        state,
        id: chunk?.id ?? record.itemId,
        title: note?.title ?? record.title,
        heading: chunk?.heading ?? record.heading,
        ...(record.noteId === null
          ? {}
          : { noteId: record.noteId, noteStamp: notes.stamps([record.noteId])[0]?.stamp ?? null }),
        ...(record.vaultId === null ? {} : { vaultId: record.vaultId }),
        ...(vault ? { vaultName: vault.name } : {}),
        ...(path === null ? {} : { path }),
        ...(chunk && note && vault
          ? { startLine: chunk.startLine, obsidianUrl: obsidianUrl(vault, note.path, chunk.heading) }
          : {}),
      },
      text: chunk ? { markdown: chunk.markdown, plain: () => toPlainText(chunk.markdown) } : null,
    };
  },
};
