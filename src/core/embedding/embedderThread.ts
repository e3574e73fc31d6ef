import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../support/logger.ts';
import { workerUrl } from '../support/workerUrl.ts';
import type { embedderContract } from './embedderContract.ts';

export type EmbedderClient = ContractRouterClient<typeof embedderContract>;

/** How long `close` waits for running calls, and then for the thread. */
const CLOSE_PATIENCE_MS = 10_000;

/**
 * A thread that runs an embedder. The thread is never terminated from outside: that would abort the whole process if ONNX
 * is computing. It ends by itself once its port is closed and its work is done.
 */
export class EmbedderThread {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #client: EmbedderClient;
  readonly #log: Logger;
  readonly #end = new AbortController();
  readonly #exited: Promise<void>;
  readonly #calls = new Set<Promise<unknown>>();
  #closing: Promise<void> | null = null;

  constructor(log: Logger) {
    const { port1, port2 } = new MessageChannel();
    this.#log = log;
    this.#port = port1;
    this.#worker = new Worker(workerUrl(import.meta.url, 'embedderWorker'), {
      workerData: { port: port2 },
      transferList: [port2],
    });
    this.#client = createORPCClient(new RPCLink({ port: port1 }));
    port1.start();
    port1.unref();
    this.#worker.unref();
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#end.abort(new AppError('EMBEDDER_FAILED', { reason: 'the thread ended' }));
        resolve();
      });
    });
    this.#worker.once('error', (error) => {
      log.error({ err: error }, 'embedder thread failed');
      this.#end.abort(new AppError('EMBEDDER_FAILED', { reason: error.name }));
    });
  }

  /** Aborted once the thread has ended or failed. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /**
   * Makes a call. It ends when the thread does: on a closed port it would never end by itself.
   * @throws AppError EMBEDDER_FAILED if the thread has ended; the reason of one of the signals
   */
  async call<T>(
    work: (client: EmbedderClient, signal: AbortSignal) => Promise<T>,
    ...signals: readonly (AbortSignal | undefined)[]
  ): Promise<T> {
    if (this.#closing) throw new AppError('EMBEDDER_FAILED', { reason: 'it is closed' });
    const signal = AbortSignal.any([this.ended, ...signals.filter((one) => one !== undefined)]);
    signal.throwIfAborted();
    const call = Promise.race([work(this.#client, signal), rejectOnAbort(signal)]);
    this.#calls.add(call);
    // The process stays alive while somebody waits for an answer, and not longer.
    this.#worker.ref();
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
      if (this.#calls.size === 0) this.#worker.unref();
    }
  }

  /** Waits for running calls, then lets the thread end. May be called again. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await within(CLOSE_PATIENCE_MS, Promise.allSettled(this.#calls));
    this.#port.close();
    this.#worker.ref();
    const hasExited = await within(
      CLOSE_PATIENCE_MS,
      this.#exited.then(() => true),
    );
    if (hasExited) return;
    this.#worker.unref();
    this.#end.abort(new AppError('EMBEDDER_FAILED', { reason: 'it was closed' }));
    this.#log.warn('embedder thread is still busy; it ends after what it is doing');
  }
}

/** Rejects with the signal's reason when it is aborted; never resolves. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** The value of a promise, or undefined if it has not settled after `ms` milliseconds. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
