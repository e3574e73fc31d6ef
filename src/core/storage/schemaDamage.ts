import type BetterSqlite3 from 'better-sqlite3';
import { AppError } from '../../shared/errors.ts';
import { migrations } from './migrations/index.ts';
import { damagedDefinitions } from './schemaSums.ts';

/**
 * Why a statement cannot be understood: because the definition of a table is not what was written. SQLite reads definitions from the file,
 * and calls one that was damaged an error of the statement. Null for any other error, and where definitions are as they were: then the
 * statement is wrong.
 */
export function schemaDamage(raw: BetterSqlite3.Database, error: unknown): AppError | null {
  const { code, message } = error as { code?: string; message?: string };
  if (code !== 'SQLITE_ERROR' || !raw.open || !hasDamagedSchema(raw)) return null;
  return new AppError('DATABASE_DAMAGED', { path: raw.name, reason: String(message) }, { cause: error });
}

function hasDamagedSchema(raw: BetterSqlite3.Database): boolean {
  // Earlier versions had no sums.
  const isPresent = raw.pragma('user_version', { simple: true }) === migrations.at(-1)?.version;
  try {
    return isPresent && damagedDefinitions(raw).length > 0;
  } catch (error) {
    // Not even the sums can be read.
    if ((error as { code?: string }).code === 'SQLITE_ERROR') return true;
    throw error;
  }
}
