import PQueue from 'p-queue';
import { AppError } from '../../shared/errors.ts';
import type { ItemVector } from '../embedding/vectorMatrix.ts';
import type { VectorMirror, VectorSpace } from '../embedding/vectorMirror.ts';
import type { Kind } from '../items/index.ts';
import type { Logger } from '../support/logger.ts';
import { handOver } from '../support/threadMessages.ts';
import type { PackedVectors } from './searchContract.ts';
import type { SearchCalls, SearchThread } from './searchThread.ts';

/** Rows of one message: between two of them the core's thread has its turn. */
const ROWS_AT_ONCE = 2_000;

/**
 * The vectors of the search thread, written from the core's. Writes are sent one after the other. `settled` waits for those that
 * were begun before, so that a search which waits for it sees them. Before the thread is started nothing is sent: it is told
 * everything when it opens.
 */
export class MirrorWriter implements VectorMirror {
  readonly #thread: SearchThread;
  readonly #log: Logger;
  readonly #queue = new PQueue({ concurrency: 1 });
  /** Writes of an earlier copy are dropped: the next copy holds them. */
  #copy = 0;
  #isUsed = false;
  #isStale = false;
  #refilled: Promise<void> = Promise.resolve();
  #last: Promise<void> = Promise.resolve();

  constructor(thread: SearchThread, log: Logger) {
    this.#thread = thread;
    this.#log = log;
  }

  /**
   * The thread was opened, and has no vectors. If it should have some, `refill` is to write them again with `replace`; what waits to
   * be written is of no use before that.
   */
  opened(isFirst: boolean, refill: () => Promise<void>): void {
    if (!this.#isUsed || (isFirst && !this.#isStale)) return;
    this.#copy += 1;
    this.#refilled = refill();
  }

  replace(space: VectorSpace, rows: readonly ItemVector[]): void {
    this.#isUsed = true;
    this.#isStale = false;
    this.#write(async (calls, signal) => {
      await calls.mirror.begin(space, { signal });
      for (const some of batches(rows)) {
        signal.throwIfAborted();
        await calls.mirror.stage(pack(some, space.dimensions), { signal });
      }
      await calls.mirror.commit(undefined, { signal });
    });
  }

  put(rows: readonly ItemVector[]): void {
    const [first] = rows;
    if (!first) return;
    this.#write(async (calls, signal) => {
      for (const some of batches(rows)) {
        await calls.mirror.put(pack(some, first.vector.length), { signal });
      }
    });
  }

  remove(kind: Kind, ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#write((calls, signal) => calls.mirror.remove({ kind, ids: [...ids] }, { signal }));
  }

  clear(): void {
    if (!this.#isUsed) return;
    this.#isUsed = false;
    this.#isStale = false;
    if (!this.#thread.isStarted) return;
    this.#write((calls, signal) => calls.mirror.clear(undefined, { signal }));
  }

  /** Waits for the writes that were begun before, and for a refill that is under way. */
  async settled(): Promise<void> {
    await this.#refilled;
    await this.#last;
  }

  #write(work: (calls: SearchCalls, signal: AbortSignal) => Promise<void>): void {
    if (!this.#thread.isStarted) {
      this.#isStale = true;
      return;
    }
    const copy = this.#copy;
    this.#last = this.#queue.add(async () => {
      if (copy !== this.#copy) return;
      try {
        await this.#thread.call(work);
      } catch (error) {
        if (this.#thread.isClosing) return;
        if (copy === this.#copy) this.#isStale = this.#isUsed;
        this.#log.warn({ err: error }, 'vectors could not be sent to the search thread');
        // A thread that refused a write holds the wrong vectors from now on. One that has ended is replaced anyway.
        if (!(error instanceof AppError)) await this.#thread.restart();
      }
    });
  }
}

function* batches(rows: readonly ItemVector[]): Generator<readonly ItemVector[]> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) yield rows.slice(at, at + ROWS_AT_ONCE);
}

function pack(rows: readonly ItemVector[], dimensions: number): PackedVectors {
  const values = new Float32Array(rows.length * dimensions);
  for (const [row, { vector }] of rows.entries()) values.set(vector, row * dimensions);
  return {
    kinds: rows.map(({ kind }) => kind),
    ids: rows.map(({ id }) => id),
    values: handOver(values),
  };
}
