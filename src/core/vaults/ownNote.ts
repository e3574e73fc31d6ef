import { isUtf8 } from 'node:buffer';
import { realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, diskProblem } from '../../shared/errors.ts';
import { inFolderOf, makeFolderOf, NotInVault } from './obsidian/vaultFolder.ts';

/** Where the note is: the vault's folder, and the path in it. */
interface Place {
  root: string;
  path: string;
}

/** Ten thousand facts of a hundred characters. */
const MAX_BYTES = 2_000_000;
/** A file that was changed this lately may still be in the middle of a save that is not atomic. */
const QUIET_MS = 200;
const LOOKS = 10;

/**
 * Reads the note that Souvenir writes, once nobody is writing it.
 * @returns null if there is none
 * @throws AppError VAULT_UNAVAILABLE, FACTS_NOTE_NO_FILE, FACTS_NOTE_TOO_LARGE, FILE_UNREADABLE
 */
export async function readOwnNote({ root, path }: Place): Promise<Buffer | null> {
  return explained({ root, path, code: 'FILE_UNREADABLE' }, async () => {
    for (let look = 1; ; look += 1) {
      const file = await ifThere(() =>
        inFolderOf(root, path, (folder, name) => folder.read(name, MAX_BYTES)),
      );
      if (file === null) return null;
      if (file.kind === 'too-large') throw new AppError('FACTS_NOTE_TOO_LARGE', { path });
      if (file.kind !== 'content' || !isUtf8(file.content))
        throw new AppError('FACTS_NOTE_NO_FILE', { path });
      const sinceMs = Date.now() - file.stat.mtimeMs;
      if (sinceMs < 0 || sinceMs >= QUIET_MS || look === LOOKS) return file.content;
      await sleep(QUIET_MS - sinceMs);
    }
  });
}

/**
 * Writes the note, whole or not at all, into the place of what was read. Folders that are missing are made.
 * @param before null if there was no file
 * @returns false if the file is no longer what was read
 * @throws AppError VAULT_UNAVAILABLE, FACTS_NOTE_NO_FILE, DISK_FULL, DISK_FAILED, FILE_UNWRITABLE
 */
export async function writeOwnNote(
  { root, path }: Place,
  content: Buffer,
  before: Buffer | null,
): Promise<boolean> {
  return explained({ root, path, code: 'FILE_UNWRITABLE' }, async () => {
    if (before === null) await makeFolderOf(root, path);
    return inFolderOf(root, path, (folder, name) => folder.replace(name, content, before));
  });
}

/** Null if the file or its folder is not there. */
async function ifThere<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw error;
  }
}

async function explained<T>(
  { root, path, code }: Place & { code: 'FILE_UNREADABLE' | 'FILE_UNWRITABLE' },
  work: () => Promise<T>,
): Promise<T> {
  if ((await realpath(root).catch(() => null)) !== root)
    throw new AppError('VAULT_UNAVAILABLE', { path: root });
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const reason = (error as { code?: string }).code ?? 'UNKNOWN';
    if (error instanceof NotInVault || reason === 'ELOOP' || reason === 'ENOTDIR')
      throw new AppError('FACTS_NOTE_NO_FILE', { path }, { cause: error });
    const problem = diskProblem(error);
    throw problem
      ? new AppError(problem, {}, { cause: error })
      : new AppError(code, { path, reason }, { cause: error });
  }
}
