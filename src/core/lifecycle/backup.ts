import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import type { Db } from '../storage/database.ts';
import type { Clock } from '../support/clock.ts';
import {
  BACKUP_FOLDER,
  type Backup,
  eraseOldBackups,
  listBackups,
  nextBackupPath,
  syncToDisk,
} from './backupFiles.ts';

const DAY_MS = 86_400_000;

export interface BackupOptions {
  /** Path of a new file. Without it, the backup joins the kept ones, and the oldest of those is erased. */
  path?: string | undefined;
  signal?: AbortSignal;
}

/** Backups of the database, made while it is in use. They leave out the vectors, which are derived from it. */
export class Backups {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #folder: string;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<Backup>>();
  #failure: AppError | null = null;

  constructor(ports: { db: Db; dataDir: string; clock: Clock }) {
    this.#db = ports.db;
    this.#clock = ports.clock;
    this.#folder = join(ports.dataDir, BACKUP_FOLDER);
  }

  /** The kept backups, newest first. */
  list(): Backup[] {
    return listBackups(this.#folder);
  }

  /** Why the last backup failed; null if it succeeded. */
  get failure(): AppError | null {
    return this.#failure;
  }

  /** When the next daily backup is due. Ignores a backup dated in the future, which means that the clock was set back. */
  dueAt(): number {
    const now = this.#clock.now();
    const latest = this.list().find(({ madeAt }) => madeAt <= now);
    return latest ? latest.madeAt + DAY_MS : now;
  }

  /**
   * Makes a backup. An interrupted one never gets its final name.
   * @throws AppError BACKUP_UNUSABLE if the file exists or cannot be written, DISK_FULL; the signal's reason if it is aborted
   */
  async make({ path, signal }: BackupOptions = {}): Promise<Backup> {
    const stop = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
    const running = this.#copy(path === undefined ? null : resolve(path), stop);
    this.#running.add(running);
    try {
      const made = await running;
      this.#failure = null;
      return made;
    } catch (error) {
      if (error instanceof AppError && !stop.aborted) this.#failure = error;
      throw error;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Interrupts a backup that is being made. */
  async close(): Promise<void> {
    this.#closing.abort(new AppError('OWNER_UNREACHABLE'));
    await Promise.allSettled(this.#running);
  }

  async #copy(target: string | null, signal: AbortSignal): Promise<Backup> {
    const path = target ?? nextBackupPath(this.#folder, this.#clock.now());
    if (existsSync(path))
      throw new AppError('BACKUP_UNUSABLE', { path, reason: 'a file of this name exists' });
    const partial = `${path}.partial`;
    try {
      if (target === null) mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      rmSync(partial, { force: true });
      await this.#db.backup(partial, signal);
      chmodSync(partial, 0o600);
      syncToDisk(partial);
      renameSync(partial, path);
    } catch (error) {
      if (existsSync(partial)) rmSync(partial, { force: true });
      if (signal.aborted || error instanceof AppError) throw error;
      const reason = (error as { code?: string }).code ?? (error as Error).name;
      throw new AppError(
        reason === 'ENOSPC' ? 'DISK_FULL' : 'BACKUP_UNUSABLE',
        { path, reason },
        { cause: error },
      );
    }
    if (target === null) eraseOldBackups(this.#folder);
    return { path, bytes: statSync(path).size, madeAt: this.#clock.now() };
  }
}
