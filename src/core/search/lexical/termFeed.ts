import { AppError } from '../../../shared/errors.ts';
import { items, KINDS, type Kind } from '../../items/index.ts';
import type { Db } from '../../storage/database.ts';
import type { Logger } from '../../support/logger.ts';
import type { SearchThread } from '../searchThread.ts';

/**
 * Keeps the search thread's index of terms in step with the database. A thread that opens reads all rows by itself, a portion
 * for each call; from then on it is told which rows were written, after each commit and before the next question.
 */
export class TermFeed {
  readonly #thread: SearchThread;
  readonly #log: Logger;
  readonly #due = new Map<Kind, Set<number>>();
  #isSending = false;
  #loaded: Promise<void> = Promise.resolve();

  constructor(db: Db, thread: SearchThread, log: Logger) {
    this.#thread = thread;
    this.#log = log;
    for (const kind of KINDS) {
      db.watch(items[kind].fullText.changes, (rowid) => this.#note(kind, rowid));
    }
  }

  /** The thread was opened. Until it has read all rows, it searches the words in the database. */
  opened(): void {
    this.#loaded = this.#load();
  }

  /** Waits until the thread has read all rows, or has failed to. Never rejects. */
  settled(): Promise<void> {
    return this.#loaded;
  }

  async #load(): Promise<void> {
    try {
      while (!(await this.#thread.call((calls, signal) => calls.terms.load(undefined, { signal }))));
    } catch (error) {
      // A thread that ended is replaced by one that begins anew.
      if (error instanceof AppError && error.code === 'SEARCH_UNAVAILABLE') return;
      this.#log.error(
        { err: error },
        'the index of terms could not be loaded; words are searched in the database',
      );
    }
    try {
      while (!(await this.#thread.call((calls, signal) => calls.names.load(undefined, { signal }))));
    } catch (error) {
      if (error instanceof AppError && error.code === 'SEARCH_UNAVAILABLE') return;
      this.#log.error({ err: error }, 'the names of notes could not be loaded; only exact names are found');
    }
  }

  #note(kind: Kind, rowid: number): void {
    // A thread that is not started yet reads what is committed by then.
    if (!this.#thread.isStarted) return;
    const rows = this.#due.get(kind);
    if (rows) rows.add(rowid);
    else this.#due.set(kind, new Set([rowid]));
    if (this.#isSending) return;
    this.#isSending = true;
    // Transactions do not wait for anything, so the present one has ended by then. Rows of one that was rolled back are read in vain.
    queueMicrotask(() => this.#send());
  }

  #send(): void {
    this.#isSending = false;
    const due = [...this.#due].map(([kind, rowids]) => ({ kind, rowids: [...rowids] }));
    this.#due.clear();
    void this.#tell(due);
  }

  async #tell(due: { kind: Kind; rowids: number[] }[]): Promise<void> {
    try {
      await this.#thread.call((calls, signal) => calls.terms.update(due, { signal }));
    } catch (error) {
      if (this.#thread.isClosing) return;
      this.#log.warn({ err: error }, 'the search thread could not read rows that were written');
      // Its index is not that of the rows any more. One that has ended is replaced anyway.
      if (!(error instanceof AppError)) await this.#thread.restart();
    }
  }
}
