import { EventEmitter } from 'node:events';
import { type MessagePort, Worker } from 'node:worker_threads';
import type { Thread } from '../../src/core/support/workerThread.ts';
import type { PooledWork } from './threadPoolWorker.ts';

const free: Worker[] = [];

/** What an app takes for a thread of its own: it ends when the app closes it, and the thread below serves the next one. */
class PooledThread extends EventEmitter implements Thread {
  readonly #worker: Worker;

  constructor(worker: Worker, work: PooledWork) {
    super();
    this.#worker = worker;
    const fail = (error: Error) => this.emit('error', error);
    const leave = (isUsable: boolean) => {
      worker.off('message', freed).off('error', fail).off('exit', ended);
      worker.unref();
      if (isUsable) free.push(worker);
      this.emit('exit');
    };
    const freed = () => leave(true);
    const ended = () => leave(false);
    worker.on('message', freed).on('error', fail).on('exit', ended);
    worker.postMessage(work, [work.port]);
  }

  ref(): void {
    this.#worker.ref();
  }

  unref(): void {
    this.#worker.unref();
  }

  terminate(): Promise<unknown> {
    return this.#worker.terminate();
  }
}

/** Starts a thread, or takes one that another app of this process has closed: starting one costs more than most tests ask of it. */
export const takeThread =
  (router: PooledWork['router']) =>
  (port: MessagePort): Thread =>
    new PooledThread(free.pop() ?? new Worker(new URL('./threadPoolWorker.ts', import.meta.url)), {
      router,
      port,
    });
