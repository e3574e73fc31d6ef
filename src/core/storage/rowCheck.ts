import BetterSqlite3 from 'better-sqlite3';
import { parseTexts } from '../../shared/json.ts';
import { derivedId, sha256 } from '../support/ids.ts';
import { keyOf } from './migrations/0023-row-sums.ts';
import {
  keyParts,
  rowReaders,
  SUM_KINDS,
  type SumKind,
  type SummedRows,
  sumOf,
  tablesOf,
} from './rowSums.ts';
import { damagedDefinitions, hasSums } from './schemaSums.ts';

/** Rows that are not what was summed. */
export interface DamagedRow {
  kind: SumKind;
  key: string;
  /** `unknown` rows were never summed: they, or their sum, stand under a damaged key. */
  problem: 'changed' | 'missing' | 'unknown';
  /** The sum of what was written; null if it is unknown. */
  sum: number | null;
}

/** What no longer fits the hash beside it, and can be derived again. */
export interface DamagedDerivation {
  /** A note whose passages, or a turn or fact whose terms, are damaged. */
  kind: 'note' | 'turn' | 'fact';
  id: string;
}

export interface RowReport {
  rows: DamagedRow[];
  derived: DamagedDerivation[];
  /** Names of tables, indexes and triggers whose definition is not the one that a migration wrote. */
  schema: string[];
}

/** How damaged rows can be mended. */
export type Remedy =
  /** `copy` holds them as they were. */
  | { kind: 'copied'; row: DamagedRow; copy: string; rows: SummedRows }
  /** They are whole, but stand under the key `at`. */
  | { kind: 'moved'; row: DamagedRow; at: string }
  /** They are whole, and their sum is damaged. */
  | { kind: 'whole'; row: DamagedRow }
  /** No copy holds them as they were. `copy` is the newest one that holds them whole as they were at another time; null if none does. */
  | { kind: 'none'; row: DamagedRow; copy: string | null };

const KEYS_AT_ONCE = 500;

/** SQL: the row was not changed with another tool since it was summed. */
const notDue = (kind: SumKind, key: string) =>
  `NOT EXISTS (SELECT 1 FROM sums_due d WHERE d.kind = '${kind}' AND d.key = ${key})`;

/**
 * Compares the rows of a database with their sums, over a connection of its own. Others may write meanwhile. A database of a schema
 * without sums has nothing to compare.
 * @throws SQLite's errors where its pages are damaged
 */
export class RowCheck {
  readonly #raw: BetterSqlite3.Database;
  readonly #readers = new Map<SumKind, BetterSqlite3.Statement<unknown[]>[]>();

  constructor(path: string) {
    this.#raw = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
    this.#raw.pragma('busy_timeout = 5000');
  }

