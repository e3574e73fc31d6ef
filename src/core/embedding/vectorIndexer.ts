import { existsSync } from 'node:fs';
import { join } from 'node:path';
import PQueue from 'p-queue';
import type { VectorProgress } from '../../shared/contract/app.ts';
import { AppError, codeOf } from '../../shared/errors.ts';
import { KINDS, type Kind } from '../items/index.ts';
import { VECTOR_FOLDER } from '../storage/folderNames.ts';
import type { Logger } from '../support/logger.ts';
import { RetryTimer, type RetryWaits } from '../support/retryTimer.ts';
import { compareWithDisk, type VectorDifference } from './compare.ts';
import { drainOutbox } from './drainOutbox.ts';
import { BUILT_IN, type Embedder, type StartEmbedder } from './embedder.ts';
import { IndexLifecycle } from './indexLifecycle.ts';
import { spaceOf } from './liveIndex.ts';
import type { Problem } from './openIndexes.ts';
import { reconcile } from './reconcile.ts';
import type { Similarity, SimilarityScale } from './similarity.ts';
import type { VectorMirror } from './vectorMirror.ts';
import type { VectorOutbox } from './vectorOutbox.ts';
import { eraseVectors, VectorsDamaged } from './vectorTable.ts';

export interface VectorIndexerPorts {
  dataDir: string;
  outbox: VectorOutbox;
  /** The copy of the serving index that search reads. */
  mirror: VectorMirror;
  /** The value of the setting `embedder` at this moment. */
  expected(): string;
  log: Logger;
  onProgress(progress: VectorProgress): void;
  startEmbedder: StartEmbedder;
  /** Waits before attempts to recover. */
  retry?: RetryWaits;
}

/** The index that answers: its vectors are those of the mirror. */
export interface Serving {
  readonly fingerprint: string;
  /** The value of the setting that names its embedder. */
  readonly setting: string;
  readonly embedder: Embedder;
  readonly scale: SimilarityScale;
  readonly similarity: Similarity;
}

const RETRY = { firstMs: 1_000, longestMs: 5 * 60_000 };
/** An expected embedder that could not be used is looked for again this often: its folder may come back. */
const LOOK_AGAIN_MS = 5 * 60_000;
/** Rows change many at a time: the changes of this stretch are taken up together. */
const GATHER_MS = 60;
const PROGRESS_EVERY_MS = 200;

/**
 * Keeps a vector of every item. SQLite is the truth: triggers note in an outbox which rows changed, in the transaction that
 * changes them, and the indexer applies the outbox to the index. When it opens, it compares rows and index as well, so that
 * an index that was damaged, deleted or restored from elsewhere is mended without help. For another embedder it builds another
 * index beside the one that goes on answering.
 *
 * Everything that touches an index is a task of one queue: opening, applying, recovering, closing run one after the other. The tasks are
 * files of their own; what puts them in the queue, and what they leave behind, is one state and stands here.
 */
