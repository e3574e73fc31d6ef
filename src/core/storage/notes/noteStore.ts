import type { NoteReason, NoteRow } from '../../../shared/contract/notes.ts';
import type { NoteId, VaultId } from '../../../shared/ids.ts';
import { parseTexts } from '../../../shared/json.ts';
import { lookupKey, nameKey } from '../../support/paths.ts';
import type { Db } from '../database.ts';
import { FactAnchors } from '../factAnchors.ts';
import { ChunkStore, type NewChunk, type NoteTerms } from './chunks.ts';
import { LinkStore, type NewLink } from './links.ts';
import {
  countIndexed,
  countNotes,
  listFolders,
  listNotes,
  type NoteCounts,
  type NoteList,
  type NoteQuery,
  readNoteRow,
} from './noteList.ts';
import { NOTE_COLUMNS, type NoteColumns, type NoteRecord, toNoteRecord } from './noteRows.ts';

/** A note that a walk found and that is still to be read. */
export interface PendingNote {
  id: NoteId;
  vaultId: VaultId;
  path: string;
  title: string;
  bytes: number;
  mtimeMs: number;
}

/** Everything that indexing learns about a note. */
export interface IndexedNote extends NoteTerms {
  id: NoteId;
  title: string;
  contentHash: string;
  chunkerVersion: number;
  bytes: number;
  mtimeMs: number;
  reason: NoteReason | null;
  detail: string | null;
  tags: string[];
  aliases: string[];
  chunks: NewChunk[];
  links: NewLink[];
  indexedAt: number;
}

/** Why a note is not indexed. */
export interface SetAside {
  status: 'skipped' | 'failed';
  reason: NoteReason;
  detail: string | null;
  bytes: number;
  mtimeMs: number;
  /** When that was found, in milliseconds since 1970. */
  at: number;
}

/** The catalogue of notes: a row for each file of a vault, with its chunks and links. */
export class NoteStore {
  readonly chunks: ChunkStore;
  readonly links: LinkStore;
  readonly #db: Db;
  readonly #anchors: FactAnchors;

  /** @param anchors what is told of notes that are written or gone */
  constructor(db: Db, anchors = new FactAnchors(db, () => undefined)) {
    this.#db = db;
    this.#anchors = anchors;
    this.chunks = new ChunkStore(db);
    this.links = new LinkStore(db);
  }

  get(id: NoteId): NoteRecord | undefined {
    return this.#one('n.id = ?', id);
  }

  byPath(vaultId: VaultId, path: string): NoteRecord | undefined {
    return this.#one('n.vault_id = ? AND n.path = ?', vaultId, path);
  }

  /** Every note of a vault, by path. */
  inVault(vaultId: VaultId): NoteRecord[] {
    return this.#all('n.vault_id = ? ORDER BY n.path', vaultId);
  }

  /** The notes of a vault that could not be indexed, by path. */
  failedIn(vaultId: VaultId): NoteRecord[] {
    return this.#all("n.vault_id = ? AND n.status = 'failed' ORDER BY n.path", vaultId);
  }

  /** Up to `limit` indexed notes with this content, in no particular order: sorting by path would read the whole vault. */
  withContent(vaultId: VaultId, contentHash: string, limit: number): NoteRecord[] {
    return this.#all('n.vault_id = ? AND n.content_hash = ? LIMIT ?', vaultId, contentHash, limit);
  }

  /** The notes that a wikilink whose last part has this `nameKey` may mean, in no particular order. */
  byName(vaultId: VaultId, key: string): NoteRecord[] {
    return this.#all('n.vault_id = ? AND n.name_key = ?', vaultId, key);
  }

