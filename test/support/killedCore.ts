import { RPCHandler } from '@orpc/server/message-port';
import { type ConnectionContext, createApp, router } from '../../src/core/app.ts';
import { summariseNow } from './summariseNow.ts';

/**
 * A core in a process of its own, to be killed: the contract goes over the channel of the process that started it, and so does
 * what sets its clock. Arguments: the data folder, the time of its clock.
 */
export interface KilledCoreMessage {
  /** A message of the contract. */
  data?: unknown;
  /** Sets the clock; `{ now }` comes back once every job that is due has run. */
  now?: number;
  /** Has everything summarised that is due; comes back once it is. */
  summarise?: true;
  /** Has the core closed; the process ends by itself then. */
  close?: true;
}

const [dataDir = '', at = '0'] = process.argv.slice(2);
let now = Number(at);
const app = createApp({ dataDir, version: 'test' }, { clock: { now: () => now } });
const context: ConnectionContext = {
  services: app.services,
  reconnectToken: null,
  host: 'none',
  openWindow: null,
  openOutside: null,
};
const tell = (message: KilledCoreMessage) => process.send?.(message);
const settle = async () => {
  await app.services.jobs.settled();
  tell({ now });
};

new RPCHandler<ConnectionContext>(router).upgrade(
  {
    postMessage: (data: unknown) => tell({ data }),
    on: (event: string, listen: (event?: { data: unknown }) => void) => {
      if (event === 'close') process.on('disconnect', () => listen());
      else
        process.on('message', (message: KilledCoreMessage) => {
          if (message.data !== undefined) listen({ data: message.data });
        });
    },
  },
  { context },
);
process.on('message', (message: KilledCoreMessage) => {
  if (message.now !== undefined) {
    now = message.now;
    void settle();
  } else if (message.summarise) void summariseNow(app).then(() => tell({ summarise: true }));
  else if (message.close) void app.close().then(() => process.exit());
});
// Whoever started it is gone.
process.on('disconnect', () => process.exit());
await settle();
