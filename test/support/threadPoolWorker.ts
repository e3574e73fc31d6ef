import { type MessagePort, parentPort } from 'node:worker_threads';
import { rowCheckRouter } from '../../src/core/lifecycle/rowCheckRouter.ts';
import { createSearchRouter } from '../../src/core/search/searchRouter.ts';
import { serveThread } from '../../src/core/support/serveThread.ts';

/** What a thread of the pool is to serve, until the port is closed. */
export interface PooledWork {
  router: 'search' | 'row check';
  port: MessagePort;
}

/** Serves one port after another, and tells when it has done with each. */
parentPort?.on('message', ({ router: name, port }: PooledWork) => {
  const { router, close } =
    name === 'search' ? createSearchRouter() : { router: rowCheckRouter, close: () => undefined };
  const end = () => {
    close();
    parentPort?.postMessage('free');
  };
  serveThread(router, end, { port });
});
