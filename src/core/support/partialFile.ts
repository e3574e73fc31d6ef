import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Logger } from './logger.ts';

/**
 * A file (0600) that is made under another name in the same folder, which nobody else uses, and takes its own name once all of it is on
 * the disk. So whoever finds a file of that name finds the whole of it, whenever the process or the computer stops.
 */
export class PartialFile {
  /** Where the content goes. The file is empty and ends with `.partial`. */
  readonly path: string;
  readonly #target: string;

  /** Makes the empty file. @throws the file system's error */
  constructor(target: string) {
    this.#target = target;
    this.path = `${target}.${randomBytes(4).toString('hex')}.partial`;
    closeSync(openSync(this.path, 'wx', 0o600));
  }

  /**
   * Gives the file its name, and returns once file and name are on the disk. Replaces a file of that name.
   * @throws the file system's error; there is no file of that name then unless there was one before
   */
  publish(): void {
    const isNew = !existsSync(this.#target);
    syncFile(this.path);
    renameSync(this.path, this.#target);
    try {
      syncFolder(dirname(this.#target));
    } catch (error) {
      if (isNew) rmSync(this.#target, { force: true });
      throw error;
    }
  }

  /** Removes what was made. @returns false if that fails; `removePartials` can do it later */
  discard(): boolean {
    try {
      for (const suffix of COMPANIONS) rmSync(this.path + suffix, { force: true });
      return true;
    } catch {
      return false;
    }
  }
}

/**
 * Makes a file as `PartialFile` does, in one call.
 * @param fill writes the content to the path that it is given
 * @throws what `fill` and the file system throw; what was made is removed then
 */
export function writeWhole(target: string, fill: (path: string) => void): void {
  const partial = new PartialFile(target);
  try {
    fill(partial.path);
    partial.publish();
  } catch (error) {
    partial.discard();
    throw error;
  }
}

/** What SQLite may leave beside a file that is being made. */
const COMPANIONS = ['', '-journal', '-wal', '-shm'];
const PARTIAL = /(\.[0-9a-f]{8})?\.partial(-journal|-wal|-shm)?$/;

/**
 * Removes what an earlier process left behind in a folder while it made a file.
 * @param isOurs whether a name is that of a file which this program makes there
 */
export function removePartials(folder: string, isOurs: (name: string) => boolean, log: Logger): void {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const names = readdirSync(folder).filter((name) => PARTIAL.test(name) && isOurs(name.replace(PARTIAL, '')));
  for (const name of names) {
    try {
      rmSync(join(folder, name), { force: true });
      log.info({ name }, 'a file that was never finished is removed');
    } catch (error) {
      log.warn({ name, err: error }, 'a file that was never finished cannot be removed yet');
    }
  }
}

/** Waits until the content of a file is on the disk. */
export function syncFile(path: string): void {
  sync(path, 'r+');
}

/** Waits until the names in a folder are on the disk. Windows keeps them with the files. */
export function syncFolder(folder: string): void {
  if (process.platform !== 'win32') sync(folder, 'r');
}

function sync(path: string, flags: string): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