  labels(id: NoteId): { tags: string[]; aliases: string[] } {
    const row = this.#db.get<{ tags: string; aliases: string }>(
      'SELECT tags, aliases FROM notes WHERE id = ?',
      id,
    );
    return {
      tags: parseTexts(row?.tags ?? '[]'),
      aliases: parseTexts(row?.aliases ?? '[]'),
    };
  }

  /** A note as the table shows it; undefined if there is none or its vault was removed. */
  row(id: NoteId): NoteRow | undefined {
    return readNoteRow(this.#db, id);
  }

  list(query: NoteQuery): NoteList {
    return listNotes(this.#db, query);
  }

  /** Counts of one vault, or of all that are in use. */
  counts(vaultId?: VaultId): NoteCounts {
    return countNotes(this.#db, vaultId);
  }

  folders(): string[] {
    return listFolders(this.#db);
  }

  countIndexed(): { indexed: number; pending: number } {
    return countIndexed(this.#db);
  }

  /** A text for each note that changes with its content, path or vault; null if the note or its vault is gone. */
  stamps(ids: readonly NoteId[]): { id: NoteId; stamp: string | null }[] {
    return this.#db.all<{ id: NoteId; stamp: string | null }>(
      `SELECT j.value AS id, n.path || ' ' || coalesce(n.content_hash, '') AS stamp
       FROM json_each(?) j
       LEFT JOIN notes n ON n.id = j.value AND n.vault_id IN (SELECT id FROM vaults WHERE removed_at IS NULL)`,
      JSON.stringify(ids),
    );
  }

  insertPending(note: PendingNote): void {
    this.#db.run(
      `INSERT INTO notes (id, vault_id, path, path_key, name_key, title, status, bytes, mtime_ms)
       VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, ?)`,
      note.id,
      note.vaultId,
      note.path,
      lookupKey(note.path),
      nameKey(note.path),
      note.title,
      note.bytes,
      note.mtimeMs,
    );
  }

  /** Records that the file was read and its content is the indexed one. */
  setSeen(id: NoteId, bytes: number, mtimeMs: number): void {
    this.#db.run('UPDATE notes SET bytes = ?, mtime_ms = ? WHERE id = ?', bytes, mtimeMs, id);
  }

  /** Has the notes read and parsed again. */
  setPending(ids: readonly NoteId[]): void {
    this.#db.run(
      `UPDATE notes SET status = 'pending', mtime_ms = -1, content_hash = NULL, reason = NULL, detail = NULL
       WHERE id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    );
  }

  /** Sets the note aside with a reason, and erases what was indexed of it before. */
  setAside(id: NoteId, aside: SetAside): void {
    this.#db.transaction(() => {
      // What cannot be read for now is there all the same.
      if (aside.status === 'skipped') this.#anchors.compare(id, [], aside.at);
      this.chunks.eraseOfNote(id);
      this.links.eraseOfNote(id);
      this.#db.run(
        `UPDATE notes SET status = ?, reason = ?, detail = ?, bytes = ?, mtime_ms = ?, content_hash = NULL,
                          chunk_count = 0, indexed_at = ? WHERE id = ?`,
        aside.status,
        aside.reason,
        aside.detail,
        aside.bytes,
        aside.mtimeMs,
        aside.at,
        id,
      );
    });
  }

  /** Moves the note to another path with its chunks. It must be parsed again, because its title may be its file's name. */
  rename(id: NoteId, path: string): void {
    this.#db.run(
      'UPDATE notes SET path = ?, path_key = ?, name_key = ?, content_hash = NULL, mtime_ms = -1 WHERE id = ?',
      path,
      lookupKey(path),
      nameKey(path),
      id,
    );
  }

  /**
   * Writes everything that was learnt about a note, in one transaction.
   * @returns the number of chunks that are new
   */
  writeIndexed(note: IndexedNote): number {
    return this.#db.transaction(() => {
      const before = this.#db.get<{ title_terms: string; alias_terms: string; tag_terms: string }>(
        'SELECT title_terms, alias_terms, tag_terms FROM notes WHERE id = ?',
        note.id,
      );
      this.#writeRow(note);
      this.links.replace(note.id, note.links);
      const added = this.chunks.replace(note.id, note.chunks, note);
      const termsChanged =
        before?.title_terms !== note.titleTerms ||
        before.alias_terms !== note.aliasTerms ||
        before.tag_terms !== note.tagTerms;
      if (termsChanged && added < note.chunks.length) this.chunks.rewriteFullText(note.id);
      this.#anchors.compare(
        note.id,
        note.chunks.map(({ markdown }) => markdown),
        note.indexedAt,
      );
      return added;
    });
  }

  /** @param at when its file was found to be gone or left out, in milliseconds since 1970 */
  erase(id: NoteId, at: number): void {
    this.#db.transaction(() => {
      this.#anchors.compare(id, [], at);
      this.chunks.eraseFullText(id);
      this.#db.run('DELETE FROM notes WHERE id = ?', id);
    });
  }

  /**
   * Erases up to `limit` notes of a vault.
   * @param at milliseconds since 1970
   * @returns whether there may be more
   */
  eraseSome(vaultId: VaultId, limit: number, at: number): boolean {
    const ids = this.#db.all<{ id: NoteId }>(
      'SELECT id FROM notes WHERE vault_id = ? LIMIT ?',
      vaultId,
      limit,
    );
    const list = JSON.stringify(ids.map(({ id }) => id));
    this.#db.transaction(() => {
      for (const { id } of ids) this.#anchors.compare(id, [], at);
      this.#db.run(
        `DELETE FROM chunk_fts WHERE rowid IN
           (SELECT c.rowid FROM json_each(?) j JOIN chunks c ON c.note_id = j.value)`,
        list,
      );
      // The foreign keys erase chunks, links and names; the triggers of the chunks tell the vector index.
      this.#db.run('DELETE FROM notes WHERE id IN (SELECT value FROM json_each(?))', list);
    });
    return ids.length === limit;
  }

  #writeRow(note: IndexedNote): void {
    this.#db.run(
      `UPDATE notes SET title = ?, status = 'indexed', reason = ?, detail = ?, content_hash = ?, chunker_version = ?,
         bytes = ?, mtime_ms = ?, tags = ?, aliases = ?, title_terms = ?, alias_terms = ?, tag_terms = ?,
         chunk_count = ?, indexed_at = ? WHERE id = ?`,
      note.title,
      note.reason,
      note.detail,
      note.contentHash,
      note.chunkerVersion,
      note.bytes,
      note.mtimeMs,
      JSON.stringify(note.tags),
      JSON.stringify(note.aliases),
      note.titleTerms,
      note.aliasTerms,
      note.tagTerms,
      note.chunks.length,
      note.indexedAt,
      note.id,
    );
  }

  #one(where: string, ...params: (string | number)[]): NoteRecord | undefined {
    const row = this.#db.get<NoteColumns>(`SELECT ${NOTE_COLUMNS} FROM notes n WHERE ${where}`, ...params);
    return row && toNoteRecord(row);
  }

  #all(where: string, ...params: (string | number)[]): NoteRecord[] {
    return this.#db
      .all<NoteColumns>(`SELECT ${NOTE_COLUMNS} FROM notes n WHERE ${where}`, ...params)
      .map(toNoteRecord);
  }
}
