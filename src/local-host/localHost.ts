import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { RPCHandler } from '@orpc/server/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { type App, type ConnectionContext, router } from '../core/app.ts';
import { AppError } from '../shared/errors.ts';
import { createTokens } from './tokens.ts';
import { windowFile } from './windowFiles.ts';

export interface LocalHost {
  port: number;
  /** An address that opens one window. Its token is in the fragment, which browsers do not send. */
  windowAddress(): string;
  close(): Promise<void>;
}

export interface LocalHostConfig {
  /** Folder of the built window; null if another host shows windows and this one serves only commands. */
  rendererDir: string | null;
  /** 0 picks a free port. */
  port: number;
  /** Brings the window of another host to the front. */
  showWindow?: () => void;
}

const LOOPBACK = '127.0.0.1';
const RPC_PATH = '/rpc';
/** Name of our subprotocol. The token travels beside it, because browsers cannot set headers on a WebSocket. */
const SUBPROTOCOL = 'souvenir';
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/**
 * Serves the window and the contract on loopback only. It answers a request only if its Host is exactly ours (which defeats DNS
 * rebinding), and opens a WebSocket only if Host, Origin and token are right.
 * @throws AppError PORT_IN_USE
 */
export async function startLocalHost(app: App, config: LocalHostConfig): Promise<LocalHost> {
  const log = app.log.child({ domain: 'local-host' });
  const tokens = createTokens();
  const server = createServer((request, response) => serveFile(request, response));
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    handleProtocols: () => SUBPROTOCOL,
  });
  const handler = new RPCHandler<ConnectionContext>(router);
  await listen(server, config.port);
  const { port } = server.address() as AddressInfo;
  const host = `${LOOPBACK}:${port}`;
  const origin = `http://${host}`;
  const windowAddress = () => `${origin}/#token=${tokens.mint()}`;

  const serveFile = (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers.host !== host || !(request.method === 'GET' || request.method === 'HEAD')) {
      response.writeHead(request.headers.host === host ? 405 : 403).end();
      return;
    }
    const file = config.rendererDir === null ? null : windowFile(config.rendererDir, request.url ?? '/');
    if (!file) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, file.headers);
    response.end(request.method === 'HEAD' ? undefined : file.body);
  };

  /** Called when a client asks for another window. */
  const openWindow = (): string | null => {
    if (!config.showWindow) return windowAddress();
    config.showWindow();
    return null;
  };

  const accepts = (request: IncomingMessage): boolean => {
    const { host: givenHost, origin: givenOrigin } = request.headers;
    if (request.method !== 'GET' || request.url !== RPC_PATH || givenHost !== host || givenOrigin !== origin)
      return false;
    const [name, token, ...rest] = (request.headers['sec-websocket-protocol'] ?? '')
      .split(',')
      .map((part) => part.trim());
    return name === SUBPROTOCOL && token !== undefined && rest.length === 0 && tokens.accept(token);
  };

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!accepts(request)) {
      log.warn('connection refused');
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (connection: WebSocket) => {
      // Without a listener, an oversized frame would end the process.
      connection.on('error', (error) => log.warn({ err: error.name }, 'connection failed'));
      const context: ConnectionContext = {
        services: app.services,
        reconnectToken: tokens.mint(),
        host: 'browser',
        openWindow,
      };
      void handler.upgrade(connection, { context });
    });
  });
  app.publish({ pid: process.pid, port, token: tokens.lasting });
  log.info({ port }, 'local host started');

  return {
    port,
    windowAddress,
    close: async () => {
      for (const connection of sockets.clients) connection.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      reject(taken ? new AppError('PORT_IN_USE', { port }, { cause: error }) : error);
    });
    server.listen(port, LOOPBACK, resolve);
  });
}
