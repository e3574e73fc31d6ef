import { createORPCClient, DynamicLink, ORPCError } from '@orpc/client';
import { RPCLink as PortLink } from '@orpc/client/message-port';
import { RPCLink } from '@orpc/client/websocket';
import { WebSocket as ReconnectingWebSocket } from 'partysocket';
import { type Host, PROTOCOL_VERSION } from '../shared/contract/app.ts';
import type { Client } from '../shared/contract/index.ts';
import { AppError, describeError, type ErrorParams, isErrorCode, type Language } from '../shared/errors.ts';
import { LINE, LINE_WANTED } from '../shared/line.ts';
import { STORED_TOKEN } from '../shared/storedToken.ts';

/** `refused`: the address was used already or Souvenir was restarted, so the window needs a new address. */
export type ConnectionState = 'connecting' | 'open' | 'lost' | 'refused';

export interface Hello {
  version: string;
  dataDir: string;
  systemLanguage: Language;
  host: Host;
  /** Why the data cannot be opened; null if it is open. */
  damage: { code: string; params: ErrorParams } | null;
}

export interface Api {
  client: Client;
  /** Called at once with the present state, then at every change. `hello` is set when it opens. */
  onConnection(listener: (state: ConnectionState, hello: Hello | null) => void): () => void;
}

/** After this many failures in a row the core is gone, or accepts none of our tokens. */
const FAILURES_BEFORE_REFUSED = 4;

/** Connects this window to its core, and reconnects after every interruption. */
export function connect(): Api {
  return location.protocol === 'app:' ? connectByPort() : connectBySocket();
}

/** What both transports share: the listeners, and the first call on a connection that has just opened. */
function createConnection(initial: ConnectionState) {
  let state = initial;
  let hello: Hello | null = null;
  const listeners = new Set<(state: ConnectionState, hello: Hello | null) => void>();
  const tell = (next: ConnectionState) => {
    state = next;
    for (const listener of listeners) listener(state, hello);
  };
  return {
    tell,
    /** The connection is lost for now. */
    lost: () => tell(hello === null ? 'connecting' : 'lost'),
    /** Makes the first call. Returns the token that opens the next connection; null if none is needed. */
    greet: async (client: Client): Promise<string | null> => {
      const { reconnectToken, ...rest } = await client.app.hello({ protocol: PROTOCOL_VERSION });
      hello = rest;
      tell('open');
      return reconnectToken;
    },
    onConnection: (listener: (state: ConnectionState, hello: Hello | null) => void) => {
      listeners.add(listener);
      listener(state, hello);
      return () => listeners.delete(listener);
    },
  };
}

/** The transport of the local host: a WebSocket that reconnects by itself. */
function connectBySocket(): Api {
  let token = takeToken();
  let failures = 0;
  const connection = createConnection(token === null ? 'refused' : 'connecting');
  const socket = new ReconnectingWebSocket(`ws://${location.host}/rpc`, () => ['souvenir', token ?? 'none'], {
    minReconnectionDelay: 300,
    maxReconnectionDelay: 3_000,
    maxEnqueuedMessages: 0,
    startClosed: token === null,
  });
  const client: Client = createORPCClient(new RPCLink({ websocket: socket as unknown as WebSocket }));

  socket.addEventListener('open', () => {
    connection
      .greet(client)
      .then((reconnectToken) => {
        token = reconnectToken;
        if (reconnectToken !== null) sessionStorage.setItem(STORED_TOKEN, reconnectToken);
        failures = 0;
      })
      .catch(() => socket.reconnect());
  });
  socket.addEventListener('close', () => {
    failures += 1;
    if (failures < FAILURES_BEFORE_REFUSED) {
      connection.lost();
      return;
    }
    socket.close();
    connection.tell('refused');
  });
  return { client, onConnection: connection.onConnection };
}

/** The transport of the desktop app: message ports that the main process hands out. */
function connectByPort(): Api {
  const connection = createConnection('connecting');
  let line: PortLink<Record<never, never>> | null = null;
  const client: Client = createORPCClient(
    new DynamicLink(() => {
      if (!line) throw new Error('there is no line to the core');
      return line;
    }),
  );
  window.addEventListener('message', (event) => {
    const port = event.source === window && event.data === LINE ? event.ports[0] : undefined;
    if (!port) return;
    const own = new PortLink({ port });
    line = own;
    port.addEventListener('close', () => {
      if (line === own) connection.lost();
    });
    port.start();
    connection.greet(client).catch(() => connection.lost());
  });
  window.postMessage(LINE_WANTED, location.origin);
  return { client, onConnection: connection.onConnection };
}

/** Takes the token out of the address; without one, returns that of this tab, which a start page or an earlier connection left. */
function takeToken(): string | null {
  const typed = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (typed === undefined) return sessionStorage.getItem(STORED_TOKEN);
  // Neither the history nor a reload repeats it.
  history.replaceState(null, '', location.pathname);
  return typed;
}

/** Did the connection break, rather than the core refuse or fail? */
export function isCutOff(error: unknown): boolean {
  return !(error instanceof ORPCError);
}

/** Does what was asked for no longer exist? */
export function isGone(error: unknown): boolean {
  return error instanceof ORPCError && error.code === 'NOT_FOUND';
}

/** Message for the user about a failure. */
export function messageOf(error: unknown, language: Language): string {
  if (error instanceof ORPCError && isErrorCode(error.code)) {
    return describeError(error.code, (error.data as { params?: ErrorParams } | undefined)?.params, language);
  }
  // What this window found out itself, as of a file that it was to send.
  if (error instanceof AppError) return describeError(error.code, error.params, language);
  return describeError('OWNER_UNREACHABLE', {}, language);
}
