import { mkdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type LocalHost, startLocalHost } from '../../src/local-host/localHost.ts';
import { PROTOCOL_VERSION } from '../../src/shared/contract/app.ts';
import type { Client } from '../../src/shared/contract/index.ts';
import { createTestApp, type TestApp } from '../support/testApp.ts';
import { describeConformance } from './conformance.ts';

/** A folder that stands in for the built window. */
function windowFiles(test: TestApp): string {
  const dir = join(test.dataDir, 'window');
  mkdirSync(join(dir, 'assets'), { recursive: true });
  writeFileSync(join(dir, 'index.html'), '<meta property="csp-nonce" nonce="__NONCE__">');
  writeFileSync(join(dir, 'assets', 'a.js'), 'export {};');
  return dir;
}

const tokenOf = (host: LocalHost) => host.windowAddress().split('#token=')[1] as string;

function openSocket(
  port: number,
  token: string,
  headers: { origin?: string; host?: string; path?: string } = {},
): WebSocket {
  return new WebSocket(`ws://127.0.0.1:${port}${headers.path ?? '/rpc'}`, ['souvenir', token], {
    origin: headers.origin ?? `http://127.0.0.1:${port}`,
    headers: { Host: headers.host ?? `127.0.0.1:${port}` },
    maxPayload: 256 * 1024 * 1024,
  });
}

const outcome = (socket: WebSocket) =>
  new Promise<'open' | 'refused'>((resolve) => {
    socket.once('open', () => {
      socket.terminate();
      resolve('open');
    });
    socket.once('error', () => resolve('refused'));
  });

describeConformance('WebSocket', async (test) => {
  const host = await startLocalHost(test.app, { rendererDir: windowFiles(test), port: 0 });
  const socket = openSocket(host.port, tokenOf(host));
  const client: Client = createORPCClient(
    new RPCLink({ websocket: socket as unknown as globalThis.WebSocket }),
  );
  return { client, cut: () => socket.terminate(), close: host.close };
});

describe('local host', () => {
  let test: TestApp;
  let host: LocalHost;
  beforeEach(async () => {
    test = createTestApp();
    host = await startLocalHost(test.app, { rendererDir: windowFiles(test), port: 0 });
  });
  afterEach(async () => {
    await host.close();
    await test.dispose();
  });

  const request = (path: string, options: { method?: string; host?: string } = {}) =>
    new Promise<{ status: number; body: string; headers: Record<string, unknown> }>((resolve, reject) => {
      get(
        {
          host: '127.0.0.1',
          port: host.port,
          path,
          method: options.method ?? 'GET',
          headers: { Host: options.host ?? `127.0.0.1:${host.port}` },
        },
        (response) => {
          let body = '';
          response.on('data', (part: Buffer) => {
            body += part.toString();
          });
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body, headers: response.headers }),
          );
        },
      ).on('error', reject);
    });

  it('opens for a good token, once', async () => {
    const token = tokenOf(host);
    expect(await outcome(openSocket(host.port, token))).toBe('open');
    expect(await outcome(openSocket(host.port, token))).toBe('refused');
  });

  it('gives a window what it needs to connect again', async () => {
    const socket = openSocket(host.port, tokenOf(host));
    const client: Client = createORPCClient(
      new RPCLink({ websocket: socket as unknown as globalThis.WebSocket }),
    );
    const { reconnectToken } = await client.app.hello({ protocol: PROTOCOL_VERSION });
    socket.terminate();
    expect(await outcome(openSocket(host.port, reconnectToken as string))).toBe('open');
  });

  it.each([
    ['a wrong token', { token: 'x'.repeat(43) }],
    ['no token', { token: '' }],
    ['another origin', { origin: 'http://example.com' }],
    ['a null origin', { origin: 'null' }],
    ['localhost as origin', { origin: 'http://localhost' }],
    ['another host (DNS rebinding)', { host: 'attacker.example:80' }],
    ['localhost as host', { host: 'localhost' }],
    ['another path', { path: '/other' }],
  ])(
    'refuses a socket with %s',
    async (_, { token, ...headers }: { token?: string; origin?: string; host?: string; path?: string }) => {
      const given = token ?? tokenOf(host);
      let result: 'open' | 'refused';
      try {
        result = await outcome(openSocket(host.port, given, headers));
      } catch {
        result = 'refused';
      }
      expect(result).toBe('refused');
    },
  );

  it('survives a frame that is too large', async () => {
    const socket = openSocket(host.port, tokenOf(host));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.send(Buffer.alloc(65 * 1024 * 1024));
    await closed;
    expect((await request('/')).status).toBe(200);
  });

  it('serves the window with a fresh nonce and nothing remote', async () => {
    const [first, second] = [await request('/'), await request('/')];
    const csp = String(first.headers['content-security-policy']);
    const nonce = /nonce="([^"]+)"/.exec(first.body)?.[1] ?? '';
    expect(nonce.length).toBeGreaterThan(16);
    expect(csp).toContain(`'nonce-${nonce}'`);
    expect(csp).toContain("default-src 'none'");
    expect(csp).not.toMatch(/https?:|\*/);
    expect(second.body).not.toBe(first.body);
    expect(first.headers['x-content-type-options']).toBe('nosniff');
    expect(first.headers['set-cookie']).toBeUndefined();
  });

  it.each([
    ['another Host', '/', { host: 'attacker.example' }],
    ['another method', '/', { method: 'POST' }],
    ['a path outside the window', '/..%2f..%2fetc/passwd', {}],
    ['a path with dots', '/../souvenir.sqlite', {}],
    ['a file that is no part of it', '/owner.json', {}],
  ])('answers nothing to %s', async (_, path, options) => {
    const { status, body } = await request(path, options);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body).toBe('');
  });

  it('says so when its port is taken', async () => {
    const second = startLocalHost(test.app, { rendererDir: windowFiles(test), port: host.port });
    await expect(second).rejects.toMatchObject({ code: 'PORT_IN_USE' });
  });
});
