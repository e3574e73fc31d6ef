import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { constants, type Dirent, existsSync, lstatSync, renameSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  openWithoutLinks,
  type RegularFile,
  readOpened,
  readUnlinkedSync,
} from '../../support/regularFile.ts';

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

/** Files that `replace` makes and that a crash leaves behind. They are hidden, so that neither Obsidian nor an index sees them. */
const PARTIAL = /^\.souvenir-[0-9a-f]{8}\.partial$/;

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

  /** Makes a folder in this one if there is none. @throws the file system's error */
  async makeFolder(name: string): Promise<void> {
    try {
      await mkdir(this.#at(name));
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error;
    }
  }

  /**
   * Puts a file in the place of one, in a single step, once all of it is on the disk. The new one has the rights of the old one; without an
   * old one it is its owner's alone.
   * @param before what the present file must hold; null if there must be none
   * @returns false if there is another one, or a link or folder; nothing is changed then
   * @throws NotInVault, or the file system's error; nothing is changed then
   */
  async replace(name: string, content: Buffer, before: Buffer | null): Promise<boolean> {
    for (const { name: left } of await this.entries()) if (PARTIAL.test(left)) await rm(this.#at(left));
    const partial = this.#at(`.souvenir-${randomBytes(4).toString('hex')}.partial`);
    const rights = before === null ? 0o600 : (await this.measure(name)).mode & 0o777;
    try {
      // `wx` makes a file that was not there, and follows no link.
      const file = await open(partial, 'wx', rights);
      try {
        await file.writeFile(content);
        await file.chmod(rights);
        await file.sync();
      } finally {
        await file.close();
      }
      await this.#check();
      // Without a pause between look and exchange: whoever else writes the file must do so within microseconds to be overlooked.
      if (!isStill(this.#at(name), before)) return false;
      renameSync(partial, this.#at(name));
    } finally {
      await rm(partial, { force: true });
    }
    await this.#handle?.sync();
    return true;
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

/** Makes the folders of a vault's path that are missing. @throws NotInVault, or the file system's error */
export async function makeFolderOf(root: string, path: string): Promise<void> {
  const parts = path.split('/').slice(0, -1);
  for (const [depth, part] of parts.entries()) {
    const folder = await VaultFolder.open(root, parts.slice(0, depth).join('/'));
    try {
      await folder.makeFolder(part);
    } finally {
      await folder.close();
    }
  }
}

/** Does a path hold exactly this? Null stands for nothing at all. */
function isStill(path: string, content: Buffer | null): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return content === null;
  return (
    content !== null && stat.isFile() && readUnlinkedSync(path, content.length)?.equals(content) === true
  );
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
