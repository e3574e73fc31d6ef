import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, parse, sep } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { lookupKey } from '../support/paths.ts';
import { typedFolder } from './folders.ts';

/**
 * The one path of a folder, however it is written: absolute, without `..`, symbolic links resolved, each name in the case that the disk
 * gives it, and in Unicode NFC. Two folders of one directory whose names differ in their Unicode form alone are taken for one.
 * @param path as typed; `~` is the user's home
 * @throws AppError VAULT_NOT_FOUND, VAULT_UNREADABLE
 */
export async function folderPath(path: string): Promise<string> {
  const typed = typedFolder(path);
  try {
    // The disk may hold a name in the other Unicode form, and what a link leads to may be written in another case.
    const found = await asOnDisk(await realpath(await asOnDisk(typed)));
    if (!(await stat(found)).isDirectory()) throw new AppError('VAULT_NOT_FOUND', { path: typed });
    return found.normalize('NFC');
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(
      isMissing(error) ? 'VAULT_NOT_FOUND' : 'VAULT_UNREADABLE',
      { path: typed },
      { cause: error },
    );
  }
}

/**
 * As `folderPath`; of a folder that is not there, or not any more, what can be told without it, so that what was tied to it is still found.
 */
export async function knownFolderPath(path: string): Promise<string> {
  try {
    return await folderPath(path);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const typed = typedFolder(path);
    const above = dirname(typed);
    if (above === typed) return typed;
    const rest = typed.slice(above.length).replace(/^[\\/]/, '');
    return join(await knownFolderPath(above), rest.normalize('NFC'));
  }
}

/** An absolute path with each name as its directory spells it. A directory that may not be listed is taken at its word. */
async function asOnDisk(path: string): Promise<string> {
  const { root } = parse(path);
  let whole = root;
  for (const name of path.slice(root.length).split(sep).filter(Boolean)) whole = await entry(whole, name);
  return whole;
}

async function entry(folder: string, name: string): Promise<string> {
  const written = join(folder, name);
  const there = await identity(written);
  const names = await namesIn(folder);
  if (names === null || names.includes(name)) return written;
  for (const other of names.filter((one) => lookupKey(one) === lookupKey(name))) {
    const isSame =
      there === null
        ? other.normalize('NFC') === name.normalize('NFC')
        : (await identity(join(folder, other))) === there;
    if (isSame) return join(folder, other);
  }
  return written;
}

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as { code?: string }).code ?? '');

/** Device and inode; null if there is nothing. */
async function identity(path: string): Promise<string | null> {
  try {
    const { dev, ino } = await lstat(path);
    return `${dev} ${ino}`;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Null if they may not be listed. */
async function namesIn(folder: string): Promise<string[] | null> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EACCES' || code === 'EPERM' || isMissing(error)) return null;
    throw error;
  }
}
