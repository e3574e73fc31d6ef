import { Portion } from '../../../shared/contract/data.ts';
import { AppError } from '../../../shared/errors.ts';
import { clampTime } from '../../../shared/time.ts';
import type { Db } from '../../storage/database.ts';
import { columnsOf, type Row, type Table, type Value } from './tables.ts';

const Rows = Portion.shape.rows;

/** @throws AppError IMPORT_INVALID for what is no list of rows */
export function rowsUnder(row: Row, table: string): Row[] {
  const rows = Rows.safeParse(row[table] ?? []);
  if (!rows.success) throw new AppError('IMPORT_INVALID', { reason: `${table} is no list of rows` });
  return rows.data;
}

/** Inserts the rows that stand under a row in its child tables. @throws AppError IMPORT_INVALID */
export function insertUnder(db: Db, { under }: Table, row: Row): void {
  for (const table of under?.tables ?? []) {
    const column = table.refersBy ?? under?.column ?? '';
    for (const child of rowsUnder(row, table.table)) {
      insert(db, table, { ...child, [column]: row.id });
      insertUnder(db, table, child);
    }
  }
}

/** Inserts a row whose key does not exist yet, or restores the deleted row. @throws AppError IMPORT_INVALID */
export function insertNew(db: Db, table: Table, row: Row): 'added' | 'restored' | 'unchanged' {
  const where = table.key.map((column) => `${column} = ?`).join(' AND ');
  const key = table.key.map((column) => toValue(row[column]));
  const { deletedAt } = table;
  if (deletedAt) {
    const isBack = db.run(
      `UPDATE ${table.table} SET ${deletedAt} = NULL WHERE ${where} AND ${deletedAt} IS NOT NULL`,
      ...key,
    );
    if (isBack.changes > 0) return 'restored';
  }
  if (db.get(`SELECT 1 FROM ${table.table} WHERE ${where}`, ...key)) return 'unchanged';
  insert(db, table, row);
  return 'added';
}

/** Inserts what a row says of the columns that this schema knows. @throws AppError IMPORT_INVALID, what SQLite throws */
export function insert(db: Db, table: Table, row: Row): void {
  const known = columnsOf(db, table.table).filter((column) => Object.hasOwn(row, column));
  const values = known.map((column) => storedValue(table, column, row[column]));
  db.run(
    `INSERT INTO ${table.table} (${known.join(', ')}) VALUES (${known.map(() => '?').join(', ')})`,
    ...values,
  );
}

/** Columns of dates: those of a moment, or of the moment until which something held. */
const DATE = /(?:^|_)(?:at|until)$/;

/** @throws AppError IMPORT_INVALID for a value that what reads the column could not read */
function storedValue({ table, json, text }: Table, column: string, value: unknown): Value {
  const shape = json?.[column] ?? text?.[column];
  if (shape && !shape.safeParse(value).success)
    throw new AppError('IMPORT_INVALID', { reason: `${table}.${column} is not what it should be` });
  if (json && Object.hasOwn(json, column)) return value === null ? null : JSON.stringify(value);
  return typeof value === 'number' && DATE.test(column) ? clampTime(value) : toValue(value);
}

/** @throws AppError IMPORT_INVALID for a list or an object in place of a plain value, and for whole numbers that are not exact */
export function toValue(value: unknown): Value {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'number' && (!Number.isInteger(value) || Number.isSafeInteger(value))) return value;
  if (typeof value === 'number') throw new AppError('IMPORT_INVALID', { reason: `${value} is too large` });
  throw new AppError('IMPORT_INVALID', { reason: `expected a text or a number, found ${typeof value}` });
}

/** @throws AppError IMPORT_INVALID for what is no whole number, or not exact */
export function toNumber(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new AppError('IMPORT_INVALID', { reason: `expected a whole number, found ${typeof value}` });
}
