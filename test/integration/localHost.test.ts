import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { get, request as send } from 'node:http';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type OwnerAddress, readOwnerAddress } from '../../src/core/app.ts';
import { connectToOwner } from '../../src/local-host/connect.ts';
import { type LocalHost, startLocalHost } from '../../src/local-host/localHost.ts';
import { type AppEvent, PROTOCOL_VERSION } from '../../src/shared/contract/app.ts';
import type { Client } from '../../src/shared/contract/index.ts';
import { createTestApp, type TestApp, until } from '../support/testApp.ts';
import { describeConformance } from './conformance.ts';

/** A folder that stands in for the built window. */
function windowFiles(test: TestApp): string {
  const dir = join(test.dataDir, 'window');
  mkdirSync(join(dir, 'assets'), { recursive: true });
  writeFileSync(join(dir, 'index.html'), '<meta property="csp-nonce" nonce="__NONCE__">');
  writeFileSync(join(dir, 'assets', 'a.js'), 'export {};');
  return dir;
}

const tokenOf = (host: LocalHost) => host.windowAddress('typed').split('#token=')[1] as string;

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
  let openedOutside: string[];
  beforeEach(async () => {
    test = createTestApp();
    openedOutside = [];
    host = await startLocalHost(test.app, {
      rendererDir: windowFiles(test),
      port: 0,
      openOutside: (url) => openedOutside.push(url) === 1,
    });
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

  it('opens what a window asks for in the user’s own browser, on the web only, and nothing for a command', async () => {
    const socket = openSocket(host.port, tokenOf(host));
    const window: Client = createORPCClient(
      new RPCLink({ websocket: socket as unknown as globalThis.WebSocket }),
    );
    await window.app.openOutside({ url: 'https://example.org/a b' });
    expect(openedOutside).toEqual(['https://example.org/a b']);
    // Here, the second one finds no browser.
    await expect(window.app.openOutside({ url: 'https://example.org/' })).rejects.toMatchObject({
      code: 'BROWSER_NOT_FOUND',
    });
    openedOutside = [];
    for (const url of [
      'http://example.org/',
      'file:///etc/passwd',
      'javascript:1',
      '--help',
      'smb://host/share',
    ])
      await expect(window.app.openOutside({ url })).rejects.toMatchObject({ code: 'BAD_INPUT' });
    socket.terminate();
    const command = await connectToOwner(readOwnerAddress(test.dataDir) as OwnerAddress);
    await expect(command.client.app.openOutside({ url: 'https://example.org/' })).rejects.toMatchObject({
      code: 'BROWSER_NOT_FOUND',
    });
    await command.close();
    expect(openedOutside).toEqual([]);
  });

  it('keeps the place of an open window, however many commands come and go', async () => {
    const socket = openSocket(host.port, tokenOf(host));
    const client: Client = createORPCClient(
      new RPCLink({ websocket: socket as unknown as globalThis.WebSocket }),
    );
    const { reconnectToken } = await client.app.hello({ protocol: PROTOCOL_VERSION });
    const address = readOwnerAddress(test.dataDir);
    for (let count = 0; count < 210; count += 1) {
      const command = await connectToOwner(address as OwnerAddress);
      // Addresses that nobody opens do not take its place either.
      await command.client.app.openWindow({ as: 'typed' });
      expect((await command.client.app.hello({ protocol: PROTOCOL_VERSION })).reconnectToken).toBeNull();
      await command.close();
    }
    socket.terminate();
    expect(await outcome(openSocket(host.port, reconnectToken as string))).toBe('open');
  });

  it('tells every window that a token was presented a second time', async () => {
    const told: AppEvent[] = [];
    test.app.services.events.listen((event) => told.push(event));
    const token = tokenOf(host);
    expect(await outcome(openSocket(host.port, 'x'.repeat(43)))).toBe('refused');
    expect(await outcome(openSocket(host.port, token))).toBe('open');
    expect(told.filter(({ type }) => type === 'alert')).toEqual([]);
    expect(await outcome(openSocket(host.port, token))).toBe('refused');
    expect(told).toContainEqual({ type: 'alert', code: 'ADDRESS_REUSED' });
    expect(readFileSync(join(test.dataDir, 'souvenir.log'), 'utf8')).not.toContain(token);
  });

  it('lets a command end whose owner went away', async () => {
    const command = await connectToOwner(readOwnerAddress(test.dataDir) as OwnerAddress);
    await host.close();
    await command.close();
    host = await startLocalHost(test.app, { rendererDir: windowFiles(test), port: 0 });
  });

  describe('start page', () => {
    const handedOver = (body: string) => /setItem\('souvenir\.token', '([^']*)'\)/.exec(body)?.[1] ?? null;
    const tokenIn = (path: string) =>
      /name="token" value="([^"]+)"/.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
    const post = (token: string, headers: Record<string, string> = {}) =>
      new Promise<{ status: number; body: string }>((resolve, reject) => {
        const form = { Origin: 'null', 'Content-Type': 'application/x-www-form-urlencoded', ...headers };
        const call = send(
          { host: '127.0.0.1', port: host.port, path: '/', method: 'POST', headers: form },
          (response) => {
            let body = '';
            response.on('data', (part: Buffer) => {
              body += part.toString();
            });
            response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
          },
        );
        call.on('error', reject).end(`token=${token}`);
      });
    const write = () => fileURLToPath(host.windowAddress('page'));

    it('is for this user alone, hands one window its token, and is gone then', async () => {
      const path = write();
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
      const token = tokenIn(path);
      expect(path).not.toContain(token);
      const { status, body } = await post(token);
      expect(status).toBe(200);
      expect(body).not.toContain(token);
      expect(existsSync(path)).toBe(false);
      const given = handedOver(body) as string;
      expect(await outcome(openSocket(host.port, token))).toBe('refused');
      expect(await outcome(openSocket(host.port, given))).toBe('open');
      expect(await outcome(openSocket(host.port, given))).toBe('refused');
    });

    it('gives no token a second time, but a page that can say so', async () => {
      const token = tokenIn(write());
      await post(token);
      const again = await post(token);
      expect(again.status).toBe(403);
      expect(handedOver(again.body)).toBeNull();
      expect(again.body).toContain("removeItem('souvenir.token')");
    });

    it.each([
      ['a token that was never given', { token: 'x'.repeat(43) }, 403],
      ['the token of the commands', { token: 'lasting' }, 403],
      ['a page of another origin', { Origin: 'http://example.com' }, 405],
      ['a page of ours', { Origin: 'ours' }, 405],
      ['another Host', { Host: 'attacker.example' }, 403],
      ['another form', { 'Content-Type': 'text/plain' }, 405],
      ['more than a token', { token: 'x'.repeat(100_000) }, 405],
      ['markup', { token: '"><script>' }, 405],
    ])('opens nothing for %s', async (_, { token, ...headers }: Record<string, string>, status) => {
      const good = tokenIn(write());
      const given = token === 'lasting' ? (readOwnerAddress(test.dataDir)?.token ?? '') : (token ?? good);
      if (headers.Origin === 'ours') headers.Origin = `http://127.0.0.1:${host.port}`;
      const answer = await post(given, headers);
      expect(answer.status).toBe(status);
      expect(handedOver(answer.body)).toBeNull();
      expect((await post(good)).status).toBe(200);
    });

    it('does not outlive the host, nor a host that was killed', async () => {
      const path = write();
      const left = join(dirname(path), 'left.html');
      await host.close();
      expect(existsSync(path)).toBe(false);
      mkdirSync(dirname(left), { recursive: true });
      writeFileSync(left, 'token');
      host = await startLocalHost(test.app, { rendererDir: windowFiles(test), port: 0 });
      expect(existsSync(left)).toBe(false);
    });
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

  /** Opens a bare connection. Its failures are expected: the host may cut it. */
  const rawSocket = async (): Promise<Socket> => {
    const socket = connect(host.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    return socket;
  };
  /** Sends bytes and returns all that comes back until the host ends the connection. */
  const sendRaw = async (bytes: string | Buffer): Promise<string> => {
    const socket = await rawSocket();
    let received = '';
    socket.on('data', (part: Buffer) => {
      received += part.toString('latin1');
    });
    const ended = new Promise((resolve) => socket.once('close', resolve));
    socket.end(bytes);
    await ended;
    return received;
  };

  it.each([
    ['a name longer than a file system takes', `/${'a'.repeat(300)}.js`],
    ['a path longer than a file system takes', `${'/a'.repeat(3_000)}.js`],
    ['bad percent-encoding', '/%E0%A4%A.js'],
    ['an encoded NUL', '/a%00.js'],
    ['a folder with the name of a file', '/folder.js'],
    ['a file used as a folder', '/index.html/a.js'],
    ['an absolute address', 'http://127.0.0.1/a.js'],
  ])('answers %s with 404, and goes on', async (_, path) => {
    mkdirSync(join(test.dataDir, 'window', 'folder.js'), { recursive: true });
    expect(await request(path)).toMatchObject({ status: 404, body: '' });
    expect((await request('/')).status).toBe(200);
  });

  it('answers every request with a status, whatever its method, address and headers', async () => {
    const token = fc.stringMatching(/^[A-Za-z-]{1,12}$/);
    const method = fc.oneof(
      fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'CONNECT', 'OPTIONS', 'TRACE', 'PRI'),
      token,
    );
    const bytes = fc.string({ unit: 'binary', maxLength: 400 }).map((text) => text.replace(/[\r\n\s]/g, ''));
    const path = fc.oneof(
      bytes.map((text) => `/${text}`),
      fc
        .tuple(bytes, fc.constantFrom('.js', '.html', '.css', '/', '%', '%00', '/../'))
        .map(([a, b]) => `/${a}${b}`),
      fc.constantFrom(
        '/',
        '*',
        '/rpc',
        '//',
        '/assets',
        '/assets/',
        '/index.html?x#y',
        'http://[',
        '127.0.0.1:443',
      ),
    );
    const header = fc.oneof(
      fc.tuple(token, bytes).map(([name, value]) => `${name}: ${value}`),
      fc.constantFrom(
        'Connection: Upgrade\r\nUpgrade: websocket',
        'Connection: Upgrade\r\nUpgrade: h2c',
        'Sec-WebSocket-Protocol: souvenir, x',
        'Sec-WebSocket-Version: 99',
        'Expect: 100-continue',
        'Expect: nothing',
        'Content-Length: 5',
        'Transfer-Encoding: chunked',
        'Range: bytes=9-1',
        'Origin: null',
      ),
    );
    await fc.assert(
      fc.asyncProperty(method, path, fc.array(header, { maxLength: 4 }), async (one, address, headers) => {
        const lines = [
          `${one} ${address} HTTP/1.1`,
          `Host: 127.0.0.1:${host.port}`,
          'Connection: close',
          ...headers,
        ];
        const answer = await sendRaw(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'utf8'));
        expect(answer).toMatch(/^HTTP\/1\.1 \d{3} /);
      }),
      { numRuns: 300 },
    );
    expect((await request('/')).status).toBe(200);
  });

  it('outlives refused sockets that are reset', async () => {
    const upgrade = [
      'GET /rpc HTTP/1.1',
      `Host: 127.0.0.1:${host.port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Protocol: souvenir, nothing',
      '\r\n',
    ].join('\r\n');
    for (let round = 0; round < 300; round += 1) {
      const socket = await rawSocket();
      socket.write(upgrade);
      // Some are reset before the refusal is written, some after.
      if (round % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
      socket.resetAndDestroy();
    }
    expect((await request('/')).status).toBe(200);
  });

  it('answers a window while others hold connections that never say anything', async () => {
    const silent: Socket[] = [];
    for (let count = 0; count < 400; count += 1) silent.push(await rawSocket());
    expect((await request('/')).status).toBe(200);
    const socket = openSocket(host.port, tokenOf(host));
    await new Promise((resolve) => socket.once('open', resolve));
    // The host lets go of the oldest of those that opened nothing, and keeps windows.
    for (let count = 0; count < 400; count += 1) silent.push(await rawSocket());
    await until(() => silent.filter((one) => one.destroyed).length >= 400);
    expect(socket.readyState).toBe(WebSocket.OPEN);
    for (const one of silent) one.destroy();
    socket.terminate();
  });

  it('says so when its port is taken', async () => {
    const second = startLocalHost(test.app, { rendererDir: windowFiles(test), port: host.port });
    await expect(second).rejects.toMatchObject({ code: 'PORT_IN_USE' });
  });
});
