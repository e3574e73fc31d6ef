import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { RPCHandler } from '@orpc/server/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { type App, type ConnectionContext, type Logger, router } from '../core/app.ts';
import type { WindowAddress } from '../shared/contract/app.ts';
import { AppError } from '../shared/errors.ts';
import { errorCode } from '../shared/errorTrace.ts';
import { readHandedToken, StartPages } from './startPages.ts';
import { type Presented, Tokens } from './tokens.ts';
import { WaitingSockets } from './waitingSockets.ts';
import { handOverPage, windowFile } from './windowFiles.ts';

export interface LocalHost {
  port: number;
  /**
   * What opens one window. `typed`: an address for the user's eyes. Its token is in the fragment, which browsers do not send but keep
   * in their history. `page`: a file to give to a browser, which holds the token.
   */
  windowAddress(as: WindowAddress): string;
  close(): Promise<void>;
}

export interface LocalHostConfig {
  /** Folder of the built window; null if another host shows windows and this one serves only commands. */
  rendererDir: string | null;
  /** 0 picks a free port. */
  port: number;
  /** Brings the window of another host to the front. */
  showWindow?: () => void;
  /** Opens an address in the user's own browser; returns whether there is one. */
  openOutside?: (url: string) => boolean;
}

const LOOPBACK = '127.0.0.1';
const RPC_PATH = '/rpc';
/** Name of our subprotocol. The token travels beside it, because browsers cannot set headers on a WebSocket. */
const SUBPROTOCOL = 'souvenir';
const MAX_FRAME_BYTES = 64 * 1024 * 1024;
/** Nobody whom we refuse has anything more to say to us, and no foreign page learns even of the refusal. */
const CLOSE = { Connection: 'close', 'Cross-Origin-Resource-Policy': 'same-origin' };
/** How long a refused connection may stay, so that its answer arrives before it is cut. */
const LINGER_MS = 1_000;

interface Upgrade {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
}

/**
 * Serves the window and the contract on loopback only. It answers a request only if its Host is exactly ours (which defeats DNS
 * rebinding), and opens a WebSocket only if Host, Origin and token are right.
 * @throws AppError PORT_IN_USE
 */
export async function startLocalHost(app: App, config: LocalHostConfig): Promise<LocalHost> {
  const server = createServer();
  await listen(server, config.port);
  const { port } = server.address() as AddressInfo;
  const host = new RunningHost(app, config, { server, port });
  app.publish({ pid: process.pid, port, token: host.tokens.lasting });
  host.log.info({ port }, 'local host started');
  return { port, windowAddress: (as) => host.windowAddress(as), close: () => host.close() };
}

