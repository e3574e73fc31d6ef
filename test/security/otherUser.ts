// Runs as another user of the computer, with nothing but Node's own modules. Tries to read, write and stop what it can find, and writes
// down what worked. Its orders are the last argument, as JSON.
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

const { paths, folders, pids, port } = JSON.parse(process.argv.at(-1) ?? '') as {
  paths: string[];
  folders: string[];
  pids: number[];
  port: number;
};

const done = {
  read: [] as string[],
  changed: [] as string[],
  stopped: [] as number[],
  seen: '',
  opened: [] as string[],
  statuses: [] as string[],
};

function tries(note: () => void, act: () => unknown): void {
  try {
    act();
    note();
  } catch {
    // Refused, as it should be.
  }
}

for (const path of paths) {
  tries(
    () => done.read.push(path),
    () => readFileSync(path),
  );
  tries(
    () => done.changed.push(path),
    () => writeFileSync(path, 'x', { flag: 'r+' }),
  );
  tries(
    () => done.changed.push(path),
    () => chmodSync(path, 0o666),
  );
  tries(
    () => done.changed.push(path),
    () => rmSync(path),
  );
}
for (const folder of folders) {
  tries(
    () => done.read.push(folder),
    () => readdirSync(folder),
  );
  tries(
    () => done.changed.push(folder),
    () => writeFileSync(join(folder, 'planted'), 'x'),
  );
}
for (const pid of pids) {
  for (const name of ['environ', 'maps', 'mem', 'fd']) {
    const path = `/proc/${pid}/${name}`;
    tries(
      () => done.read.push(path),
      () => (name === 'fd' ? readdirSync(path) : readFileSync(path)),
    );
  }
  tries(
    () => done.stopped.push(pid),
    () => process.kill(pid, 'SIGKILL'),
  );
}
// Arguments are there for everybody.
for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
  tries(
    () => undefined,
    () => {
      done.seen += readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    },
  );

const open = () =>
  new Promise<Socket>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', () => resolve(socket));
  });

async function status(request: string): Promise<string> {
  const socket = await open();
  let answer = '';
  socket.on('data', (part) => {
    answer += part.toString('latin1');
  });
  const closed = new Promise((resolve) => {
    socket.once('close', resolve);
    // A connection that was upgraded stays open.
    socket.on('data', () => answer.startsWith('HTTP/1.1 101') && socket.destroy());
  });
  socket.write(request);
  await closed;
  return answer.split(' ', 2)[1] ?? 'none';
}

const own = `127.0.0.1:${port}`;
const upgrade = (token: string, { host = own, origin = `http://${own}`, path = '/rpc' } = {}) =>
  [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Origin: ${origin}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...(token === '' ? [] : [`Sec-WebSocket-Protocol: souvenir, ${token}`]),
    '\r\n',
  ].join('\r\n');
const post = (token: string, origin = 'null') =>
  [
    'POST / HTTP/1.1',
    `Host: ${own}`,
    `Origin: ${origin}`,
    'Connection: close',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${`token=${token}`.length}`,
    '',
    `token=${token}`,
  ].join('\r\n');

// Everything that looks like a token in what others may read.
const guesses = [
  '',
  'x'.repeat(43),
  'none',
  '__proto__',
  ...(done.seen.match(/(?<![\w-])[\w-]{43}(?![\w-])/g) ?? []),
];
for (const token of guesses) {
  for (const [what, request] of [
    ['socket', upgrade(token)],
    ['socket of another Host', upgrade(token, { host: 'attacker.example' })],
    ['socket of another Origin', upgrade(token, { origin: 'http://attacker.example' })],
    ['socket of another path', upgrade(token, { path: '/rpc/' })],
    ['start page', post(token)],
    ['start page of another Origin', post(token, 'http://attacker.example')],
  ] as const) {
    const got = await status(request);
    done.statuses.push(got);
    if (/^[123]/.test(got)) done.opened.push(`${what}: ${got}`);
  }
}
for (const request of [
  `GET /${'a'.repeat(300)}.js HTTP/1.1\r\nHost: ${own}\r\nConnection: close\r\n\r\n`,
  `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: ${own}\r\nConnection: close\r\n\r\n`,
  `GET /../owner.json HTTP/1.1\r\nHost: ${own}\r\nConnection: close\r\n\r\n`,
  `GET /..%2fowner.json HTTP/1.1\r\nHost: ${own}\r\nConnection: close\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: attacker.example\r\nConnection: close\r\n\r\n`,
  `CONNECT ${own} HTTP/1.1\r\nHost: ${own}\r\n\r\n`,
  'nonsense\r\n\r\n',
]) {
  const got = await status(request);
  done.statuses.push(got);
  if (/^[123]/.test(got)) done.opened.push(`request: ${got}`);
}
for (let count = 0; count < 200; count += 1) {
  const socket = await open();
  socket.write(upgrade('none'));
  if (count % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
  socket.resetAndDestroy();
}
// Requests that never end. They are left open while the owner is looked at.
for (let count = 0; count < 400; count += 1)
  (await open()).write(`GET / HTTP/1.1\r\nHost: ${own}\r\nX-Slow: `);

delete (done as { seen?: string }).seen;
process.stdout.write(`${JSON.stringify(done)}\n`);
// Until its input ends.
process.stdin.resume();
