import { appendFileSync, closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportId } from '../../../shared/contract/imports.ts';
import { AppError, diskProblem } from '../../../shared/errors.ts';
import type { ImportFileName } from '../../storage/imports.ts';
import { newId } from '../../support/ids.ts';

interface Staged {
  files: readonly ImportFileName[];
  /** UTF-16 code units of each file so far. */
  lengths: number[];
  bytes: number;
}

/** The format of zip files without extensions holds no larger one. */
const MOST_BYTES = 2 ** 32;
/** A window that is closed in the middle of sending leaves files behind: those of the oldest sendings go first. */
const MOST_UNSTARTED = 4;

/** Files of imports in the data folder: a folder for each import, a file for each of its files, named by its place. */
export class StagedFiles {
  readonly #folder: string;
  /** Imports that were announced and not started yet, the oldest first. */
  readonly #staged = new Map<ImportId, Staged>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws AppError DISK_FULL, DISK_FAILED */
  begin(files: readonly ImportFileName[]): ImportId {
    const id = newId('import') as ImportId;
    for (const old of [...this.#staged.keys()].slice(0, -(MOST_UNSTARTED - 1))) this.remove(old);
    this.#writing(() => {
      mkdirSync(join(this.#folder, id), { recursive: true, mode: 0o700 });
      for (const place of files.keys()) closeSync(openSync(this.path(id, place), 'wx', 0o600));
    });
    this.#staged.set(id, { files, lengths: files.map(() => 0), bytes: 0 });
    return id;
  }

  /** @throws AppError NOT_FOUND, BAD_INPUT, IMPORT_INVALID, DISK_FULL, DISK_FAILED */
  append(id: ImportId, { file, from, text }: { file: number; from: number; text: string }): void {
    const staged = this.staged(id);
    if (staged.lengths[file] !== from)
      throw new AppError('BAD_INPUT', {
        reason: `file ${file} has ${staged.lengths[file] ?? 'no'} characters`,
      });
    staged.bytes += Buffer.byteLength(text);
    if (staged.bytes > MOST_BYTES) throw new AppError('IMPORT_INVALID', { reason: 'larger than 4 GB' });
    this.#writing(() => appendFileSync(this.path(id, file), text));
    staged.lengths[file] = from + text.length;
  }

  /** @throws AppError NOT_FOUND if it was not announced, or is started */
  staged(id: ImportId): Staged {
    const staged = this.#staged.get(id);
    if (!staged) throw new AppError('NOT_FOUND', { what: 'import' });
    return staged;
  }

  /** From now on its files are kept until `remove`. */
  started(id: ImportId): void {
    this.#staged.delete(id);
  }

  path(id: ImportId, file: number): string {
    return join(this.#folder, id, String(file));
  }

  /** Size of a file in bytes; null if it is not there, as after a restore on another computer. */
  size(id: ImportId, file: number): number | null {
    return statSync(this.path(id, file), { throwIfNoEntry: false })?.size ?? null;
  }

  /** Removes the files of an import. @throws the file system's error */
  remove(id: ImportId): void {
    this.#staged.delete(id);
    rmSync(join(this.#folder, id), { recursive: true, force: true });
  }

  /** Removes all files but those of some imports, as a crash may have left them. @throws the file system's error */
  keepOnly(ids: ReadonlySet<string>): void {
    if (!statSync(this.#folder, { throwIfNoEntry: false })) return;
    for (const name of readdirSync(this.#folder))
      if (!ids.has(name) && !this.#staged.has(name as ImportId))
        rmSync(join(this.#folder, name), { recursive: true, force: true });
  }

  #writing(write: () => void): void {
    try {
      write();
    } catch (error) {
      const problem = diskProblem(error);
      throw problem ? new AppError(problem, {}, { cause: error }) : error;
    }
  }
}