/** The server once it listens. Whatever a request does ends in a status, and the failure of one connection ends that one only. */
class RunningHost {
  readonly tokens = new Tokens();
  readonly log: Logger;
  readonly #app: App;
  readonly #config: LocalHostConfig;
  readonly #server: Server;
  /** What a request must give as its Host. */
  readonly #host: string;
  readonly #origin: string;
  readonly #startPages: StartPages;
  readonly #waiting = new WaitingSockets();
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    handleProtocols: () => SUBPROTOCOL,
  });
  readonly #handler = new RPCHandler<ConnectionContext>(router);

  constructor(app: App, config: LocalHostConfig, { server, port }: { server: Server; port: number }) {
    this.#app = app;
    this.#config = config;
    this.#server = server;
    this.#host = `${LOOPBACK}:${port}`;
    this.#origin = `http://${this.#host}`;
    this.#startPages = new StartPages(join(app.services.dataDir, 'start'));
    this.log = app.log.child({ domain: 'local-host' });
    server.on('error', (error) => this.#logFailure(error, 'the server failed'));
    server.on('connection', (socket) => {
      // Node takes its own listener off a socket that it hands over.
      socket.on('error', (error) => this.#logFailure(error, 'connection failed'));
      this.#waiting.add(socket);
    });
    server.on('request', (request, response) => this.#answer(request, response));
    server.on('connect', (_request, socket) => refuse(socket, 405));
    server.on('upgrade', (request, socket, head) => this.#upgrade({ request, socket, head }));
  }

  windowAddress(as: WindowAddress): string {
    const token = this.tokens.mint();
    return as === 'typed' ? `${this.#origin}/#token=${token}` : this.#startPages.write(this.#origin, token);
  }

  async close(): Promise<void> {
    for (const connection of this.#sockets.clients) connection.terminate();
    this.#sockets.close();
    this.#startPages.clear();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    for (const stream of [request, response])
      stream.on('error', (error) => this.#logFailure(error, 'request failed'));
    this.#respond(request, response).catch((error: unknown) => {
      this.#logFailure(error, 'request failed');
      if (response.headersSent) response.destroy();
      else response.writeHead(500, CLOSE).end();
    });
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method } = request;
    if (headers.host !== this.#host) response.writeHead(403, CLOSE).end();
    else if (method === 'GET' || method === 'HEAD') this.#serveFile(request, response);
    else {
      const token = await readHandedToken(request);
      if (token === null) response.writeHead(405, CLOSE).end();
      else this.#startWindow(token, response);
    }
  }

  #serveFile({ method, url = '/' }: IncomingMessage, response: ServerResponse): void {
    const { rendererDir } = this.#config;
    const file = rendererDir === null ? null : windowFile(rendererDir, url);
    if (!file) {
      response.writeHead(404, CLOSE).end();
      return;
    }
    response.writeHead(200, file.headers);
    response.end(method === 'HEAD' ? undefined : file.body);
  }

  /** Gives a window a token in exchange for that of a start page, or else no token: the window then says so. */
  #startWindow(handed: string, response: ServerResponse): void {
    if (this.#config.rendererDir === null) {
      response.writeHead(404, CLOSE).end();
      return;
    }
    const opened = this.#present(handed) === 'window';
    const { headers, body } = handOverPage(opened ? this.tokens.mint() : null);
    response.writeHead(opened ? 200 : 403, headers);
    response.end(body);
  }

  #upgrade({ request, socket, head }: Upgrade): void {
    const opened = this.#admits(request);
    if (opened === null) {
      this.log.warn('connection refused');
      refuse(socket, 403);
      return;
    }
    this.#waiting.admit(socket);
    this.#sockets.handleUpgrade(request, socket, head, (connection) => this.#serve(connection, opened));
  }

  /** Tells what a request to upgrade opens; null if it is refused. */
  #admits({ method, url, headers }: IncomingMessage): 'command' | 'window' | null {
    if (
      method !== 'GET' ||
      url !== RPC_PATH ||
      headers.host !== this.#host ||
      headers.origin !== this.#origin
    )
      return null;
    const [name, token, ...rest] = (headers['sec-websocket-protocol'] ?? '')
      .split(',')
      .map((part) => part.trim());
    if (name !== SUBPROTOCOL || token === undefined || rest.length > 0) return null;
    const presented = this.#present(token);
    return presented === 'command' || presented === 'window' ? presented : null;
  }

  /** Uses a token up, whoever presents it, and with it the page that held it. */
  #present(token: string): Presented {
    this.#startPages.used(token);
    const presented = this.tokens.present(token);
    if (presented === 'used') {
      this.log.warn('a token was presented a second time');
      this.#app.alert('ADDRESS_REUSED');
    }
    return presented;
  }

  #serve(connection: WebSocket, opened: 'command' | 'window'): void {
    // Without a listener, an oversized frame would end the process.
    connection.on('error', (error) => this.#logFailure(error, 'connection failed'));
    let next: string | null = null;
    const reconnectToken = () => {
      next ??= this.tokens.hold();
      return next;
    };
    connection.once('close', () => {
      if (next !== null) this.tokens.release(next);
    });
    const context: ConnectionContext = {
      services: this.#app.services,
      // A command connects with the lasting token again.
      reconnectToken: opened === 'window' ? reconnectToken : null,
      host: 'browser',
      openWindow: (as) => this.#openWindow(as),
      openOutside: opened === 'window' ? (this.#config.openOutside ?? null) : null,
    };
    void this.#handler.upgrade(connection, { context });
  }

  /** Called when a client asks for another window. */
  #openWindow(as: WindowAddress): string | null {
    const { showWindow } = this.#config;
    if (!showWindow) return this.windowAddress(as);
    showWindow();
    return null;
  }

  #logFailure(error: unknown, what: string): void {
    this.log.warn({ error: errorCode(error) }, what);
  }
}

/** Answers a request that Node hands over as a bare socket, and ends its connection. */
function refuse(socket: Duplex, status: 403 | 405): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  // The other end may never close its side.
  socket.once('finish', () => setTimeout(() => socket.destroy(), LINGER_MS).unref());
  socket.resume();
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      reject(taken ? new AppError('PORT_IN_USE', { port }, { cause: error }) : error);
    };
    server.once('error', onError);
    server.listen(port, LOOPBACK, () => {
      server.off('error', onError);
      resolve();
    });
  });
}