export class VectorIndexer {
  readonly #ports: Required<VectorIndexerPorts>;
  readonly #root: string;
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #indexes: IndexLifecycle;
  /** Settles when the last requested opening is over; null before the first one. */
  #opening: Promise<void> | null = null;
  /** Why vectors are behind; null once they are not. */
  #fault: Problem = null;
  readonly #recovery: RetryTimer;
  readonly #embedded = new Map<Kind, number>();
  #applying = false;
  #applyQueued = false;
  #closed = false;
  #lookTimer: NodeJS.Timeout | undefined;
  #wakeTimer: NodeJS.Timeout | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(ports: VectorIndexerPorts) {
    this.#ports = { retry: RETRY, ...ports };
    this.#root = join(ports.dataDir, VECTOR_FOLDER);
    this.#recovery = new RetryTimer(this.#ports.retry, () => {
      if (this.#fault) void this.#enqueue(() => this.#indexes.recover());
    });
    this.#indexes = new IndexLifecycle({
      ...this.#ports,
      root: this.#root,
      onEmbedderEnd: (error) => this.#onEmbedderEnd(error),
    });
  }

  /**
   * Opens the index if that was not done yet, and waits until it answers or it is known that it cannot. Never throws: without
   * vectors, text answers alone.
   */
  whenReady(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#opening ??= this.#enqueue(() => this.#indexes.open());
    return this.#opening;
  }

  /** The index that answers; null before it was opened, or if there are no vectors. */
  serving(): Serving | null {
    return this.#indexes.session?.serving ?? null;
  }

  /** An index that is open for the embedder of a setting, whether it answers or is being built; null if none is. */
  opened(setting: string): Serving | null {
    const { serving, building } = this.#indexes.session ?? {};
    const open = [serving, building].find((index) => index?.setting === setting) ?? null;
    return open?.embedder.ended.aborted ? null : open;
  }

  progress(): VectorProgress {
    const { outbox } = this.#ports;
    const { session, notice } = this.#indexes;
    return {
      state: this.#state(),
      embedder: session?.serving.embedder.id ?? null,
      vectors: (session?.building ?? session?.serving)?.table.size ?? 0,
      pending: outbox.count(),
      failed: outbox.failedCount(),
      problem: this.#fault ?? notice,
    };
  }

  /** How many items of this kind were embedded since the core was opened; one that two indexes need counts twice. */
  embedded(kind: Kind): number {
    return this.#embedded.get(kind) ?? 0;
  }

  #state(): VectorProgress['state'] {
    const { session } = this.#indexes;
    if (this.#fault) return 'failed';
    if (!session) return 'starting';
    if (session.building) return 'rebuilding';
    return this.#applying ? 'working' : 'ready';
  }

  /** Rows changed, so the outbox may have entries. */
  wakeSoon(): void {
    clearTimeout(this.#wakeTimer);
    if (this.#indexes.session) this.#wakeTimer = setTimeout(() => this.#wake(), GATHER_MS).unref();
  }

  /**
   * Waits until every item has its vector, or it is known that some cannot have one, or the indexer is closed. If another embedder is
   * expected meanwhile, it waits for that one's index.
   */
  async settled(): Promise<void> {
    await this.whenReady();
    while (this.#isBehind()) {
      this.#wake();
      await this.#queue.onIdle();
    }
  }

  /** After a fault vectors are behind too, but nobody should wait for that. */
  #isBehind(): boolean {
    if (this.#queue.size + this.#queue.pending > 0) return true;
    return !this.#fault && this.#hasWork();
  }

  #hasWork(): boolean {
    const { session } = this.#indexes;
    return session !== null && (session.building !== null || this.#ports.outbox.next(1).length > 0);
  }

  /** Is `setting` an embedder that can be used? @throws AppError EMBEDDER_UNUSABLE */
  async check(setting: string): Promise<void> {
    if (setting === BUILT_IN) return;
    const embedder = await this.#ports.startEmbedder(setting, this.#ports.log);
    await embedder.close();
  }

  /**
   * Uses the embedder that the setting names now. The former index answers until the new one is complete. Of several changes in a
   * row the last one counts.
   */
  change(): Promise<void> {
    if (!this.#opening || this.#closed) return Promise.resolve();
    if (this.#indexes.isExpected()) return this.#opening;
    this.#indexes.stop();
    this.#opening = this.#enqueue(async () => {
      if (!this.#indexes.isExpected()) await this.#indexes.change();
    });
    return this.#opening;
  }

  /** Erases every index and builds one from the rows. */
  rebuild(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#indexes.stop();
    this.#opening = this.#enqueue(async () => {
      await this.#indexes.shut();
      eraseVectors(this.#root);
      await this.#indexes.open();
    });
    return this.#opening;
  }

  /**
   * Compares items with vectors, as the index is on the disk. What merely changed, or expired, since the index was opened is brought
   * up to date before.
   */
  async compare(): Promise<VectorDifference[]> {
    const { outbox } = this.#ports;
    await this.whenReady();
    const { session } = this.#indexes;
    if (session) reconcile(session.serving.table, outbox);
    await this.settled();
    try {
      return await compareWithDisk(this.#indexes.session?.serving.table ?? null, outbox);
    } catch (error) {
      if (!(error instanceof VectorsDamaged)) throw error;
      this.#ports.log.warn({ err: error }, 'the index cannot be read');
      return compareWithDisk(null, outbox);
    }
  }

  /**
   * Leaves nothing of removed items in the files of any index: neither vectors nor hashes of their texts.
   * @throws why an index cannot be written; AppError DATA_CLOSED
   */
  async eraseRemoved(): Promise<void> {
    if (!this.#indexes.session && !existsSync(this.#root)) return;
    await this.whenReady();
    const { outbox, mirror } = this.#ports;
    await this.#queue.add(async () => {
      const { session } = this.#indexes;
      if (!session || this.#closed) throw new AppError('DATA_CLOSED');
      for (const { table } of [session.serving, session.building].filter((index) => index !== null)) {
        for (const kind of KINDS) {
          const expected = outbox.expected(kind);
          const gone = [...table.hashes(kind).keys()].filter((id) => !expected.has(id));
          await table.remove(kind, gone);
          if (table === session.serving.table) mirror.remove(kind, gone);
        }
        await table.rewrite();
      }
    });
  }

  /** Writes the vectors of the serving index into the mirror again, because it lost them. Never rejects. */
  refillMirror(): Promise<void> {
    return this.#queue.add(async () => {
      const { session } = this.#indexes;
      if (!session || this.#closed) return;
      try {
        const { serving } = session;
        this.#ports.mirror.replace(spaceOf(serving), await serving.table.readAll());
      } catch (error) {
        this.#fail(error, 'vectors cannot be read; text answers alone meanwhile');
      }
    });
  }

  /** Stops what runs and closes the index. What is due stays in the outbox. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#indexes.stop();
    this.#recovery.close();
    for (const timer of [this.#lookTimer, this.#wakeTimer]) clearTimeout(timer);
    await this.#queue.add(() => this.#indexes.shut());
  }

  /** Queues a task that opens or changes the indexes. If it fails, it is tried again later. */
  #enqueue(task: () => Promise<void>): Promise<void> {
    return this.#queue.add(async () => {
      if (this.#closed) return;
      try {
        await task();
        if (this.#indexes.session) this.#fault = null;
        // One that ended while everything gave way to this task told nobody.
        for (const { embedder } of this.#indexes.ended()) this.#onEmbedderEnd(embedder.ended.reason);
      } catch (error) {
        this.#fail(error, 'an index of vectors cannot be opened; text answers alone meanwhile');
      }
      this.#lookAgainLater();
      this.#wake();
      this.#tell(true);
    });
  }

  #wake(): void {
    if (this.#fault || this.#applyQueued || this.#closed || !this.#hasWork()) return;
    this.#applyQueued = true;
    void this.#queue.add(() => this.#apply());
  }

  async #apply(): Promise<void> {
    this.#applyQueued = false;
    const { session } = this.#indexes;
    if (!session || session.stop.signal.aborted) return;
    const { log } = this.#ports;
    this.#applying = true;
    try {
      await drainOutbox(session, {
        ...this.#ports,
        onBatch: () => this.#tell(),
        onEmbedded: (kind) => this.#embedded.set(kind, this.embedded(kind) + 1),
      });
      this.#recovery.succeeded();
    } catch (error) {
      if (session.stop.signal.aborted) log.info({ err: error }, 'writing of vectors was stopped');
      else this.#fail(error, 'vectors are behind; tried again later');
    } finally {
      this.#applying = false;
      this.#tell(true);
    }
  }

  #onEmbedderEnd(error: unknown): void {
    this.#fail(error, 'an embedder ended; another one is started');
  }

  /** Vectors are behind: recovers later, at first soon, then ever more seldom. */
  #fail(error: unknown, message: string): void {
    this.#fault = codeOf(error);
    this.#ports.log.error({ err: error }, message);
    this.#recovery.failed();
  }

  /** While the expected embedder cannot be used, tries it again from time to time. */
  #lookAgainLater(): void {
    clearTimeout(this.#lookTimer);
    if (!this.#indexes.notice || this.#closed) return;
    const lookAgain = () => void this.#enqueue(() => this.#indexes.change());
    this.#lookTimer = setTimeout(lookAgain, LOOK_AGAIN_MS).unref();
  }

  #tell(now = false): void {
    if (this.#closed || (!now && performance.now() - this.#toldAt < PROGRESS_EVERY_MS)) return;
    this.#toldAt = performance.now();
    this.#ports.onProgress(this.progress());
  }
}
