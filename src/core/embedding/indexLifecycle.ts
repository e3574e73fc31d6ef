import type { Logger } from '../support/logger.ts';
import type { Session } from './drainOutbox.ts';
import type { StartEmbedder } from './embedder.ts';
import { closeIndex, type LiveIndex, spaceOf } from './liveIndex.ts';
import { closeIndexes, openBeside, openIndexes, type Problem } from './openIndexes.ts';
import { reconcile } from './reconcile.ts';
import { restartEmbedder } from './restartEmbedder.ts';
import type { VectorMirror } from './vectorMirror.ts';
import type { VectorOutbox } from './vectorOutbox.ts';

export interface IndexLifecyclePorts {
  /** The folder of all indexes. */
  root: string;
  outbox: VectorOutbox;
  mirror: VectorMirror;
  /** The value of the setting `embedder` at this moment. */
  expected(): string;
  startEmbedder: StartEmbedder;
  log: Logger;
  /** The thread of an embedder ended while it was in use. */
  onEmbedderEnd(error: unknown): void;
}

/**
 * Opens, changes and closes the indexes. Methods that return a promise must not run side by side; `stop` may be called at any time
 * and makes the one that runs give way.
 */
export class IndexLifecycle {
  readonly #ports: IndexLifecyclePorts;
  #session: Session | null = null;
  /** The session that is open or being opened. */
  #current: Pick<Session, 'setting' | 'stop'> | null = null;
  #notice: Problem = null;

  constructor(ports: IndexLifecyclePorts) {
    this.#ports = ports;
  }

  /** The indexes that are open; null if there are none. */
  get session(): Session | null {
    return this.#session;
  }

  /** Why another embedder is used than the expected one. It stays until that one can be used. */
  get notice(): Problem {
    return this.#notice;
  }

  /** The indexes whose embedder has ended. */
  ended(): LiveIndex[] {
    const session = this.#session;
    const inUse = session ? [session.serving, session.building] : [];
    return inUse.filter((index): index is LiveIndex => index?.embedder.ended.aborted === true);
  }

  /** Are the indexes open, or being opened, for the embedder that the setting names now? */
  isExpected(): boolean {
    const current = this.#current;
    return current !== null && !current.stop.signal.aborted && current.setting === this.#ports.expected();
  }

  /** Whatever uses the indexes is to give way to the next task. */
  stop(): void {
    this.#current?.stop.abort();
  }

  /** Opens the indexes from the beginning. @throws what kept them from being opened */
  async open(): Promise<void> {
    const stop = new AbortController();
    const { signal } = stop;
    const setting = this.#ports.expected();
    this.#current = { setting, stop };
    const opened = await this.#unlessStopped(signal, () => openIndexes({ ...this.#ports, setting, signal }));
    if (!opened) return;
    const { serving, rows, building, notice } = opened;
    if (signal.aborted) return closeIndexes(opened);
    // What answers and what the mirror holds change in the same tick.
    const session: Session = { setting, stop, serving, building };
    this.#session = session;
    this.#current = session;
    this.#notice = notice;
    const { outbox, mirror } = this.#ports;
    mirror.replace(spaceOf(serving), rows);
    // What failed before gets another chance.
    outbox.retry();
    for (const index of [serving, building]) if (index) this.#take(session, index);
  }

  /**
   * Opens the index of the embedder that is expected now beside the one that answers, in place of the one that is being built.
   * @throws what kept it from being opened
   */
  async change(): Promise<void> {
    const session = this.#session;
    if (!session) return this.open();
    const former = session.building;
    session.building = null;
    if (former) await closeIndex(former);
    session.setting = this.#ports.expected();
    session.stop = new AbortController();
    this.#current = session;
    const { signal } = session.stop;
    const opened = await this.#unlessStopped(signal, () =>
      openBeside({ ...this.#ports, setting: session.setting, signal }, session.serving),
    );
    if (!opened) return;
    const { building, notice } = opened;
    if (signal.aborted) {
      if (building) await closeIndex(building);
      return;
    }
    session.building = building;
    this.#notice = notice;
    if (building) this.#take(session, building);
  }

  async shut(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    this.#ports.mirror.clear();
    if (!session) return;
    session.stop.abort();
    await closeIndexes(session);
  }

  /** Starts the embedders that ended again; if that is not what is wrong, or is of no use, opens the indexes again. */
  async recover(): Promise<void> {
    const session = this.#session;
    if (!session) return this.open();
    if (session.stop.signal.aborted) return;
    const { serving, building } = session;
    const ended = this.ended();
    const isServingUsable =
      !ended.includes(serving) || (await restartEmbedder(serving, session, this.#ports));
    if (ended.length === 0 || !isServingUsable) {
      await this.shut();
      return this.open();
    }
    if (ended.includes(serving)) this.#watch(session, serving);
    if (!building || !ended.includes(building)) return;
    if (await restartEmbedder(building, session, this.#ports)) this.#watch(session, building);
    else await this.change();
  }

  /** Null if it was stopped; whoever stopped it has queued what comes next. */
  async #unlessStopped<T>(signal: AbortSignal, open: () => Promise<T>): Promise<T | null> {
    try {
      return await open();
    } catch (error) {
      if (!signal.aborted) throw error;
      this.#ports.log.info({ err: error }, 'opening of an index of vectors was stopped');
      return null;
    }
  }

  #take(session: Session, index: LiveIndex): void {
    this.#watch(session, index);
    reconcile(index.table, this.#ports.outbox);
  }

  #watch(session: Session, index: LiveIndex): void {
    const { embedder } = index;
    const onEnd = () => {
      const isInUse = [session.serving, session.building].includes(index) && index.embedder === embedder;
      if (this.#session !== session || session.stop.signal.aborted || !isInUse) return;
      this.#ports.onEmbedderEnd(embedder.ended.reason);
    };
    if (embedder.ended.aborted) onEnd();
    else embedder.ended.addEventListener('abort', onEnd, { once: true });
  }
}
