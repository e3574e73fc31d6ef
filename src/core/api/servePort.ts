import { RPCHandler } from '@orpc/server/message-port';
import type { Services } from '../services.ts';
import type { ConnectionContext } from './implementer.ts';
import { router } from './router.ts';

/** Any port that oRPC can use: of a channel, of a worker, of Electron. */
type Port = Parameters<RPCHandler<ConnectionContext>['upgrade']>[0];

/** Serves the contract on one end of a channel until it closes. The other end is in this program, and needs no token. */
export function servePort(services: Services, port: Port): void {
  const context: ConnectionContext = {
    services,
    reconnectToken: null,
    host: 'desktop',
    openWindow: null,
    openOutside: null,
  };
  new RPCHandler<ConnectionContext>(router).upgrade(port, { context });
}
