import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, expect, type Route, test } from '@playwright/test';
import BetterSqlite3 from 'better-sqlite3';
import { type OwnerAddress, readOwnerAddress } from '../../src/core/app.ts';
import { connectToOwner } from '../../src/local-host/connect.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/testApp.ts';
import { findChromium } from './browser.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');
test.skip(process.platform !== 'linux', 'reads the arguments of processes from /proc');

const CLI = fileURLToPath(new URL('../../out/main/cli.js', import.meta.url));

let home: string;
let dataDir: string;
let host: ChildProcess;
let browser: Browser;

/** A browser without a screen, under the name that the host looks for. It keeps a copy of the page that it was started with. */
function writeBrowser(): string {
  const folder = join(home, 'bin');
  mkdirSync(folder);
  const file = join(folder, 'chromium');
  const copy = `for one; do case "$one" in --app=file://*) cp "\${one#--app=file://}" "${home}/start.html";; esac; done`;
  const script = `#!/bin/sh\n${copy}\nexec "${findChromium()}" --headless=new --remote-debugging-port=0 "$@"\n`;
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  return folder;
}

/** What any user can read of every process that this data folder's host and browser are made of. */
function argumentsOfAll(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const all = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return all.includes(home) ? [all] : [];
      } catch {
        // It has ended.
        return [];
      }
    });
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test.beforeEach(async () => {
  home = temporaryFolder();
  dataDir = join(home, 'data');
  host = spawn(process.execPath, [CLI, 'start', '--json', '--data', dataDir], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      PATH: `${writeBrowser()}${delimiter}${process.env.PATH ?? ''}`,
      DISPLAY: ':99',
      HOME: home,
      XDG_CONFIG_HOME: join(home, '.config'),
      LC_ALL: 'en_GB.UTF-8',
    },
  });
  const portFile = join(dataDir, 'browser', 'DevToolsActivePort');
  const port = await until(
    () => (existsSync(portFile) ? /^(\d+)\n/.exec(readFileSync(portFile, 'utf8'))?.[1] : undefined) ?? null,
    30_000,
  );
  browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
});

test.afterEach(async () => {
  await closeBrowser();
  const ended = new Promise((resolve) => host.once('exit', resolve));
  host.kill('SIGTERM');
  await ended;
  removeFolder(home);
});

/** Ends the browser as its user would, so that it writes down what it keeps. */
async function closeBrowser(): Promise<void> {
  if (!browser.isConnected()) return;
  const session = await browser.newBrowserCDPSession();
  const closed = new Promise((resolve) => browser.once('disconnected', resolve));
  await session.send('Browser.close');
  await closed;
  await until(() => argumentsOfAll().every((one) => !one.includes('--user-data-dir=')), 30_000);
}

test('the browser is given no secret that others can read, and keeps none', async () => {
  const page = await until(() => browser.contexts()[0]?.pages()[0] ?? null);
  await expect(page.getByRole('heading', { name: 'Choose a vault' })).toBeVisible();
  const token = /name="token" value="([^"]+)"/.exec(
    readFileSync(join(home, 'start.html'), 'utf8'),
  )?.[1] as string;
  expect(token.length).toBeGreaterThan(40);

  const all = argumentsOfAll();
  expect(all.some((one) => one.includes(`--app=file://${dataDir}/start/`))).toBe(true);
  expect(all.filter((one) => one.includes(token) || one.includes('token='))).toEqual([]);
  expect(existsSync(join(dataDir, 'start')) ? readdirSync(join(dataDir, 'start')) : []).toEqual([]);
  expect(page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);

  await page.reload();
  await expect(page.getByRole('heading', { name: 'Choose a vault' })).toBeVisible();
  expect(page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);

  await closeBrowser();
  const profile = join(dataDir, 'browser');
  const history = new BetterSqlite3(join(profile, 'Default', 'History'), { readonly: true });
  const addresses = history.prepare('SELECT url FROM urls').pluck().all() as string[];
  history.close();
  expect(
    addresses.filter((url) => url.startsWith('http:') && !/^http:\/\/127\.0\.0\.1:\d+\/$/.test(url)),
  ).toEqual([]);
  // What the browser keeps to open its windows again after a crash may hold it, see below.
  const kept = filesIn(profile).filter((file) => !file.includes('/Sessions/'));
  expect(kept.filter((file) => readFileSync(file).includes(token))).toEqual([]);
  expect(
    filesIn(dataDir).filter((file) => file.endsWith('.log') && readFileSync(file).includes(token)),
  ).toEqual([]);
});

/** Longer than Chromium waits until it writes down what its windows show. */
const WRITTEN_AFTER_MS = 3_000;

test('the browser forgets the token with the form that held it, before the window has loaded', async () => {
  const { client, close } = await connectToOwner(readOwnerAddress(dataDir) as OwnerAddress);
  const { url } = await client.app.openWindow({ as: 'page' });
  await close();
  const token = /name="token" value="([^"]+)"/.exec(readFileSync(fileURLToPath(url as string), 'utf8'))?.[1];
  const page = await (browser.contexts()[0] as BrowserContext).newPage();
  const later = async (route: Route) => {
    await new Promise((resolve) => setTimeout(resolve, WRITTEN_AFTER_MS));
    await route.continue();
  };
  // What the windows show is written before the form is sent, and again before the window has loaded.
  await page.route('http://127.0.0.1:*/', (route) =>
    route.request().method() === 'POST' ? later(route) : route.continue(),
  );
  await page.route('**/assets/*.js', later);
  await page.goto(url as string);
  await expect(page.getByRole('heading', { name: 'Choose a vault' })).toBeVisible({ timeout: 30_000 });
  await closeBrowser();
  const sessions = filesIn(join(dataDir, 'browser')).filter((file) => file.includes('/Sessions/'));
  expect(sessions.length).toBeGreaterThan(0);
  expect(sessions.filter((file) => readFileSync(file).includes(token as string))).toEqual([]);
});

test('a start page that somebody opened first says so to whom it was made for', async ({ page }) => {
  await expect(
    (await until(() => browser.contexts()[0]?.pages()[0] ?? null)).getByRole('heading', {
      name: 'Choose a vault',
    }),
  ).toBeVisible();
  await page.goto(`file://${home}/start.html`);
  await expect(page.getByRole('heading', { name: 'This address has already been used' })).toBeVisible();
  await expect(page.getByText('somebody else on this computer', { exact: false })).toBeVisible();
});
