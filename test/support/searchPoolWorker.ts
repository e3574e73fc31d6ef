import { type MessagePort, parentPort } from 'node:worker_threads';
import { createSearchRouter } from '../../src/core/search/searchRouter.ts';
import { serveThread } from '../../src/core/support/serveThread.ts';

/** A search thread that serves one port after another, and tells when the database of each is closed. */
parentPort?.on('message', (port: MessagePort) => {
  const { router, close } = createSearchRouter();
  const end = () => {
    close();
    parentPort?.postMessage('free');
  };
  serveThread(router, end, { port });
});
