import { dirname } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { diskProblemIn } from '../support/diskProblem.ts';

/** Does SQLite say that a file is no database, or a damaged one? */
export function isDamage(error: unknown): boolean {
  const code = (error as { code?: string }).code ?? '';
  return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT');
}

/** What SQLite and file systems say of a file that may not be opened or changed. */
const DENIED = ['SQLITE_READONLY', 'SQLITE_CANTOPEN', 'EACCES', 'EPERM', 'EROFS', 'ELOOP', 'ENAMETOOLONG'];

/** Converts what SQLite or the file system says of a damaged file, a full disk or missing rights to errors that a user can act on. */
export function storageError(error: unknown, path: string): unknown {
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  if (isDamage(error)) return new AppError('DATABASE_DAMAGED', { path, reason: message }, { cause: error });
  const problem = diskProblemIn(dirname(path), error);
  if (problem) return new AppError(problem, {}, { cause: error });
  if (DENIED.some((known) => code.startsWith(known)))
    return new AppError('DATA_FOLDER_UNWRITABLE', { path }, { cause: error });
  return error;
}
