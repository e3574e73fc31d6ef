import { constants as bufferLimits } from 'node:buffer';
import { constants, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { MOST_FILE_BYTES } from '../shared/contract/attachments.ts';
import { AppError, diskProblem, type Language } from '../shared/errors.ts';
import { terminalLanguage } from './output.ts';

/** The longest text that JavaScript can hold; a file of the command is read as one. */
const MOST_BYTES = bufferLimits.MAX_STRING_LENGTH;

/** What the system says about a file, by its code, in words. `TOO_LARGE` and `NOT_REGULAR` are our own. */
const REASONS: Readonly<Record<string, Record<Language, string>>> = {
  ENOENT: { en: 'there is no such file or folder', fr: 'ce fichier ou ce dossier n’existe pas' },
  ENOTDIR: { en: 'a part of its path is not a folder', fr: 'une partie du chemin n’est pas un dossier' },
  EISDIR: { en: 'it is a folder', fr: 'c’est un dossier' },
  EACCES: { en: 'permission denied', fr: 'accès refusé' },
  EPERM: { en: 'permission denied', fr: 'accès refusé' },
  EROFS: { en: 'the disk is read-only', fr: 'le disque est en lecture seule' },
  ELOOP: { en: 'it is a link that leads to itself', fr: 'c’est un lien qui mène à lui-même' },
  ENAMETOOLONG: { en: 'its name is too long', fr: 'son nom est trop long' },
  TOO_LARGE: {
    en: `it is larger than ${Math.floor(MOST_BYTES / 1_000_000)} MB`,
    fr: `il dépasse ${Math.floor(MOST_BYTES / 1_000_000)} Mo`,
  },
  NOT_REGULAR: { en: 'it is not a regular file', fr: 'ce n’est pas un fichier ordinaire' },
};

/** Says in the terminal's language why a file cannot be used. */
function reasonOf(code: string): string {
  return REASONS[code]?.[terminalLanguage()] ?? code;
}

/**
 * Refuses what is no regular file, or cannot be read.
 * @throws AppError FILE_UNREADABLE
 */
export async function checkReadable(path: string): Promise<void> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (stats.isDirectory()) throw unreadable(path, 'EISDIR');
      if (!stats.isFile()) throw unreadable(path, 'NOT_REGULAR');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw unreadable(path, codeOf(error), error);
  }
}

/**
 * Reads a file that the user named. Only a regular file ends: a pipe, a device or a folder is refused without waiting for it.
 * @throws AppError FILE_UNREADABLE
 */
export const readTextFile = (path: string): Promise<string> =>
  readRegular(path, MOST_BYTES, (file) => file.readFile('utf8'));

/**
 * Reads the bytes of such a file.
 * @throws AppError FILE_UNREADABLE, ATTACHMENT_TOO_LARGE
 */
export const readAttachedFile = (path: string): Promise<Buffer> =>
  readRegular(path, Number.POSITIVE_INFINITY, async (file) => {
    const name = basename(path);
    if ((await file.stat()).size > MOST_FILE_BYTES)
      throw new AppError('ATTACHMENT_TOO_LARGE', { name, limit: MOST_FILE_BYTES / 1_000_000 });
    return await file.readFile();
  });

async function readRegular<T>(
  path: string,
  mostBytes: number,
  read: (file: FileHandle) => Promise<T>,
): Promise<T> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (stats.isDirectory()) throw unreadable(path, 'EISDIR');
      if (!stats.isFile()) throw unreadable(path, 'NOT_REGULAR');
      if (stats.size > mostBytes) throw unreadable(path, 'TOO_LARGE');
      return await read(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw unreadable(path, codeOf(error), error);
  }
}

/**
 * Parses a part of a file that the user named.
 * @throws AppError FILE_UNREADABLE, which says where it is not valid
 */
export function parseOr<T>(parse: () => T, file: string, where: string): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
    const reason = terminalLanguage() === 'fr' ? `contenu non valable (${where})` : `not valid (${where})`;
    throw new AppError('FILE_UNREADABLE', { path: file, reason }, { cause: error });
  }
}

/**
 * Refuses to replace anything but a regular file: a device would become one.
 * @throws AppError FILE_UNWRITABLE
 */
export function refuseToReplace(path: string): void {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats && !stats.isFile()) throw unwritable(path, stats.isDirectory() ? 'EISDIR' : 'NOT_REGULAR');
  } catch (error) {
    throw writeFailure(path, error);
  }
}

/** What a failed write means for the user: FILE_UNWRITABLE, DISK_FULL or DISK_FAILED. */
export function writeFailure(path: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const problem = diskProblem(error);
  if (problem) return new AppError(problem, {}, { cause: error });
  return unwritable(path, codeOf(error), error);
}

function unreadable(path: string, code: string, cause?: unknown): AppError {
  return new AppError('FILE_UNREADABLE', { path, reason: reasonOf(code) }, { cause });
}

function unwritable(path: string, code: string, cause?: unknown): AppError {
  return new AppError('FILE_UNWRITABLE', { path, reason: reasonOf(code) }, { cause });
}

/** The code of a system error, or else the error's name. */
function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? (error as Error).name;
}