  /** Leaves out kinds of rows that are not all summed yet. */
  find(): RowReport {
    if (!hasSums(this.#raw)) return { rows: [], derived: [], schema: [] };
    const backlog = new Set(this.#raw.prepare('SELECT source FROM sums_backlog').pluck().all());
    const kinds = SUM_KINDS.filter((kind) => !tablesOf(kind).some(({ table }) => backlog.has(table)));
    const rows = kinds.flatMap((kind) => [...this.#changed(kind), ...this.#unknown(kind)]);
    // What follows from a damaged row is wrong with it.
    const isOwn = ({ kind, id }: DamagedDerivation) =>
      !rows.some((row) => row.kind === kind && row.key === id);
    return { rows, derived: this.#derived().filter(isOwn), schema: damagedDefinitions(this.#raw) };
  }

  /**
   * Looks for what mends damaged rows, in the rows themselves and in copies of the database.
   * @param copies paths, the first to be preferred
   */
  remedies(rows: readonly DamagedRow[], copies: readonly string[]): Remedy[] {
    const found = new Map<DamagedRow, Remedy>();
    for (const row of rows) {
      const moved = this.#moved(row, rows);
      if (!moved) continue;
      found.set(row, moved.remedy);
      found.set(moved.other, { kind: 'whole', row: moved.other });
    }
    for (const copy of copies) {
      const left = rows.filter((row) => !found.has(row) || found.get(row)?.kind === 'none');
      if (left.length > 0) this.#searchCopy(copy, left, found);
    }
    return rows.map((row) => found.get(row) ?? { kind: 'none', row, copy: null });
  }

  /** The sum of the rows as they are, and the one that was written. */
  sums(kind: SumKind, key: string): { rows: SummedRows; is: number | null; written: number | null } {
    const rows = this.#read(kind, key);
    const written = hasSums(this.#raw)
      ? this.#raw.prepare('SELECT sum FROM row_sums WHERE kind = ? AND key = ?').pluck().get(kind, key)
      : undefined;
    return { rows, is: sumOf(key, rows), written: (written as number | undefined) ?? null };
  }

  close(): void {
    this.#raw.close();
  }

  #read(kind: SumKind, key: string): SummedRows {
    const readers = this.#readers.get(kind) ?? rowReaders(this.#raw, kind);
    this.#readers.set(kind, readers);
    const parts = keyParts(kind, key);
    return readers.map((reader) => reader.all(...parts) as unknown[][]);
  }

  /** Compares some sums at a time, each time with the rows of the same moment. */
  #changed(kind: SumKind): DamagedRow[] {
    const next = this.#raw.prepare<[SumKind, string], { key: string; sum: number; isDue: number }>(
      `SELECT key, sum, NOT (${notDue(kind, 's.key')}) AS isDue FROM row_sums s WHERE kind = ? AND key > ?
       ORDER BY key LIMIT ${KEYS_AT_ONCE}`,
    );
    const damaged: DamagedRow[] = [];
    let after = '';
    const some = this.#raw.transaction(() => {
      const sums = next.all(kind, after);
      for (const { key, sum, isDue } of sums) {
        if (isDue) continue;
        const is = sumOf(key, this.#read(kind, key));
        if (is !== sum) damaged.push({ kind, key, problem: is === null ? 'missing' : 'changed', sum });
      }
      return sums;
    });
    for (let sums = some(); sums.length > 0; sums = some()) after = sums.at(-1)?.key ?? '';
    return damaged;
  }

  #unknown(kind: SumKind): DamagedRow[] {
    const keys = tablesOf(kind).flatMap(({ table, key }) => {
      const name = keyOf('t', key);
      return this.#raw
        .prepare(
          `SELECT DISTINCT ${name} FROM ${table} t
           WHERE NOT EXISTS (SELECT 1 FROM row_sums s WHERE s.kind = '${kind}' AND s.key = ${name}) AND ${notDue(kind, name)}`,
        )
        .pluck()
        .all() as string[];
    });
    return [...new Set(keys)].map((key) => ({ kind, key, problem: 'unknown', sum: null }));
  }

  #derived(): DamagedDerivation[] {
    const notes = new Set<string>();
    const chunks = this.#raw.prepare<[], ChunkColumns>(
      'SELECT id, note_id, ordinal, heading, markdown, text_hash FROM chunks',
    );
    for (const chunk of chunks.iterate()) if (!isAsCut(chunk)) notes.add(chunk.note_id);
    const terms = (kind: 'turn' | 'fact', table: string, text: string): DamagedDerivation[] => {
      const rows = this.#raw.prepare<[], { id: string; text: string; text_hash: string }>(
        `SELECT id, ${text} AS text, text_hash FROM ${table} WHERE text_hash <> ''`,
      );
      const damaged: DamagedDerivation[] = [];
      for (const row of rows.iterate())
        if (sha256(row.text) !== row.text_hash) damaged.push({ kind, id: row.id });
      return damaged;
    };
    return [
      ...[...notes].map((id) => ({ kind: 'note' as const, id })),
      ...terms('turn', 'turns', 'body_terms'),
      ...terms('fact', 'facts', 'content'),
    ];
  }

  /** Rows that stand under a damaged key, or whose sum does, found by their sum. */
  #moved(missing: DamagedRow, rows: readonly DamagedRow[]): { remedy: Remedy; other: DamagedRow } | null {
    if (missing.problem !== 'missing') return null;
    for (const other of rows) {
      if (other.problem !== 'unknown' || other.kind !== missing.kind) continue;
      const there = this.#read(other.kind, other.key);
      if (sumOf(missing.key, there) === missing.sum)
        return { remedy: { kind: 'moved', row: missing, at: other.key }, other };
      if (sumOf(other.key, there) === missing.sum) return { remedy: { kind: 'whole', row: missing }, other };
    }
    return null;
  }

  #searchCopy(copy: string, rows: readonly DamagedRow[], found: Map<DamagedRow, Remedy>): void {
    let check: RowCheck | undefined;
    try {
      check = new RowCheck(copy);
      for (const row of rows) {
        const there = check.sums(row.kind, row.key);
        if (there.is === null) continue;
        if (there.is === row.sum) found.set(row, { kind: 'copied', row, copy, rows: there.rows });
        else if (there.is !== there.written) continue;
        else if (there.is === this.sums(row.kind, row.key).is) found.set(row, { kind: 'whole', row });
        else if (!found.has(row)) found.set(row, { kind: 'none', row, copy });
      }
    } catch (error) {
      // The copy is damaged itself, or of a schema without these columns: it mends nothing.
      if (!(error as { code?: string }).code?.startsWith('SQLITE_')) throw error;
    } finally {
      check?.close();
    }
  }
}

interface ChunkColumns {
  id: string;
  note_id: string;
  ordinal: number;
  heading: string;
  markdown: string;
  text_hash: string;
}

/** The id of a passage follows from its note, headings, text, and how many equal ones stand before it: see `chunkNote`. */
function isAsCut({ id, note_id, ordinal, heading, markdown, text_hash }: ChunkColumns): boolean {
  if (sha256(markdown) !== text_hash) return false;
  const headings = parseTexts(heading).join('\n');
  for (let occurrence = 0; occurrence <= ordinal; occurrence += 1)
    if (derivedId('chunk', note_id, headings, text_hash, String(occurrence)) === id) return true;
  return false;
}
