import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { fixtureVault } from '../../fixtures/vault.ts';
import { writeNotes } from '../temporary.ts';
import { until } from '../testApp.ts';
import { createInternet } from './network.ts';
import type { OutboundOptions, OutboundReport } from './outbound.ts';
import { readTrace } from './trace.ts';

/** Run inside the world that `runOutbound` makes; prints an OutboundReport. */
interface WorldConfig extends Required<OutboundOptions> {
  dir: string;
  root: string;
}

/** In a world of its own, any port is free. */
const DEBUGGING_PORT = 9_222;
/** Only tells "ended" from "hung": tracing slows a browser down several times. */
const PATIENCE_MS = 180_000;
const LINKED = 'https://example.org/page';

const config = JSON.parse(process.argv[2] ?? '') as WorldConfig;
const path = (...names: string[]) => join(config.dir, ...names);
const traces: string[] = [];

/** Starts a program with everything that it and its children do on the network written down. */
function traced(command: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const file = path(`trace-${traces.length}`);
  traces.push(file);
  const calls = 'trace=connect,sendto,sendmsg,sendmmsg';
  const args = [
    '-f',
    '--seccomp-bpf',
    '-qq',
    '-yy',
    '-s',
    '64',
    '-e',
    calls,
    '-e',
    'signal=none',
    '-o',
    file,
  ];
  return spawn('strace', [...args, ...command], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

const ended = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });

/** A display that nobody sees; null where there is no Xvfb. */
async function startDisplay(): Promise<string | null> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  if (!folders.some((folder) => existsSync(join(folder, 'Xvfb')))) return null;
  const args = ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'];
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const number = await new Promise<string>((resolve, reject) => {
    (server.stdio[3] as NodeJS.ReadableStream).once('data', (data: Buffer) =>
      resolve(data.toString().trim()),
    );
    server.once('exit', (code) => reject(new Error(`Xvfb ended with ${code}`)));
  });
  return `:${number}`;
}

/** A user's surroundings: a home with a vault, a browser that can be driven, and another one that opens links. */
function createHome(display: string | null): NodeJS.ProcessEnv {
  const vault = path('home', 'Carnet');
  writeNotes(vault, {
    ...fixtureVault,
    'Liens.md': `# Liens\n\nLa fiche du bois de chauffage : [page](${LINKED})\n`,
  });
  const settings = path('home', '.config', 'obsidian');
  mkdirSync(settings, { recursive: true });
  writeFileSync(
    join(settings, 'obsidian.json'),
    JSON.stringify({ vaults: { '0a1b2c3d4e5f6071': { path: vault, ts: 1_700_000_000_000 } } }),
  );
  const driven = [
    `--remote-debugging-port=${DEBUGGING_PORT}`,
    ...(display === null ? ['--headless=new'] : []),
  ];
  mkdirSync(path('bin'));
  const script = (name: string, line: string) =>
    writeFileSync(path('bin', name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  script('chromium', `exec '${config.browser}' "$@" ${driven.join(' ')}`);
  script('xdg-open', `echo "$1" >> '${path('opened')}'`);
  writeFileSync(path('opened'), '');
  const { PATH, TMPDIR } = process.env;
  return {
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    PATH: `${path('bin')}${delimiter}${PATH ?? ''}`,
    HOME: path('home'),
    XDG_CONFIG_HOME: path('home', '.config'),
    DISPLAY: display ?? ':0',
    LC_ALL: 'en_GB.UTF-8',
  };
}

/** Runs `work` in the window that Souvenir opened, and lets go of it afterwards. */
async function inWindow<T>(work: (page: Page, browser: Browser) => Promise<T>): Promise<T> {
  const browser = await until(
    () => chromium.connectOverCDP(`http://127.0.0.1:${DEBUGGING_PORT}`).catch(() => null),
    PATIENCE_MS,
  );
  try {
    const page = await until(
      () =>
        browser
          .contexts()
          .flatMap((context) => context.pages())
          .find((one) => one.url().startsWith('http://127.0.0.1:')),
      PATIENCE_MS,
    );
    page.setDefaultTimeout(PATIENCE_MS);
    return await work(page, browser);
  } finally {
    await browser.close();
  }
}

/** The first run, as a user goes through it; a question; every pane; a link. */
async function use(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Carnet/ }).click();
  await page.getByRole('button', { name: 'Index this vault' }).click();
  const ask = async (question: string) => {
    await page.getByLabel('Your message').fill(question);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Answer again' }).last().waitFor();
  };
  await page.getByRole('button', { name: 'Notes', exact: true }).click();
  await page.getByText(/^Indexed 12/).waitFor();
  await page.getByRole('row', { name: /Liens/ }).click();
  await page.locator(`a[href="${LINKED}"]`).click();
  for (const pane of ['Memory', 'Traces', 'Settings', 'Chat'])
    await page.getByRole('button', { name: pane, exact: true }).click();
  await ask('Quand faut-il planter les tomates ?');
  await page.locator('.citation').first().waitFor();
  await until(() => opened().length > 0, PATIENCE_MS);
}

const opened = () => readFileSync(path('opened'), 'utf8').split('\n').filter(Boolean);

async function runProduct(): Promise<Pick<OutboundReport, 'shown' | 'openedOutside'>> {
  const display = await startDisplay();
  const env = createHome(display);
  const data = ['--data', path('data')];
  const product = traced([process.execPath, join(config.root, 'scripts', 'start.mjs'), ...data], env);
  const command = (...args: string[]) =>
    ended(traced([process.execPath, join(config.root, 'out', 'main', 'cli.js'), ...args, ...data], env));
  await inWindow(async (page) => {
    // A computer that writes everything down is slow; it is not the deadline that is tried here.
    await command('settings', 'set', 'timeoutMs', '5000');
    await use(page);
  });
  await command('ask', 'Quand planter les tomates ?');
  await new Promise((resolve) => setTimeout(resolve, config.idleMs));
  await inWindow(async (_page, browser) => {
    const session = await browser.newBrowserCDPSession();
    // The answer may not come back from a browser that closes.
    await Promise.race([
      session.send('Browser.close'),
      new Promise((gone) => browser.once('disconnected', gone)),
    ]);
  });
  // strace itself takes no signal while it writes to a file.
  const pid = product.pid ?? 0;
  process.kill(Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0]), 'SIGTERM');
  await ended(product);
  return { shown: display === null ? 'headless' : 'window', openedOutside: opened() };
}

/** A program that does each thing that must be found. */
async function runControl(): Promise<Pick<OutboundReport, 'shown' | 'openedOutside'>> {
  const script = `
    const net = require('node:net');
    require('node:dns').lookup('asked.example', (error, address) => {
      net.connect(443, address).on('error', () => {}).end();
      const socket = require('node:dgram').createSocket('udp4');
      socket.send('word', 9, '203.0.113.7', () => socket.close());
      const server = net.createServer().listen(0, '127.0.0.1', () =>
        net.connect(server.address().port, '127.0.0.1', () => process.exit()));
    });`;
  await ended(traced([process.execPath, '-e', script], process.env));
  return { shown: 'none', openedOutside: [] };
}

// Whoever runs this world keeps its end open: without it, this process ends, and with it the world.
process.stdin.resume().once('close', () => process.exit(1));
const internet = await createInternet(config.dir);
const done = config.run === 'product' ? await runProduct() : await runControl();
const lines = traces.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
const report: OutboundReport = {
  ...readTrace(lines),
  ...done,
  hosts: [...internet.hosts].sort(),
  datagrams: internet.datagrams(),
  idleMs: config.idleMs,
};
process.stdout.write(JSON.stringify(report), () => process.exit());
