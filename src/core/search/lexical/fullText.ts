import type { ConversationId } from '../../../shared/ids.ts';
import { items, type Kind, type RowOf } from '../../items/index.ts';
import { turnsBetween } from '../../items/turn.ts';
import type { Db } from '../../storage/database.ts';

/** The statistics are read again once the index has grown or shrunk by this share. */
const DRIFT = 0.05;

/**
 * The statistics of an index of at least `FRESH_ROWS` rows are not checked again for this long; a smaller index may change
 * entirely in that time.
 */
const FRESH_MS = 250;
const FRESH_ROWS = 1_000;

/** BM25 statistics of one index. */
interface Statistics {
  rows: number;
  averageTerms: number;
  highestRow: number;
  /** Rows that this connection had changed when they were read: while this number stays, nothing is new. */
  changes: number;
  documentFrequency: Map<string, number>;
  checkedAt: number;
}

/** Where items may belong: one conversation, or every conversation of a channel. */
export type Place = { conversationId: ConversationId } | { channel: string };

/** The full-text indexes, one for each kind of item. FTS5 finds rows; exact scores are computed from the rows' own terms. */
export class FullText {
  private readonly cached = new Map<Kind, Statistics>();

  private readonly db: Db;

  constructor(db: Db) {
    this.db = db;
  }

  /** How many rows an index has, and how many terms a row has on average. May lag behind by 5 % of the rows. */
  statistics(kind: Kind): { rows: number; averageTerms: number } {
    return this.currentStatistics(kind);
  }

  /** How many rows hold `term`; may lag behind the index by 5 % of its rows. */
  documentFrequency(kind: Kind, term: string): number {
    const { documentFrequency } = this.currentStatistics(kind);
    const known = documentFrequency.get(term);
    if (known !== undefined) return known;
    const { vocabulary } = items[kind].fullText;
    const found =
      this.db.get<{ doc: number }>(`SELECT doc FROM ${vocabulary} WHERE term = ?`, term)?.doc ?? 0;
    documentFrequency.set(term, found);
    return found;
  }

  /**
   * Row ids that hold at least one of `terms`, best first by FTS5's BM25 with the fields' weights; only those of `within`, if
   * given. Rows that are not in use are among them: `load` leaves them out.
   */
  match(
    kind: Kind,
    terms: readonly string[],
    options: { limit: number; within?: ReadonlySet<number> | null },
  ): number[] {
    if (terms.length === 0) return [];
    const { table, weights } = items[kind].fullText;
    const { limit, within } = options;
    const filter = within ? 'AND rowid IN (SELECT value FROM json_each(@within))' : '';
    return this.db
      .all<{ rowid: number }>(
        `SELECT rowid FROM ${table} WHERE ${table} MATCH @words AND rank MATCH 'bm25(${weights.map((weight) => weight.toFixed(1)).join(', ')})'
         ${filter} ORDER BY rank LIMIT @limit`,
        {
          words: terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(' OR '),
          limit,
          within: within ? JSON.stringify([...within]) : null,
        },
      )
      .map((row) => row.rowid);
  }

  /** Rows of a conversation or of a channel; null for a kind whose rows belong to no conversation. */
  rowsOf(kind: Kind, place: Place): { rowids: Set<number>; ids: Set<string> } | null {
    const { inConversation } = items[kind];
    if (inConversation === null) return null;
    const [column, value] =
      'channel' in place ? ['v.channel', place.channel] : ['v.id', place.conversationId];
    const rows = this.db.all<{ rowid: number; id: string }>(
      `SELECT r.rowid, r.id FROM ${inConversation} WHERE ${column} = ?`,
      value,
    );
    return { rowids: new Set(rows.map((row) => row.rowid)), ids: new Set(rows.map((row) => row.id)) };
  }

