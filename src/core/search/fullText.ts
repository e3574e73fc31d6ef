import type { FactKind } from '../../shared/contract/facts.ts';
import type { ChunkId, ConversationId, FactId, NoteId, TurnId, VaultId } from '../../shared/ids.ts';
import type { TextIndex } from '../items/kinds.ts';
import type { Db } from '../storage/database.ts';

/** A row that matches, with the terms of its fields (space-joined, in order) for exact scoring. */
export interface TextMatch {
  rowid: number;
  fields: Record<string, string>;
  termCount: number;
}

export interface ChunkMatch extends TextMatch {
  id: ChunkId;
  noteId: NoteId;
  vaultId: VaultId;
  path: string;
  title: string;
  heading: string[];
  markdown: string;
  textHash: string;
  tokens: number;
  modifiedAt: number;
  /** Notes that link to this passage's note. */
  backlinks: number;
}

export interface TurnMatch extends TextMatch {
  id: TurnId;
  conversationId: ConversationId;
  channel: string;
  title: string;
  createdAt: number;
}

export interface FactMatch extends TextMatch {
  id: FactId;
  kind: FactKind;
  content: string;
  turnId: TurnId | null;
  channel: string | null;
  createdAt: number;
  expiresAt: number | null;
}

const TABLES = {
  chunk: {
    fts: 'chunk_fts',
    vocabulary: 'chunk_vocabulary',
    rows: 'chunks',
    weights: '5.0, 3.0, 5.0, 4.0, 1.0',
  },
  turn: { fts: 'turn_fts', vocabulary: 'turn_vocabulary', rows: 'turns', weights: '1.0, 1.0' },
  fact: { fts: 'fact_fts', vocabulary: 'fact_vocabulary', rows: 'facts', weights: '2.0, 1.0' },
} as const;

/** The statistics are read again once the index has grown or shrunk by this share. */
const DRIFT = 0.05;

/** For so long the statistics of an index this large are taken as they are; a smaller one may change wholly meanwhile. */
const FRESH_MS = 250;
const FRESH_ROWS = 1_000;

interface Statistics {
  rows: number;
  averageTerms: number;
  highest: number;
  /** Rows that this connection had changed when they were read: nothing is new while it stays. */
  changes: number;
  documentFrequency: Map<string, number>;
  checkedAt: number;
}

export type FullText = ReturnType<typeof createFullText>;

