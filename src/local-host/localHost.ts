import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, sep } from 'node:path';
import type { Duplex } from 'node:stream';
import { RPCHandler } from '@orpc/server/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { type App, type ConnectionContext, type Logger, router } from '../core/app.ts';
import { AppError } from '../shared/errors.ts';
import { createTokens } from './tokens.ts';

export interface LocalHost {
  port: number;
  /** An address, good for one window. The token stands in the fragment, which browsers do not send. */
  windowAddress(): string;
  close(): Promise<void>;
}

export interface LocalHostConfig {
  /** Folder of the built window. */
  rendererDir: string;
  /** 0 takes a free port. */
  port: number;
}

const LOOPBACK = '127.0.0.1';
const RPC_PATH = '/rpc';
/** Name of our protocol; the token travels beside it, since browsers can set no header on a WebSocket. */
const SUBPROTOCOL = 'souvenir';
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/**
 * Serves the window and the contract on loopback only. A request is answered only where its Host is exactly ours (which
 * defeats DNS rebinding); a WebSocket is opened only where Host, Origin and token are.
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
    const file = staticFile(config.rendererDir, request.url ?? '/', log);
    if (!file) {
      response.writeHead(404).end();
      return;
    }
    const nonce = randomBytes(16).toString('base64');
    const body = file.type.startsWith('text/html')
      ? file.content.toString('utf8').replaceAll('__NONCE__', nonce)
      : file.content;
    response.writeHead(200, { ...securityHeaders(nonce), 'Content-Type': file.type });
    response.end(request.method === 'HEAD' ? undefined : body);
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
      // Without a listener an oversized frame would end the process.
      connection.on('error', (error) => log.warn({ err: error.name }, 'connection failed'));
      const context: ConnectionContext = {
        services: app.services,
        reconnectToken: tokens.mint(),
        windowAddress,
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

function staticFile(dir: string, url: string, log: Logger): { content: Buffer; type: string } | null {
  const path = url.split(/[?#]/, 1)[0] as string;
  const file = normalize(join(dir, path === '/' ? 'index.html' : path));
  const type = TYPES[extname(file)];
  if (!type || !file.startsWith(dir + sep)) return null;
  try {
    return { content: readFileSync(file), type };
  } catch (error) {
    log.debug({ code: (error as { code?: string }).code ?? 'UNKNOWN' }, 'file not served');
    return null;
  }
}

/** Mantine's own style element carries the nonce; KaTeX and shiki write style attributes. Nothing remote loads. */
function securityHeaders(nonce: string): Record<string, string> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "style-src-attr 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
    'Cache-Control': 'no-store',
  };
}
