import type { ChunkId, NoteId } from '../../../shared/ids.ts';
import { parseTexts } from '../../../shared/json.ts';
import { countTerms } from '../../support/text/tokenise.ts';
import type { Db } from '../database.ts';

/** A heading-bounded piece of a note. */
export interface ChunkRecord {
  id: ChunkId;
  noteId: NoteId;
  /** Place in the note, from 0. */
  ordinal: number;
  /** Headings from the first level down. */
  heading: string[];
  markdown: string;
  /** SHA-256 of `markdown`. */
  textHash: string;
  /** First and last line in the file, counted from 1. */
  startLine: number;
  endLine: number;
  tokens: number;
}

/** A chunk as the chunker returns it, with the terms of its own fields for the full text. */
export interface NewChunk extends Omit<ChunkRecord, 'noteId' | 'ordinal'> {
  headingTerms: string;
  bodyTerms: string;
}

/** The terms that a note lends to the full text of each of its chunks. */
export interface NoteTerms {
  titleTerms: string;
  aliasTerms: string;
  tagTerms: string;
}

interface ChunkColumns {
  id: string;
  note_id: string;
  ordinal: number;
  heading: string;
  markdown: string;
  text_hash: string;
  start_line: number;
  end_line: number;
  tokens: number;
}

/** A row of `chunk_fts`. */
interface FullTextRow {
  rowid: number;
  title: string;
  heading: string;
  alias: string;
  tag: string;
  body: string;
}

function toChunkRecord(row: ChunkColumns): ChunkRecord {
  return {
    id: row.id as ChunkId,
    noteId: row.note_id as NoteId,
    ordinal: row.ordinal,
    heading: parseTexts(row.heading),
    markdown: row.markdown,
    textHash: row.text_hash,
    startLine: row.start_line,
    endLine: row.end_line,
    tokens: row.tokens,
  };
}

/** The chunks of notes and their full text, which is contentless and therefore written here beside the rows. */
export class ChunkStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  get(id: ChunkId): ChunkRecord | undefined {
    const row = this.#db.get<ChunkColumns>('SELECT * FROM chunks WHERE id = ?', id);
    return row && toChunkRecord(row);
  }

  /** The chunks of a note, in its order. */
  ofNote(id: NoteId): ChunkRecord[] {
    return this.#db
      .all<ChunkColumns>('SELECT * FROM chunks WHERE note_id = ? ORDER BY ordinal', id)
      .map(toChunkRecord);
  }

  /**
   * Replaces the chunks of a note, inside the caller's transaction. A chunk that is still in the note keeps its row, so
   * that it is not embedded again.
   * @returns the number of chunks that are new
   */
  replace(noteId: NoteId, chunks: readonly NewChunk[], terms: NoteTerms): number {
    const old = new Map(
      this.#db
        .all<{ id: string; rowid: number }>('SELECT id, rowid FROM chunks WHERE note_id = ?', noteId)
        .map((row) => [row.id, row.rowid]),
    );
    let added = 0;
    for (const [ordinal, chunk] of chunks.entries()) {
      const rowid = old.get(chunk.id);
      if (rowid === undefined) {
        this.#insert(noteId, ordinal, chunk, terms);
        added += 1;
      } else {
        old.delete(chunk.id);
        this.#move(rowid, ordinal, chunk);
      }
    }
    for (const rowid of old.values()) this.#erase(rowid);
    return added;
  }

  /** Writes the full text of a note's chunks again, from the terms in its rows; needed when the note's own terms changed. */
  rewriteFullText(noteId: NoteId): void {
    this.eraseFullText(noteId);
    const rows = this.#db.all<FullTextRow>(
      `SELECT c.rowid, n.title_terms AS title, c.heading_terms AS heading, n.alias_terms AS alias,
              n.tag_terms AS tag, c.body_terms AS body
       FROM chunks c JOIN notes n ON n.id = c.note_id WHERE c.note_id = ?`,
      noteId,
    );
    for (const row of rows) this.#writeFullText(row);
  }

  /** Erases the full text of a note's chunks. It must go before the rows, whose rowids it is found by. */
  eraseFullText(noteId: NoteId): void {
    this.#db.run('DELETE FROM chunk_fts WHERE rowid IN (SELECT rowid FROM chunks WHERE note_id = ?)', noteId);
  }

  eraseOfNote(noteId: NoteId): void {
    this.eraseFullText(noteId);
    this.#db.run('DELETE FROM chunks WHERE note_id = ?', noteId);
  }

  #insert(noteId: NoteId, ordinal: number, chunk: NewChunk, terms: NoteTerms): void {
    const { lastInsertRowid } = this.#db.run(
      `INSERT INTO chunks (id, note_id, ordinal, heading, markdown, text_hash, start_line, end_line, tokens,
                           heading_terms, body_terms, term_count)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      chunk.id,
      noteId,
      ordinal,
      JSON.stringify(chunk.heading),
      chunk.markdown,
      chunk.textHash,
      chunk.startLine,
      chunk.endLine,
      chunk.tokens,
      chunk.headingTerms,
      chunk.bodyTerms,
      countTerms(chunk.bodyTerms),
    );
    this.#writeFullText({
      rowid: lastInsertRowid,
      title: terms.titleTerms,
      heading: chunk.headingTerms,
      alias: terms.aliasTerms,
      tag: terms.tagTerms,
      body: chunk.bodyTerms,
    });
  }

  #move(rowid: number, ordinal: number, { startLine, endLine }: NewChunk): void {
    this.#db.run(
      'UPDATE chunks SET ordinal = ?, start_line = ?, end_line = ? WHERE rowid = ?',
      ordinal,
      startLine,
      endLine,
      rowid,
    );
  }

  #erase(rowid: number): void {
    this.#db.run('DELETE FROM chunk_fts WHERE rowid = ?', rowid);
    this.#db.run('DELETE FROM chunks WHERE rowid = ?', rowid);
  }

  #writeFullText(row: FullTextRow): void {
    this.#db.run(
      'INSERT INTO chunk_fts (rowid, title, heading, alias, tag, body) VALUES (?, ?, ?, ?, ?, ?)',
      row.rowid,
      row.title,
      row.heading,
      row.alias,
      row.tag,
      row.body,
    );
  }
}