export function createFullText(db: Db) {
  const cached = new Map<TextIndex, Statistics>();

  const highestRow = (index: TextIndex): number =>
    db.get<{ n: number | null }>(`SELECT max(rowid) AS n FROM ${TABLES[index].rows}`)?.n ?? 0;

  const readStatistics = (index: TextIndex, highest: number, changes: number): Statistics => {
    const row = db.get<{ n: number; terms: number | null }>(
      `SELECT count(*) AS n, sum(term_count) AS terms FROM ${TABLES[index].rows}`,
    );
    const rows = row?.n ?? 0;
    return {
      rows,
      averageTerms: rows > 0 ? Math.max(1, (row?.terms ?? 0) / rows) : 1,
      highest,
      changes,
      documentFrequency: new Map(),
      checkedAt: performance.now(),
    };
  };

  const statistics = (index: TextIndex): Statistics => {
    const known = cached.get(index);
    const now = performance.now();
    if (known && known.rows >= FRESH_ROWS && now - known.checkedAt < FRESH_MS) return known;
    const changes = db.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
    if (known && known.changes === changes) {
      known.checkedAt = now;
      return known;
    }
    // max(rowid) is one seek; rows leave holes, so it bounds the count from above, which is enough to notice growth.
    const highest = highestRow(index);
    if (known && Math.abs(highest - known.highest) <= known.rows * DRIFT) {
      known.checkedAt = now;
      known.changes = changes;
      // A word that was unknown may have come since.
      for (const [term, frequency] of known.documentFrequency)
        if (frequency === 0) known.documentFrequency.delete(term);
      return known;
    }
    const fresh = readStatistics(index, highest, changes);
    cached.set(index, fresh);
    return fresh;
  };

  return {
    statistics: (index: TextIndex): { rows: number; averageTerms: number } => statistics(index),

    /** How many rows hold `term`; may lag behind the index by 5 % of its rows. */
    documentFrequency: (index: TextIndex, term: string): number => {
      const { documentFrequency } = statistics(index);
      const known = documentFrequency.get(term);
      if (known !== undefined) return known;
      const found =
        db.get<{ doc: number }>(`SELECT doc FROM ${TABLES[index].vocabulary} WHERE term = ?`, term)?.doc ?? 0;
      documentFrequency.set(term, found);
      return found;
    },

    /** Row ids that hold at least one of `terms`, best first by FTS5's BM25 with the fields' weights; only those of `within`, if given. */
    match: (
      index: TextIndex,
      terms: readonly string[],
      limit: number,
      within: ReadonlySet<number> | null = null,
    ): number[] => {
      if (terms.length === 0) return [];
      const { fts, weights } = TABLES[index];
      const words = terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(' OR ');
      const where = `${fts} MATCH ? AND rank MATCH 'bm25(${weights})'`;
      const rows =
        within === null
          ? db.all<{ rowid: number }>(
              `SELECT rowid FROM ${fts} WHERE ${where} ORDER BY rank LIMIT ?`,
              words,
              limit,
            )
          : db.all<{ rowid: number }>(
              `SELECT rowid FROM ${fts} WHERE ${where} AND rowid IN (SELECT value FROM json_each(?)) ORDER BY rank LIMIT ?`,
              words,
              JSON.stringify([...within]),
              limit,
            );
      return rows.map((row) => row.rowid);
    },

    /** Turns, or facts learnt from turns, of one conversation or of one channel. */
    rowsOf: (
      index: 'turn' | 'fact',
      place: { conversationId: ConversationId } | { channel: string },
    ): { rowids: Set<number>; ids: Set<string> } => {
      const [column, value] =
        'channel' in place ? ['v.channel', place.channel] : ['v.id', place.conversationId];
      const from =
        index === 'turn'
          ? 'turns r JOIN conversations v ON v.id = r.conversation_id'
          : 'facts r JOIN turns t ON t.id = r.turn_id JOIN conversations v ON v.id = t.conversation_id';
      const rows = db.all<{ rowid: number; id: string }>(
        `SELECT r.rowid, r.id FROM ${from} WHERE ${column} = ?`,
        value,
      );
      return { rowids: new Set(rows.map((row) => row.rowid)), ids: new Set(rows.map((row) => row.id)) };
    },
    /** Turns of a stretch of time, the latest first. */
    turnsBetween: (from: number, to: number, limit: number): number[] =>
      db
        .all<{ rowid: number }>(
          'SELECT rowid FROM turns WHERE created_at >= ? AND created_at < ? ORDER BY created_at DESC, rowid DESC LIMIT ?',
          from,
          to,
          limit,
        )
        .map((row) => row.rowid),

    /** Row ids of some rows, in the order of their ids; those that are gone are left out. */
    rowids: (index: TextIndex, ids: readonly string[]): number[] =>
      db
        .all<{ rowid: number }>(
          `SELECT r.rowid FROM json_each(?) j JOIN ${TABLES[index].rows} r ON r.id = j.value ORDER BY j.key`,
          JSON.stringify(ids),
        )
        .map((row) => row.rowid),

    /** The passages behind `rowids`, vaults in their undo period left out. */
    chunks: (rowids: readonly number[]): ChunkMatch[] =>
      db
        .all<{
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
        }>(
          `SELECT c.rowid, c.id, c.note_id, n.vault_id, n.path, n.title, c.heading, c.markdown, c.text_hash, c.tokens,
                  n.mtime_ms, (SELECT count(DISTINCT l.note_id) FROM links l WHERE l.target_key = n.name_key) AS backlinks, c.term_count, n.title_terms, n.alias_terms, n.tag_terms, c.heading_terms, c.body_terms
           FROM json_each(?) j JOIN chunks c ON c.rowid = j.value JOIN notes n ON n.id = c.note_id
           JOIN vaults v ON v.id = n.vault_id WHERE v.removed_at IS NULL`,
          JSON.stringify(rowids),
        )
        .map((row) => ({
          rowid: row.rowid,
          id: row.id as ChunkId,
          noteId: row.note_id as NoteId,
          vaultId: row.vault_id as VaultId,
          path: row.path,
          title: row.title,
          heading: JSON.parse(row.heading) as string[],
          markdown: row.markdown,
          textHash: row.text_hash,
          tokens: row.tokens,
          modifiedAt: Math.round(row.mtime_ms),
          backlinks: row.backlinks,
          termCount: row.term_count,
          fields: {
            title: row.title_terms,
            heading: row.heading_terms,
            alias: row.alias_terms,
            tag: row.tag_terms,
            body: row.body_terms,
          },
        })),

    /** The turns behind `rowids`, conversations in their undo period left out. */
    turns: (rowids: readonly number[]): TurnMatch[] =>
      db
        .all<{
          rowid: number;
          id: string;
          conversation_id: string;
          channel: string;
          title: string;
          created_at: number;
          term_count: number;
          title_terms: string;
          body_terms: string;
        }>(
          `SELECT t.rowid, t.id, t.conversation_id, v.channel, v.title, t.created_at, t.term_count, v.title_terms,
                  t.body_terms
           FROM json_each(?) j JOIN turns t ON t.rowid = j.value JOIN conversations v ON v.id = t.conversation_id
           WHERE v.removed_at IS NULL`,
          JSON.stringify(rowids),
        )
        .map((row) => ({
          rowid: row.rowid,
          id: row.id as TurnId,
          conversationId: row.conversation_id as ConversationId,
          channel: row.channel,
          title: row.title,
          createdAt: row.created_at,
          termCount: row.term_count,
          fields: { title: row.title_terms, body: row.body_terms },
        })),

    /** The facts behind `rowids`, superseded and forgotten ones left out. */
    facts: (rowids: readonly number[]): FactMatch[] =>
      db
        .all<{
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
        }>(
          `SELECT f.* FROM json_each(?) j JOIN facts f ON f.rowid = j.value
           WHERE f.status = 'current' AND f.forgotten_at IS NULL`,
          JSON.stringify(rowids),
        )
        .map((row) => ({
          rowid: row.rowid,
          id: row.id as FactId,
          kind: row.kind,
          content: row.content,
          turnId: row.turn_id as TurnId | null,
          channel: row.channel,
          createdAt: row.created_at,
          expiresAt: row.expires_at,
          termCount: row.term_count,
          fields: { subject: row.subject_terms, body: row.body_terms },
        })),

    /** Rows of the truth that the full text lacks, and full-text rows that no longer stand for anything. */
    compare: (index: TextIndex): { missing: number[]; orphans: number[] } => {
      const { fts, rows } = TABLES[index];
      const ids = (sql: string) => db.all<{ rowid: number }>(sql).map((row) => row.rowid);
      return {
        missing: ids(`SELECT rowid FROM ${rows} WHERE rowid NOT IN (SELECT rowid FROM ${fts})`),
        orphans: ids(`SELECT rowid FROM ${fts} WHERE rowid NOT IN (SELECT rowid FROM ${rows})`),
      };
    },
    removeOrphan: (index: TextIndex, rowid: number): void => {
      db.run(`DELETE FROM ${TABLES[index].fts} WHERE rowid = ?`, rowid);
    },
    /** SQLite's own check of the index; throws where it is damaged. */
    integrityCheck: (index: TextIndex): void => {
      const { fts } = TABLES[index];
      db.run(`INSERT INTO ${fts} (${fts}) VALUES ('integrity-check')`);
    },
    /** Writes the whole index again from the terms that the rows hold. */
    rebuild: (index: TextIndex): void =>
      db.transaction(() => {
        const { fts } = TABLES[index];
        db.run(`INSERT INTO ${fts} (${fts}) VALUES ('delete-all')`);
        if (index === 'chunk') {
          db.run(
            `INSERT INTO chunk_fts (rowid, title, heading, alias, tag, body)
             SELECT c.rowid, n.title_terms, c.heading_terms, n.alias_terms, n.tag_terms, c.body_terms
             FROM chunks c JOIN notes n ON n.id = c.note_id`,
          );
        } else if (index === 'turn') {
          db.run(
            `INSERT INTO turn_fts (rowid, title, body)
             SELECT t.rowid, v.title_terms, t.body_terms
             FROM turns t JOIN conversations v ON v.id = t.conversation_id`,
          );
        } else {
          db.run(
            'INSERT INTO fact_fts (rowid, subject, body) SELECT rowid, subject_terms, body_terms FROM facts',
          );
        }
        cached.delete(index);
      }),
  };
}
