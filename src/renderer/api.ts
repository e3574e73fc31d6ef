import { createORPCClient, ORPCError } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import { WebSocket as ReconnectingWebSocket } from 'partysocket';
import { PROTOCOL_VERSION } from '../shared/contract/app.ts';
import type { Client } from '../shared/contract/index.ts';
import { describeError, type ErrorParams, isErrorCode, type Language } from '../shared/errors.ts';

/** `refused`: the address was used already, or Souvenir was started again: a new address is needed. */
export type ConnectionState = 'connecting' | 'open' | 'lost' | 'refused';

export interface Hello {
  version: string;
  dataDir: string;
  systemLanguage: Language;
}

export interface Api {
  client: Client;
  /** Called at once with the present state, then at every change. `hello` is set when it opens. */
  onConnection(listener: (state: ConnectionState, hello: Hello | null) => void): () => void;
}

const STORED_TOKEN = 'souvenir.token';
/** After so many failures in a row the core is gone, or knows none of our tokens. */
const FAILURES_BEFORE_REFUSED = 4;

/** Connects this window to the core that served it, and again after every interruption. */
export function connect(): Api {
  let token = takeToken();
  let failures = 0;
  let state: ConnectionState = token === null ? 'refused' : 'connecting';
  let hello: Hello | null = null;
  const listeners = new Set<(state: ConnectionState, hello: Hello | null) => void>();
  const tell = (next: ConnectionState) => {
    state = next;
    for (const listener of listeners) listener(state, hello);
  };

  const socket = new ReconnectingWebSocket(`ws://${location.host}/rpc`, () => ['souvenir', token ?? 'none'], {
    minReconnectionDelay: 300,
    maxReconnectionDelay: 3_000,
    maxEnqueuedMessages: 0,
    startClosed: token === null,
  });
  const client: Client = createORPCClient(new RPCLink({ websocket: socket as unknown as WebSocket }));

  socket.addEventListener('open', () => {
    client.app
      .hello({ protocol: PROTOCOL_VERSION })
      .then(({ reconnectToken, ...rest }) => {
        token = reconnectToken;
        if (reconnectToken !== null) sessionStorage.setItem(STORED_TOKEN, reconnectToken);
        failures = 0;
        hello = rest;
        tell('open');
      })
      .catch(() => socket.reconnect());
  });
  socket.addEventListener('close', () => {
    failures += 1;
    if (failures < FAILURES_BEFORE_REFUSED) {
      tell(hello === null ? 'connecting' : 'lost');
      return;
    }
    socket.close();
    tell('refused');
  });

  return {
    client,
    onConnection: (listener) => {
      listeners.add(listener);
      listener(state, hello);
      return () => listeners.delete(listener);
    },
  };
}

/** The token of the address, which is taken out of it at once, or the one kept for a reload. */
function takeToken(): string | null {
  const given = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return sessionStorage.getItem(STORED_TOKEN);
  history.replaceState(null, '', location.pathname);
  return given;
}

/** What went wrong, in words for the user. */
export function messageOf(error: unknown, language: Language): string {
  if (error instanceof ORPCError && isErrorCode(error.code)) {
    return describeError(error.code, (error.data as { params?: ErrorParams } | undefined)?.params, language);
  }
  return describeError('OWNER_UNREACHABLE', {}, language);
}
