import { isUtf8 } from 'node:buffer';
import { constants, type Dirent, existsSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { openWithoutLinks, type RegularFile, readOpened } from '../../support/regularFile.ts';

/** A path of a vault leads through a link, or no longer leads where it led: what lies there is not the vault's. */
export class NotInVault extends Error {
  override readonly name = 'NotInVault';
}

export interface Entry {
  /** As on disk. Bytes that are not UTF-8 are shown as `\xE9`, and nothing can be opened by such a name. */
  name: string;
  isValid: boolean;
  isFolder: boolean;
}

export type VaultFile = RegularFile | { kind: 'link'; stat: Stats } | { kind: 'folder' };

/** Linux shows every open file as a link, to what it really is, through which whatever lies under it can be reached. */
const OPEN_FILES = process.platform === 'linux' && existsSync('/proc/self/fd') ? '/proc/self/fd' : null;

/**
 * A folder of a vault, opened once and reached without following a link. What is read through it stays inside the vault, even if
 * a folder above it is exchanged for a link meanwhile. On Linux everything goes through the handle of the opened folder. Elsewhere
 * every part of the path is looked at again after each step, and an opened file must be the one that is found there.
 */
export class VaultFolder {
  readonly #root: string;
  /** Relative to the vault, `/` between folders. */
  readonly #folder: string;
  readonly #handle: FileHandle | null;

  private constructor(root: string, folder: string, handle: FileHandle | null) {
    this.#root = root;
    this.#folder = folder;
    this.#handle = handle;
  }

  /**
   * @param root the vault's folder, absolute, without links
   * @throws NotInVault, or the file system's error
   */
  static async open(root: string, folder: string): Promise<VaultFolder> {
    if (OPEN_FILES === null) {
      const opened = new VaultFolder(root, folder, null);
      await opened.#check();
      return opened;
    }
    const path = join(root, folder);
    const handle = await openFolder(path);
    try {
      if ((await readlink(`${OPEN_FILES}/${handle.fd}`)) !== path) throw new NotInVault();
      return new VaultFolder(root, folder, handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  /** Everything in the folder. @throws NotInVault, or the file system's error */
  async entries(): Promise<Entry[]> {
    const found = await readdir(this.#at(''), { encoding: 'buffer', withFileTypes: true });
    await this.#check();
    return found.map(toEntry);
  }

  /**
   * The size and time of a file or link.
   * @throws NotInVault, or the file system's error
   */
  async measure(name: string): Promise<Stats> {
    const stat = await lstat(this.#at(name));
    await this.#check();
    return stat;
  }

  /**
   * Reads a file. A link, a FIFO, a device or a socket is told and not opened.
   * @throws NotInVault, or the file system's error
   */
  async read(name: string, maxBytes: number): Promise<VaultFile> {
    const stat = await this.measure(name);
    if (stat.isSymbolicLink()) return { kind: 'link', stat };
    if (stat.isDirectory()) return { kind: 'folder' };
    if (!stat.isFile()) return { kind: 'special', stat };
    const handle = await openWithoutLinks(this.#at(name));
    try {
      if (this.#handle === null) await this.#checkOpened(handle, name);
      return await readOpened(handle, maxBytes);
    } finally {
      await handle.close();
    }
  }

  #at(name: string): string {
    return this.#handle === null
      ? join(this.#root, this.#folder, name)
      : `${OPEN_FILES}/${this.#handle.fd}/${name}`;
  }

  /** Without a handle: is every part of the path still a folder, and no link? */
  async #check(): Promise<void> {
    if (this.#handle !== null) return;
    let path = this.#root;
    for (const part of ['', ...this.#folder.split('/')]) {
      path = join(path, part);
      if (!(await lstat(path)).isDirectory()) throw new NotInVault();
    }
  }

  async #checkOpened(handle: FileHandle, name: string): Promise<void> {
    const opened = await handle.stat({ bigint: true });
    const found = await lstat(this.#at(name), { bigint: true });
    if (opened.dev !== found.dev || opened.ino !== found.ino) throw new NotInVault();
    await this.#check();
  }
}

/** Everything in a folder of a vault. @throws NotInVault, or the file system's error */
export async function listFolder(root: string, path: string): Promise<Entry[]> {
  const folder = await VaultFolder.open(root, path);
  try {
    return await folder.entries();
  } finally {
    await folder.close();
  }
}

/** Opens the folder of a vault's path, uses it, and closes it. */
export async function inFolderOf<T>(
  root: string,
  path: string,
  use: (folder: VaultFolder, name: string) => Promise<T>,
): Promise<T> {
  const at = path.lastIndexOf('/');
  const folder = await VaultFolder.open(root, path.slice(0, Math.max(0, at)));
  try {
    return await use(folder, path.slice(at + 1));
  } finally {
    await folder.close();
  }
}

async function openFolder(path: string): Promise<FileHandle> {
  try {
    return await openWithoutLinks(path, constants.O_DIRECTORY);
  } catch (error) {
    // Linux says ENOTDIR of a link, too.
    const code = (error as { code?: string }).code;
    if (code === 'ELOOP' || code === 'ENOTDIR') throw new NotInVault(undefined, { cause: error });
    throw error;
  }
}

function toEntry(entry: Dirent<Buffer>): Entry {
  const isValid = isUtf8(entry.name);
  const name = isValid ? entry.name.toString('utf8') : escapeBytes(entry.name);
  return { name, isValid, isFolder: entry.isDirectory() };
}

function escapeBytes(name: Buffer): string {
  return name
    .toString('latin1')
    .replace(
      /[^ -~]/g,
      (character) => `\\x${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
}
