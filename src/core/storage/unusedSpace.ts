import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3';

/** Pages that are looked at without a pause: reading and comparing a megabyte takes less than a millisecond. */
const PAGES_AT_ONCE = 256;
/** First byte of the pages that hold rows: of interior and leaf pages of indexes and tables (https://sqlite.org/fileformat2.html#b_tree_pages). */
const ROW_PAGES: ReadonlySet<number> = new Set([2, 5, 10, 13]);
const FILE_HEADER_BYTES = 100;
/**
 * Every other page begins with the number of another page, in four bytes. From this one on, the first of them could be taken for the
 * kind of a row page: with pages of 4 kB that is 128 GB.
 */
const MOST_PAGES = 2 ** 25;

/**
 * Fills with zeros what SQLite leaves in the unused part of its pages. `secure_delete` overwrites deleted rows where they stood last, but
 * not the copies that stay behind when rows move to another page as a tree is balanced: those stay until a VACUUM, which holds up
 * every other writer, for a second with 60 MB, and needs as much room again.
 *
 * It writes to the file beside SQLite, so all of these must hold, and do between the check of the log and the end of a slice: nobody
 * else writes (the data folder has one owner, and this runs in one go in the thread of its connection); the log is empty, so that the
 * file is what SQLite reads; and the connection's cache is dropped, so that it does not write the old bytes again. No byte that
 * belongs to a row is touched: readers see no difference.
 */
export class UnusedSpace {
  readonly #raw: BetterSqlite3.Database;
  /** Stays open as long as the connection: closing a file gives up the process's locks on it, SQLite's included. */
  #file: number | null = null;

  constructor(raw: BetterSqlite3.Database) {
    this.#raw = raw;
  }

  /**
   * Zeroes the next pages.
   * @param first number of the first page, from 0
   * @returns the page to go on with, or null at the end; `busy` if the log cannot be emptied at this moment
   */
  zeroSome(first: number): number | null | 'busy' {
    const raw = this.#raw;
    if (!isLogEmptied(raw)) return 'busy';
    const pageBytes = raw.pragma('page_size', { simple: true }) as number;
    raw.pragma('shrink_memory');
    this.#file ??= openSync(raw.name, 'r+');
    const pages = Math.floor(fstatSync(this.#file).size / pageBytes);
    if (pages >= MOST_PAGES) throw new Error('the database has too many pages');
    const some = Buffer.alloc(PAGES_AT_ONCE * pageBytes);
    const zeros = Buffer.alloc(pageBytes);
    const read = Math.floor(readSync(this.#file, some, 0, some.length, first * pageBytes) / pageBytes);
    for (let page = 0; page < read; page += 1) {
      const bytes = some.subarray(page * pageBytes, (page + 1) * pageBytes);
      const gap = unusedOf(bytes, first + page === 0 ? FILE_HEADER_BYTES : 0);
      if (!gap || bytes.compare(zeros, 0, gap.end - gap.start, gap.start, gap.end) === 0) continue;
      writeSync(this.#file, zeros, 0, gap.end - gap.start, (first + page) * pageBytes + gap.start);
    }
    const next = first + read;
    const isLast = read === 0 || next >= pages;
    if (isLast) fsyncSync(this.#file);
    return isLast ? null : next;
  }

  /** Only after the connection is closed. */
  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}

/** Folds the log into the database and empties it. @returns false if somebody reads at this moment */
function isLogEmptied(raw: BetterSqlite3.Database): boolean {
  raw.pragma('busy_timeout = 0');
  try {
    const [result] = raw.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    return result?.busy === 0;
  } finally {
    raw.pragma('busy_timeout = 5000');
  }
}

/** What lies between the list of a row page's cells and the cells themselves, in bytes; null for any other page. */
function unusedOf(page: Buffer, headerAt: number): { start: number; end: number } | null {
  const kind = page[headerAt] as number;
  if (!ROW_PAGES.has(kind)) return null;
  const headerBytes = kind < 8 ? 12 : 8;
  const cells = page.readUInt16BE(headerAt + 3);
  // 0 stands for 65,536.
  const end = page.readUInt16BE(headerAt + 5) || 65_536;
  const start = headerAt + headerBytes + 2 * cells;
  return start < end && end <= page.length ? { start, end } : null;
}
