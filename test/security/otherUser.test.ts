import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OwnerAddress, readOwnerAddress } from '../../src/core/app.ts';
import { connectToOwner } from '../../src/local-host/connect.ts';
import { CLI } from '../support/command.ts';
import { until } from '../support/testApp.ts';

const ATTACKER = fileURLToPath(new URL('otherUser.ts', import.meta.url));
/** The user whom every system has and who owns nothing. */
const NOBODY = 65_534;

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
if (!isRoot) process.stdout.write('skipped: only root can act as another user\n');

describe.skipIf(!isRoot)('another user of the computer', () => {
  let home: string;
  let dataDir: string;
  let owner: ChildProcess;
  const started: ChildProcess[] = [];

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'souvenir-'));
    // Only what Souvenir itself does keeps others out.
    chmodSync(home, 0o755);
    dataDir = join(home, 'data');
    const bin = join(home, 'bin');
    mkdirSync(bin);
    // Stands in for a browser: it does nothing with the page that it was given.
    writeFileSync(
      join(bin, 'chromium'),
      `#!/bin/sh\necho $$ > "${home}/browser.pid"\nread forever < "${home}/never"\n`,
    );
    chmodSync(join(bin, 'chromium'), 0o755);
    spawn('mkfifo', [join(home, 'never')]);
    await until(() => statSync(join(home, 'never'), { throwIfNoEntry: false })?.isFIFO() ?? null);
    owner = spawn(process.execPath, [CLI, 'start', '--json', '--data', dataDir], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        ...process.env,
        PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
        DISPLAY: ':99',
        HOME: home,
      },
    });
    started.push(owner);
  });

  afterEach(async () => {
    const browser = readBrowserPid();
    if (browser !== null) process.kill(browser, 'SIGKILL');
    for (const child of started.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  const readBrowserPid = (): number | null => {
    const file = join(home, 'browser.pid');
    const text = statSync(file, { throwIfNoEntry: false }) ? readFileSync(file, 'utf8').trim() : '';
    return text === '' ? null : Number(text);
  };

  it('reads nothing, writes nothing and stops nothing', async () => {
    const told = await new Promise<string>((resolve) =>
      createInterface({ input: owner.stdout as NodeJS.ReadableStream }).once('line', resolve),
    );
    expect(told).not.toContain('token');
    const browser = await until(readBrowserPid);
    const address = readOwnerAddress(dataDir) as OwnerAddress;
    const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true });
    const at = (isFile: boolean) =>
      entries.filter((entry) => entry.isFile() === isFile).map((entry) => join(entry.parentPath, entry.name));
    const page = at(true).find((path) => path.endsWith('.html')) as string;
    expect(page).toContain(join(dataDir, 'start'));
    const secrets = [
      address.token,
      /name="token" value="([^"]+)"/.exec(readFileSync(page, 'utf8'))?.[1] as string,
    ];

    const orders = {
      paths: at(true),
      folders: [dataDir, ...at(false)],
      pids: [owner.pid, browser],
      port: address.port,
    };
    const script = stripTypeScriptTypes(readFileSync(ATTACKER, 'utf8'));
    const attacker = spawn(
      process.execPath,
      ['--input-type=module', '-e', script, '--', JSON.stringify(orders)],
      {
        cwd: '/',
        uid: NOBODY,
        gid: NOBODY,
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    started.push(attacker);
    const line = await new Promise<string>((resolve, reject) => {
      createInterface({ input: attacker.stdout }).once('line', resolve);
      attacker.once('exit', (code) => reject(new Error(`the other user's process ended with ${code}`)));
      attacker.once('error', reject);
    });
    const { statuses, ...done } = JSON.parse(line) as { statuses: string[]; read: string[] };
    expect(done).toEqual({ read: [], changed: [], stopped: [], opened: [] });
    expect(statuses.length).toBeGreaterThan(30);
    expect(statuses.filter((status) => !/^4\d\d$/.test(status))).toEqual([]);

    // What everybody may read of a process holds neither secret.
    for (const pid of [owner.pid, browser]) {
      const shown = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      for (const secret of secrets) expect(shown).not.toContain(secret);
    }
    expect(readFileSync(`/proc/${browser}/cmdline`, 'utf8')).toContain(`--app=file://${page}`);

    // The owner answers its user meanwhile, and the page that was made for the browser still opens a window.
    const { client, close } = await connectToOwner(address);
    expect(await client.facts.list({ all: true })).toEqual({ facts: [] });
    await close();
    const answer = await fetch(`http://127.0.0.1:${address.port}/`, {
      method: 'POST',
      headers: { Origin: 'null', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `token=${secrets[1]}`,
    });
    expect(answer.status).toBe(200);
    expect(owner.exitCode).toBeNull();
    const log = readFileSync(join(dataDir, 'souvenir.log'), 'utf8');
    for (const secret of secrets) expect(log).not.toContain(secret);
  });
});
