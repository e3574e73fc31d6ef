import { items, KINDS, type Kind } from '../../items/index.ts';
import type { KnownRow } from '../../items/item.ts';
import type { Db } from '../../storage/database.ts';
import { KnownRows } from './knownRows.ts';
import { type IndexedRow, Postings } from './postings.ts';
import { Terms } from './terms.ts';

/** Rows that are read at once: some 10 ms, after which a question has its turn. */
const ROWS_AT_ONCE = 1_000;

/** The kind that is being read, and the last row that was. */
interface Loading {
  kind: Kind;
  postings: Postings;
  rows: KnownRows;
  after: number;
  isRead: boolean;
}

/** Terms and keys of the rows of all kinds, in memory. They are read from what the database keeps in the rows. */
export class TermIndex {
  readonly #db: Db;
  readonly #loaded = new Map<Kind, Pick<Loading, 'postings' | 'rows'>>();
  /** The numbers of the terms of all kinds. */
  readonly terms = new Terms();
  #loading: Loading | null = null;
  #wasDropped = false;

  constructor(db: Db) {
    this.#db = db;
  }

  /** The terms of a kind; null until all of its rows were read. */
  of(kind: Kind): Postings | null {
    return this.#loaded.get(kind)?.postings ?? null;
  }

  /** The keys of the rows of a kind; null as long as its terms are not loaded. */
  rowsOf(kind: Kind): KnownRows | null {
    return this.#loaded.get(kind)?.rows ?? null;
  }

  /** Forgets the terms of a kind, which may be damaged: they are to be read again. */
  drop(kind: Kind): void {
    this.#loaded.delete(kind);
    this.#wasDropped = true;
  }

  /** Were terms dropped that are not read again yet? */
  get wasDropped(): boolean {
    return this.#wasDropped;
  }

  /**
   * Reads some more rows. To be called until it returns true: all were read.
   * @throws AppError DATABASE_DAMAGED, DATA_CLOSED
   */
  load(): boolean {
    const loading = this.#loading ?? this.#begin();
    if (!loading) return true;
    const { kind, postings, rows } = loading;
    if (!loading.isRead) this.#readSome(loading);
    const isMerged = (loading.isRead || postings.isDueUnread) && postings.mergeSome();
    // A merge that began before the last rows were read leaves them to another one.
    if (!loading.isRead || !isMerged || postings.isDue) return false;
    this.#loaded.set(kind, { postings, rows });
    this.#loading = null;
    const isComplete = KINDS.every((one) => this.#loaded.has(one));
    if (isComplete) this.#wasDropped = false;
    return isComplete;
  }

  /**
   * Takes over what some rows hold now; those that hold nothing any more are taken out.
   * @throws AppError DATABASE_DAMAGED, DATA_CLOSED
   */
  update(kind: Kind, rowids: readonly number[]): void {
    const known = this.#loading?.kind === kind ? this.#loading : this.#loaded.get(kind);
    // A kind that was not begun yet will be read as it is then.
    if (!known) return;
    const { postings, rows } = known;
    const left = new Set(rowids);
    const written = this.#read(kind, 'rowid IN (SELECT value FROM json_each(@rowids))', {
      rowids: JSON.stringify(rowids),
    });
    for (const row of written.terms) {
      postings.put(row);
      left.delete(row.rowid);
    }
    // Of two turns that changed places each leaves its own first.
    for (const rowid of rowids) rows.remove(rowid);
    for (const row of written.keys) rows.put(row);
    for (const rowid of left) postings.remove(rowid);
    if (this.#loaded.has(kind) && postings.isDue) postings.mergeSome();
  }

  /** Begins with the next kind; null if there is none left. */
  #begin(): Loading | null {
    const kind = KINDS.find((one) => !this.#loaded.has(one));
    if (kind === undefined) return null;
    const { fields, ...weights } = items[kind].fullText;
    this.#loading = {
      kind,
      postings: new Postings(fields, weights, this.terms),
      rows: new KnownRows(),
      after: -1,
      isRead: false,
    };
    return this.#loading;
  }

  #readSome(loading: Loading): void {
    const { terms, keys } = this.#read(loading.kind, 'rowid > @after ORDER BY rowid LIMIT @limit', {
      after: loading.after,
      limit: ROWS_AT_ONCE,
    });
    for (const row of terms) loading.postings.put(row);
    for (const row of keys) loading.rows.put(row);
    loading.after = terms.at(-1)?.rowid ?? loading.after;
    loading.isRead = terms.length < ROWS_AT_ONCE;
  }

  #read(
    kind: Kind,
    where: string,
    params: Record<string, number | string>,
  ): { terms: IndexedRow[]; keys: KnownRow[] } {
    const { content, fields } = items[kind].fullText;
    const columns = fields.map((_, index) => `field${index}`);
    const terms = this.#db
      .all<Record<string, string> & { rowid: number }>(
        `WITH content (rowid, ${columns.join(', ')}) AS (${content}) SELECT * FROM content WHERE ${where}`,
        params,
      )
      .map((row) => ({ rowid: row.rowid, streams: columns.map((column) => row[column] as string) }));
    return {
      terms,
      keys: this.#db.all<KnownRow>(`SELECT * FROM (${items[kind].keys}) WHERE ${where}`, params),
    };
  }
}
