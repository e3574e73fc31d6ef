import type { NoteFilter, NoteReason, NoteRow, NoteStatus } from '../../shared/contract/notes.ts';
import type { ChunkId, NoteId, VaultId } from '../../shared/ids.ts';
import { lookupKey, nameKey } from '../support/paths.ts';
import { countTerms } from '../support/text/tokenise.ts';
import type { Db } from './database.ts';

export interface NoteRecord {
  id: NoteId;
  vaultId: VaultId;
  path: string;
  title: string;
  status: NoteStatus;
  reason: NoteReason | null;
  detail: string | null;
  contentHash: string | null;
  chunkerVersion: number;
  bytes: number;
  mtimeMs: number;
  chunkCount: number;
}

export interface ChunkRecord {
  id: ChunkId;
  noteId: NoteId;
  ordinal: number;
  heading: string[];
  markdown: string;
  textHash: string;
  startLine: number;
  endLine: number;
  tokens: number;
}

/** A chunk as the indexer hands it over, with the terms of its own fields. */
export interface NewChunk extends Omit<ChunkRecord, 'noteId' | 'ordinal'> {
  headingTerms: string;
  bodyTerms: string;
}

export interface NewLink {
  kind: 'wikilink' | 'embed' | 'markdown';
  target: string;
  targetKey: string;
  heading: string | null;
  display: string | null;
  line: number;
}

/** Everything that indexing learns of a note. */
export interface IndexedNote {
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
  titleTerms: string;
  aliasTerms: string;
  tagTerms: string;
  chunks: NewChunk[];
  links: NewLink[];
  indexedAt: number;
}

interface NoteColumns {
  id: string;
  vault_id: string;
  path: string;
  title: string;
  status: NoteStatus;
  reason: NoteReason | null;
  detail: string | null;
  content_hash: string | null;
  chunker_version: number;
  bytes: number;
  mtime_ms: number;
  chunk_count: number;
}

const toNote = (row: NoteColumns): NoteRecord => ({
  id: row.id as NoteId,
  vaultId: row.vault_id as VaultId,
  path: row.path,
  title: row.title,
  status: row.status,
  reason: row.reason,
  detail: row.detail,
  contentHash: row.content_hash,
  chunkerVersion: row.chunker_version,
  bytes: row.bytes,
  mtimeMs: row.mtime_ms,
  chunkCount: row.chunk_count,
});

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

const toChunk = (row: ChunkColumns): ChunkRecord => ({
  id: row.id as ChunkId,
  noteId: row.note_id as NoteId,
  ordinal: row.ordinal,
  heading: JSON.parse(row.heading) as string[],
  markdown: row.markdown,
  textHash: row.text_hash,
  startLine: row.start_line,
  endLine: row.end_line,
  tokens: row.tokens,
});

const FILTERS: Record<NoteFilter, string> = {
  all: '1',
  indexed: "n.status = 'indexed'",
  pending: "n.status = 'pending'",
  problems: "(n.status IN ('failed', 'skipped') OR n.reason IS NOT NULL)",
};

export type NoteStore = ReturnType<typeof createNoteStore>;

