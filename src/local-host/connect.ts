import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import { WebSocket } from 'ws';
import type { OwnerAddress } from '../core/app.ts';
import type { Client } from '../shared/contract/index.ts';
import { AppError } from '../shared/errors.ts';

export interface Connection {
  client: Client;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 3_000;

/**
 * Connects a command to the owner of a data folder.
 * @throws AppError OWNER_UNREACHABLE
 */
export async function connectToOwner(address: Pick<OwnerAddress, 'port' | 'token'>): Promise<Connection> {
  const origin = `http://127.0.0.1:${address.port}`;
  const socket = new WebSocket(`ws://127.0.0.1:${address.port}/rpc`, ['souvenir', address.token], {
    origin,
    handshakeTimeout: CONNECT_TIMEOUT_MS,
    maxPayload: 256 * 1024 * 1024,
  });
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    // Later failures close the socket, which ends the pending calls.
    socket.on('error', (error) => {
      reject(new AppError('OWNER_UNREACHABLE', {}, { cause: error }));
      socket.terminate();
    });
  });
  return {
    client: createORPCClient(new RPCLink({ websocket: socket as unknown as globalThis.WebSocket })),
    close: () => {
      socket.close();
      return ended;
    },
  };
}
