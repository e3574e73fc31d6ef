import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { servePort } from '../../src/core/app.ts';
import type { Client } from '../../src/shared/contract/index.ts';
import { describeConformance } from './conformance.ts';

const connect = (port: MessagePort): Client => {
  const client: Client = createORPCClient(new RPCLink({ port }));
  port.start();
  return client;
};

describeConformance('MessageChannel', (test) => {
  const { port1, port2 } = new MessageChannel();
  servePort(test.app.services, port1);
  port1.start();
  return Promise.resolve({
    client: connect(port2),
    cut: () => port2.close(),
    close: () => {
      port2.close();
      return Promise.resolve();
    },
  });
});

describeConformance('a port that crosses a worker', (test) => {
  const [near, far] = [new MessageChannel(), new MessageChannel()];
  const ports = [near.port2, far.port2];
  const worker = new Worker(new URL('../support/relayWorker.ts', import.meta.url), {
    workerData: { ports },
    transferList: ports,
  });
  servePort(test.app.services, far.port1);
  far.port1.start();
  return Promise.resolve({
    client: connect(near.port1),
    cut: () => near.port1.close(),
    close: async () => {
      near.port1.close();
      await worker.terminate();
    },
  });
});
