import { type MessagePort, workerData } from 'node:worker_threads';
import type { AnyRouter } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { cloneMessage } from './threadMessages.ts';

/**
 * Answers the calls of the `WorkerThread` that started this thread. Calls `end` once it closes its port; the thread ends when
 * nothing is left to do. The worker's own port will not do: oRPC cannot listen to it.
 */
export function serveThread(router: AnyRouter, end: () => void): void {
  const { port } = workerData as { port: MessagePort };
  new RPCHandler(router, { experimental_transfer: cloneMessage }).upgrade(port);
  port.start();
  port.once('close', end);
}
