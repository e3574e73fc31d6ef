import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../support/logger.ts';
import { STATE_FILE } from './folderNames.ts';

/** What the data folder says of its database, outside of it. */
export interface DatabaseState {
  /** Id that the database took when it was created; its copies have the same. */
  lineage: string;
  /** Commits of the database that were acknowledged. Never more than it holds, unless it was damaged. */
  commits: number;
  /** When the last of them was made, in milliseconds since 1970. */
  at: number;
}

/** Longer than any state, so that the file is always overwritten in place, on blocks that it has already. */
const LENGTH = 128;

/**
 * The state in a data folder: `null` if the file is missing, `'unreadable'` if it is there without saying anything.
 * Reading never fails: a state that is damaged claims nothing.
 */
export function readState(dir: string, log?: Logger): DatabaseState | 'unreadable' | null {
  try {
    const [lineage = '', commits = '', at = '', digest = ''] = readFileSync(join(dir, STATE_FILE), 'latin1')
      .trim()
      .split(' ');
    if (digest !== digestOf(lineage, commits, at)) return 'unreadable';
    return { lineage, commits: Number(commits), at: Number(at) };
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT') return null;
    log?.warn({ code: code ?? 'UNKNOWN' }, 'the state of the data folder cannot be read');
    return 'unreadable';
  }
}

/**
 * Keeps the state up to date, a write of 128 bytes for each commit. It is not synced: after a power cut it may tell of fewer
 * commits than the database holds, never of more.
 */
export class StateWriter {
  /** Null if it could not be opened. */
  #file: number | null = null;
  readonly #log: Logger | undefined;
  #failed = false;

  constructor(dir: string, log?: Logger) {
    this.#log = log;
    try {
      this.#file = openSync(join(dir, STATE_FILE), constants.O_RDWR | constants.O_CREAT, 0o600);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Failures are logged: the commit itself is safe. */
  write({ lineage, commits, at }: DatabaseState): void {
    const text = `${lineage} ${commits} ${at} ${digestOf(lineage, String(commits), String(at))}`;
    if (this.#file === null) return;
    try {
      writeSync(this.#file, `${text.padEnd(LENGTH - 1)}\n`, 0, 'latin1');
    } catch (error) {
      this.#fail(error);
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #fail(error: unknown): void {
    const code = (error as { code?: string }).code ?? 'UNKNOWN';
    if (!this.#failed) this.#log?.warn({ code }, 'the state of the data folder cannot be written');
    this.#failed = true;
  }
}

function digestOf(lineage: string, commits: string, at: string): string {
  return createHash('sha256').update(`${lineage} ${commits} ${at}`).digest('hex').slice(0, 16);
}