export function createNoteStore(db: Db) {
  const eraseFullText = (noteId: NoteId) => {
    db.run('DELETE FROM chunk_fts WHERE rowid IN (SELECT rowid FROM chunks WHERE note_id = ?)', noteId);
  };
  const writeFullText = (
    rowid: number,
    terms: { title: string; heading: string; alias: string; tag: string; body: string },
  ) => {
    db.run(
      'INSERT INTO chunk_fts (rowid, title, heading, alias, tag, body) VALUES (?, ?, ?, ?, ?, ?)',
      rowid,
      terms.title,
      terms.heading,
      terms.alias,
      terms.tag,
      terms.body,
    );
  };
  /** Writes a note's full-text rows again from the terms that its rows hold. */
  const rewriteFullText = (noteId: NoteId) => {
    eraseFullText(noteId);
    const rows = db.all<{
      rowid: number;
      title: string;
      heading: string;
      alias: string;
      tag: string;
      body: string;
    }>(
      `SELECT c.rowid, n.title_terms AS title, c.heading_terms AS heading, n.alias_terms AS alias,
              n.tag_terms AS tag, c.body_terms AS body
       FROM chunks c JOIN notes n ON n.id = c.note_id WHERE c.note_id = ?`,
      noteId,
    );
    for (const row of rows) writeFullText(row.rowid, row);
  };

  const replaceChunks = (note: IndexedNote, titlesChanged: boolean): { added: number; kept: number } => {
    const old = new Map(
      db
        .all<{ id: string; rowid: number }>('SELECT id, rowid FROM chunks WHERE note_id = ?', note.id)
        .map((row) => [row.id, row.rowid]),
    );
    let kept = 0;
    for (const [ordinal, chunk] of note.chunks.entries()) {
      const rowid = old.get(chunk.id);
      if (rowid !== undefined) {
        old.delete(chunk.id);
        kept += 1;
        db.run(
          'UPDATE chunks SET ordinal = ?, start_line = ?, end_line = ? WHERE rowid = ?',
          ordinal,
          chunk.startLine,
          chunk.endLine,
          rowid,
        );
        continue;
      }
      const inserted = db.run(
        `INSERT INTO chunks (id, note_id, ordinal, heading, markdown, text_hash, start_line, end_line, tokens,
                             heading_terms, body_terms, term_count)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        chunk.id,
        note.id,
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
      writeFullText(inserted.lastInsertRowid, {
        title: note.titleTerms,
        heading: chunk.headingTerms,
        alias: note.aliasTerms,
        tag: note.tagTerms,
        body: chunk.bodyTerms,
      });
    }
    for (const rowid of old.values()) {
      db.run('DELETE FROM chunk_fts WHERE rowid = ?', rowid);
      db.run('DELETE FROM chunks WHERE rowid = ?', rowid);
    }
    if (titlesChanged && kept > 0) rewriteFullText(note.id);
    return { added: note.chunks.length - kept, kept };
  };

  const replaceLinks = (note: IndexedNote) => {
    db.run('DELETE FROM links WHERE note_id = ?', note.id);
    for (const [ordinal, link] of note.links.entries()) {
      db.run(
        'INSERT INTO links (note_id, ordinal, kind, target, target_key, heading, display, line) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        note.id,
        ordinal,
        link.kind,
        link.target,
        link.targetKey,
        link.heading,
        link.display,
        link.line,
      );
    }
  };

  return {
    get: (id: NoteId): NoteRecord | undefined => {
      const row = db.get<NoteColumns>('SELECT * FROM notes WHERE id = ?', id);
      return row && toNote(row);
    },
    byPath: (vaultId: VaultId, path: string): NoteRecord | undefined => {
      const row = db.get<NoteColumns>('SELECT * FROM notes WHERE vault_id = ? AND path = ?', vaultId, path);
      return row && toNote(row);
    },
    inVault: (vaultId: VaultId): NoteRecord[] =>
      db.all<NoteColumns>('SELECT * FROM notes WHERE vault_id = ? ORDER BY path', vaultId).map(toNote),
    /** Indexed notes with this content, to be told apart from a copy by looking at the disk. */
    byContent: (vaultId: VaultId, contentHash: string): NoteRecord[] =>
      db
        .all<NoteColumns>(
          'SELECT * FROM notes WHERE vault_id = ? AND content_hash = ? ORDER BY path',
          vaultId,
          contentHash,
        )
        .map(toNote),
    /** Notes that a wikilink's last part may mean. */
    byName: (vaultId: VaultId, key: string): NoteRecord[] =>
      db
        .all<NoteColumns>(
          'SELECT * FROM notes WHERE vault_id = ? AND name_key = ? ORDER BY path',
          vaultId,
          key,
        )
        .map(toNote),

    insertPending: (note: {
      id: NoteId;
      vaultId: VaultId;
      path: string;
      title: string;
      bytes: number;
      mtimeMs: number;
    }): void => {
      db.run(
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
    },
    /** The note is on disk as it was, or touched without a change of content. */
    setSeen: (id: NoteId, bytes: number, mtimeMs: number): void => {
      db.run('UPDATE notes SET bytes = ?, mtime_ms = ? WHERE id = ?', bytes, mtimeMs, id);
    },
    setPending: (ids: readonly NoteId[]): void => {
      db.run(
        `UPDATE notes SET status = 'pending', mtime_ms = -1, content_hash = NULL, reason = NULL, detail = NULL
         WHERE id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(ids),
      );
    },
    /** Sets the note aside with a reason. What was indexed of it before is taken out, since it no longer stands there. */
    setAside: (
      id: NoteId,
      aside: {
        status: 'skipped' | 'failed';
        reason: NoteReason;
        detail: string | null;
        bytes: number;
        mtimeMs: number;
        at: number;
      },
    ): void =>
      db.transaction(() => {
        eraseFullText(id);
        db.run('DELETE FROM chunks WHERE note_id = ?', id);
        db.run('DELETE FROM links WHERE note_id = ?', id);
        db.run(
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
      }),
    /** Moves the note: its rows and passages stay. It is to be read again, since its title may be its file's name. */
    rename: (id: NoteId, path: string): void => {
      db.run(
        'UPDATE notes SET path = ?, path_key = ?, name_key = ?, content_hash = NULL, mtime_ms = -1 WHERE id = ?',
        path,
        lookupKey(path),
        nameKey(path),
        id,
      );
    },
    /** Writes all that was learnt of a note in one transaction; gives how many passages were new and how many stayed. */
    writeIndexed: (note: IndexedNote): { added: number; kept: number } =>
      db.transaction(() => {
        const before = db.get<{ title_terms: string; alias_terms: string; tag_terms: string }>(
          'SELECT title_terms, alias_terms, tag_terms FROM notes WHERE id = ?',
          note.id,
        );
        const titlesChanged =
          before?.title_terms !== note.titleTerms ||
          before.alias_terms !== note.aliasTerms ||
          before.tag_terms !== note.tagTerms;
        db.run(
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
        replaceLinks(note);
        return replaceChunks(note, titlesChanged);
      }),
    erase: (id: NoteId): void =>
      db.transaction(() => {
        eraseFullText(id);
        db.run('DELETE FROM notes WHERE id = ?', id);
      }),

    labels: (id: NoteId): { tags: string[]; aliases: string[]; indexedAt: number | null } => {
      const row = db.get<{ tags: string; aliases: string; indexed_at: number | null }>(
        'SELECT tags, aliases, indexed_at FROM notes WHERE id = ?',
        id,
      );
      return {
        tags: JSON.parse(row?.tags ?? '[]') as string[],
        aliases: JSON.parse(row?.aliases ?? '[]') as string[],
        indexedAt: row?.indexed_at ?? null,
      };
    },
    chunks: (id: NoteId): ChunkRecord[] =>
      db.all<ChunkColumns>('SELECT * FROM chunks WHERE note_id = ? ORDER BY ordinal', id).map(toChunk),
    chunk: (id: ChunkId): ChunkRecord | undefined => {
      const row = db.get<ChunkColumns>('SELECT * FROM chunks WHERE id = ?', id);
      return row && toChunk(row);
    },
    links: (id: NoteId) =>
      db.all<{ kind: NewLink['kind']; target: string; target_key: string; line: number }>(
        'SELECT kind, target, target_key, line FROM links WHERE note_id = ? ORDER BY ordinal',
        id,
      ),
    /** Links of the same vault whose last part names this note; which note each means is for the caller to resolve. */
    linksNaming: (vaultId: VaultId, key: string) =>
      db.all<{ note_id: string; target: string; line: number; path: string; title: string }>(
        `SELECT l.note_id, l.target, l.line, n.path, n.title FROM links l JOIN notes n ON n.id = l.note_id
         WHERE l.target_key = ? AND n.vault_id = ? ORDER BY n.path, l.line`,
        key,
        vaultId,
      ),

    /** Rows for the table of notes: problems first, then the last modified. */
    list: (query: {
      vaultId?: VaultId | undefined;
      filter: NoteFilter;
      query: string;
      offset: number;
      limit: number;
    }) => {
      const like = `%${lookupKey(query.query).replace(/[\\%_]/g, '\\$&')}%`;
      const where = `v.removed_at IS NULL AND (@vault IS NULL OR n.vault_id = @vault)
        AND (n.path_key LIKE @like ESCAPE '\\' OR lower(n.title) LIKE @like ESCAPE '\\')`;
      const vault = query.vaultId ?? null;
      const rows = db.all<NoteColumns & { vault_name: string; indexed_at: number | null }>(
        `SELECT n.*, v.name AS vault_name FROM notes n JOIN vaults v ON v.id = n.vault_id
         WHERE ${where} AND ${FILTERS[query.filter]}
         ORDER BY CASE n.status WHEN 'failed' THEN 0 WHEN 'skipped' THEN 1 ELSE iif(n.reason IS NULL, 3, 2) END,
                  n.mtime_ms DESC, n.path LIMIT @limit OFFSET @offset`,
        { vault, like, limit: query.limit, offset: query.offset },
      );
      const counts = db.get<Record<NoteFilter, number>>(
        `SELECT count(*) AS "all",
           coalesce(sum(${FILTERS.indexed}), 0) AS indexed, coalesce(sum(${FILTERS.pending}), 0) AS pending,
           coalesce(sum(${FILTERS.problems}), 0) AS problems
         FROM notes n JOIN vaults v ON v.id = n.vault_id WHERE ${where}`,
        { vault, like },
      ) ?? { all: 0, indexed: 0, pending: 0, problems: 0 };
      return {
        notes: rows.map(
          (row): NoteRow => ({
            id: row.id as NoteId,
            vaultId: row.vault_id as VaultId,
            vaultName: row.vault_name,
            path: row.path,
            title: row.title,
            status: row.status,
            reason: row.reason,
            detail: row.detail,
            chunks: row.chunk_count,
            bytes: row.bytes,
            modifiedAt: Math.round(Math.max(0, row.mtime_ms)),
            indexedAt: row.indexed_at,
          }),
        ),
        counts,
        matching: counts[query.filter],
      };
    },
    /** Notes in use that are indexed, and that are still to be looked at. */
    countIndexed: (): { indexed: number; pending: number } => {
      const count = (status: NoteStatus) =>
        db.get<{ n: number }>(
          `SELECT (SELECT count(*) FROM notes WHERE status = @status) - (SELECT count(*) FROM vaults v JOIN notes n
             ON n.vault_id = v.id AND n.status = @status WHERE v.removed_at IS NOT NULL) AS n`,
          { status },
        )?.n ?? 0;
      return { indexed: count('indexed'), pending: count('pending') };
    },
    /** Counts by status, of one vault or of all in use. */
    counts: (vaultId?: VaultId) => {
      const row = db.get<Record<NoteStatus | 'chunks', number | null>>(
        `SELECT sum(n.status = 'pending') AS pending, sum(n.status = 'indexed') AS indexed,
                sum(n.status = 'skipped') AS skipped, sum(n.status = 'failed') AS failed, sum(n.chunk_count) AS chunks
         FROM notes n JOIN vaults v ON v.id = n.vault_id WHERE v.removed_at IS NULL AND (@vault IS NULL OR n.vault_id = @vault)`,
        { vault: vaultId ?? null },
      );
      return {
        pending: row?.pending ?? 0,
        indexed: row?.indexed ?? 0,
        skipped: row?.skipped ?? 0,
        failed: row?.failed ?? 0,
        chunks: row?.chunks ?? 0,
      };
    },
  };
}