  /** As `rowsOf`, with the rows that belong to no conversation and are part of every scope. */
  rowsInScope(kind: Kind, place: Place): { rowids: Set<number>; ids: Set<string> } | null {
    const rows = this.rowsOf(kind, place);
    const { table, inEveryScope } = items[kind];
    if (rows === null || inEveryScope === null) return rows;
    for (const { rowid, id } of this.db.all<{ rowid: number; id: string }>(
      `SELECT r.rowid, r.id FROM ${table} r WHERE ${inEveryScope}`,
    )) {
      rows.rowids.add(rowid);
      rows.ids.add(id);
    }
    return rows;
  }

  /** Row ids of turns of a stretch of time (`to` excluded), the latest first; only those of `within`, if given. */
  turnsBetween(
    time: { from: number; to: number; now: number },
    options: { limit: number; within: ReadonlySet<number> | null },
  ): number[] {
    return turnsBetween(this.db, time, options);
  }

  /** Row ids of some rows, in the order of their ids; ids without a row are left out. */
  rowids(kind: Kind, ids: readonly string[]): number[] {
    return this.db
      .all<{ rowid: number }>(
        `SELECT r.rowid FROM json_each(?) j JOIN ${items[kind].table} r ON r.id = j.value ORDER BY j.key`,
        JSON.stringify(ids),
      )
      .map((row) => row.rowid);
  }

  /** The rows in use among `rowids`. */
  load<K extends Kind>(kind: K, rowids: readonly number[], now: number): RowOf<K>[] {
    return items[kind].load(this.db, rowids, now);
  }

  /** Rows that the full text lacks, and full-text rows without a row. */
  compare(kind: Kind): { missing: number[]; orphans: number[] } {
    const { table, fullText } = items[kind];
    const ids = (sql: string) => this.db.all<{ rowid: number }>(sql).map((row) => row.rowid);
    return {
      missing: ids(`SELECT rowid FROM ${table} WHERE rowid NOT IN (SELECT rowid FROM ${fullText.table})`),
      orphans: ids(`SELECT rowid FROM ${fullText.table} WHERE rowid NOT IN (SELECT rowid FROM ${table})`),
    };
  }

  /**
   * SQLite's own check of the index.
   * @throws AppError DATABASE_DAMAGED
   */
  integrityCheck(kind: Kind): void {
    const { table } = items[kind].fullText;
    this.db.run(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`);
  }

  /** Writes the whole index again from the terms that the rows hold. */
  rebuild(kind: Kind): void {
    const { table, fields, content } = items[kind].fullText;
    this.db.transaction(() => {
      this.db.run(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`);
      this.db.run(`INSERT INTO ${table} (rowid, ${fields.join(', ')}) ${content}`);
      this.cached.delete(kind);
    });
  }

  private currentStatistics(kind: Kind): Statistics {
    const known = this.cached.get(kind);
    const now = performance.now();
    if (known && known.rows >= FRESH_ROWS && now - known.checkedAt < FRESH_MS) return known;
    const changes = this.db.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
    if (known && known.changes === changes) {
      known.checkedAt = now;
      return known;
    }
    // max(rowid) is one seek. Deleted rows leave holes, so it bounds the count from above, which is enough to notice growth.
    const highestRow =
      this.db.get<{ n: number | null }>(`SELECT max(rowid) AS n FROM ${items[kind].table}`)?.n ?? 0;
    if (known && Math.abs(highestRow - known.highestRow) <= known.rows * DRIFT) {
      known.checkedAt = now;
      known.changes = changes;
      // A word that was unknown may have been added since.
      for (const [term, frequency] of known.documentFrequency)
        if (frequency === 0) known.documentFrequency.delete(term);
      return known;
    }
    const fresh = this.readStatistics(kind, highestRow, changes);
    this.cached.set(kind, fresh);
    return fresh;
  }

  private readStatistics(kind: Kind, highestRow: number, changes: number): Statistics {
    const row = this.db.get<{ n: number; terms: number | null }>(
      `SELECT count(*) AS n, sum(term_count) AS terms FROM ${items[kind].table}`,
    );
    const rows = row?.n ?? 0;
    return {
      rows,
      averageTerms: rows > 0 ? Math.max(1, (row?.terms ?? 0) / rows) : 1,
      highestRow,
      changes,
      documentFrequency: new Map(),
      checkedAt: performance.now(),
    };
  }
}
