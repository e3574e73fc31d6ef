import type { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort, type ResourceLimits, Worker } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { AnyContractRouter, ContractRouterClient } from '@orpc/contract';
import { traceOf } from '../../shared/errorTrace.ts';
import { anySignal, unlessAborted } from './abort.ts';
import type { Logger } from './logger.ts';
import { cloneMessage } from './threadMessages.ts';

/** A `Worker`, or what stands for one: it emits `exit` once it has ended, and `error` before that if it failed. */
export interface Thread extends EventEmitter {
  ref(): void;
  unref(): void;
  /** Ends it at once. */
  terminate(): Promise<unknown>;
}

/** A module that serves its router with `serveThread`, or what starts a thread that serves one on `port`. */
export type ThreadEntry = URL | ((port: MessagePort) => Thread);

export interface WorkerThreadOptions {
  /** The worker's module comes from `workerUrl`. */
  entry: ThreadEntry;
  /** The thread's name in the log. */
  name: string;
  log: Logger;
  /** The error with which calls reject if the thread has ended or is closed. */
  failure(reason: string): Error;
  /**
   * May the thread be terminated during its work? Never if it runs ONNX, LanceDB or a language model: that would abort the
   * whole process. Such a thread ends by itself once its port is closed and its work is done.
   */
  interruptible: boolean;
  resourceLimits?: ResourceLimits;
}

/** How long `close` waits for running calls, and then for the thread. */
const CLOSE_PATIENCE_MS = 10_000;

/**
 * A thread that answers the calls of a contract over a port of its own. Messages are cloned, so that typed arrays cross as they
 * are. The thread keeps the process alive only while a call waits for an answer.
 */
export class WorkerThread<Contract extends AnyContractRouter> {
  readonly #options: WorkerThreadOptions;
  readonly #worker: Thread;
  readonly #port: MessagePort;
  readonly #client: ContractRouterClient<Contract>;
  readonly #end = new AbortController();
  readonly #exited: Promise<void>;
  readonly #calls = new Set<Promise<unknown>>();
  #closing: Promise<void> | null = null;

  constructor(options: WorkerThreadOptions) {
    const { entry, name, log, failure, resourceLimits } = options;
    const { port1, port2 } = new MessageChannel();
    this.#options = options;
    this.#port = port1;
    this.#worker =
      entry instanceof URL
        ? new Worker(entry, {
            workerData: { port: port2 },
            transferList: [port2],
            ...(resourceLimits ? { resourceLimits } : {}),
          })
        : entry(port2);
    this.#client = createORPCClient(new RPCLink({ port: port1, experimental_transfer: cloneMessage }));
    port1.start();
    port1.unref();
    // The port closes before the thread's own exit event; pending calls fail at this point.
    port1.once('close', () => this.#end.abort(failure('the thread ended')));
    this.#worker.unref();
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#end.abort(failure('the thread ended'));
        resolve();
      });
    });
    this.#worker.once('error', (error) => {
      log.error({ thread: name, error: traceOf(error) }, 'thread failed');
      this.#end.abort(failure(error.name));
    });
  }

  /** Aborts once the thread has ended or failed, with a `failure` as its reason. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /**
   * Makes a call, which rejects if the thread ends: on a closed port it would wait for ever.
   * @throws a `failure` if the thread has ended; the reason of one of the signals; what the call throws
   */
  async call<T>(
    work: (client: ContractRouterClient<Contract>, signal: AbortSignal) => Promise<T>,
    ...signals: readonly (AbortSignal | undefined)[]
  ): Promise<T> {
    if (this.#closing) throw this.#options.failure('it is closed');
    const signal = anySignal(this.ended, ...signals);
    signal.throwIfAborted();
    const call = unlessAborted(work(this.#client, signal), signal);
    this.#calls.add(call);
    this.#worker.ref();
    try {
      return await call;
    } catch (error) {
      // oRPC reports only that the port was closed.
      if (this.ended.aborted && !anySignal(...signals).aborted) throw this.ended.reason;
      throw error;
    } finally {
      this.#calls.delete(call);
      if (this.#calls.size === 0) this.#worker.unref();
    }
  }

  /** Waits for running calls, then lets the thread end. May be called more than once. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Terminates an interruptible thread at once. Running calls reject. */
  async kill(): Promise<void> {
    if (!this.#options.interruptible) throw new Error(`${this.#options.name} must not be interrupted`);
    await this.#worker.terminate();
  }

  async #close(): Promise<void> {
    const { interruptible, log, name, failure } = this.#options;
    await within(CLOSE_PATIENCE_MS, Promise.allSettled(this.#calls));
    this.#port.close();
    this.#worker.ref();
    const exited = this.#exited.then(() => true);
    if (await within(CLOSE_PATIENCE_MS, exited)) return;
    if (interruptible) {
      log.warn({ thread: name }, 'thread did not end by itself and was ended');
      await this.kill();
      return;
    }
    this.#worker.unref();
    this.#end.abort(failure('it was closed'));
    log.warn({ thread: name }, 'thread is still busy; it ends after what it is doing');
  }
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
