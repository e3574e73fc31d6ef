import { type MessagePort, workerData } from 'node:worker_threads';
import type { AnyRouter } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { cloneMessage } from './threadMessages.ts';

/**
 * Answers the calls of the `WorkerThread` that started this thread. Calls `end` once the `WorkerThread` closes its port; the
 * thread ends when no work is left. It listens to a port of its own, because oRPC cannot listen to `parentPort`.
 */
export function serveThread(
  router: AnyRouter,
  end: () => void,
  { port } = workerData as { port: MessagePort },
): void {
  new RPCHandler(router, { experimental_transfer: cloneMessage }).upgrade(port);
  port.start();
  port.once('close', end);
}
