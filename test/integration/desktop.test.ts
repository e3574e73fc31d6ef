import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { MessagePort } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApp, readOwnerAddress } from '../../src/core/app.ts';
import { connectToOwner } from '../../src/local-host/connect.ts';
import { startLocalHost } from '../../src/local-host/localHost.ts';
import { pathOfLink, runDesktop } from '../../src/main/desktop.ts';
import { PROTOCOL_VERSION } from '../../src/shared/contract/app.ts';
import type { Client } from '../../src/shared/contract/index.ts';
import { LINE, LINE_WANTED } from '../../src/shared/line.ts';
import {
  app,
  electron,
  type FakeWindow,
  ipcMain,
  powerMonitor,
  prevented,
  state,
} from '../fakes/electron.ts';
import { startOpenAiServer } from '../fakes/openAiServer.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/testApp.ts';

vi.mock('electron', async () => (await import('../fakes/electron.ts')).electron);

const FAULT_ON_SIGNAL = fileURLToPath(new URL('../support/faultOnSignal.ts', import.meta.url));
const DESKTOP_PROCESS = fileURLToPath(new URL('../support/desktopProcess.ts', import.meta.url));

let home: string;
let dataDir: string;

beforeEach(() => {
  home = temporaryFolder();
  dataDir = join(home, 'data');
  mkdirSync(join(dataDir, 'electron'), { recursive: true });
  vi.stubEnv('XDG_CONFIG_HOME', join(home, '.config'));
});

afterEach(async () => {
  if (state.cores.length > 0) {
    app.quit();
    await until(() => state.ended);
  }
  for (const emitter of [app, ipcMain, powerMonitor]) emitter.removeAllListeners();
  Object.assign(state, {
    windows: [],
    cores: [],
    trays: [],
    menu: null,
    opened: [],
    errors: [],
    questions: [],
    answer: 0,
    clearedSessions: 0,
    feeds: [],
    login: null,
    schemes: [],
    isFirst: true,
    ended: false,
  });
  state.shortcuts.clear();
  app.paths.clear();
  removeFolder(home);
});

const run = (argv: string[] = ['souvenir'], data = [`--data=${dataDir}`]) =>
  runDesktop({
    outDir: join(import.meta.dirname, '../../out/main'),
    iconDir: '/icons',
    argv: [...argv, ...data],
    // Vitest has handlers of its own; the process below has none.
    reportUncaught: () => undefined,
  });

const firstWindow = (): Promise<FakeWindow> => until(() => state.windows[0]);

/** Does what the page and its preload do: asks for a line, and speaks on the newest that came. */
async function openLine(window: FakeWindow): Promise<Client> {
  const { mainFrame } = window.webContents;
  ipcMain.emit(LINE_WANTED, { senderFrame: mainFrame });
  return lineOf((await until(() => mainFrame.lines.at(-1))).ports[0] as MessagePort);
}

function lineOf(port: MessagePort): Client {
  const client: Client = createORPCClient(new RPCLink({ port }));
  port.start();
  return client;
}

describe('the desktop app', () => {
  it('opens one window, and hands its page a line to the core', async () => {
    run();
    const window = await firstWindow();
    expect(window.addresses).toEqual(['app://souvenir/']);
    window.emit('ready-to-show');
    expect(window.visible).toBe(true);
    const client = await openLine(window);
    const hello = await client.app.hello({ protocol: PROTOCOL_VERSION });
    expect(hello).toMatchObject({ host: 'desktop', dataDir, version: '0.0.0-test', reconnectToken: null });
    const fact = await client.facts.add({ content: 'Le thé est dans le placard du haut' });
    expect(window.webContents.mainFrame.lines[0]?.channel).toBe(LINE);
    const events = await client.chat.runTurn({ text: 'Où est le thé ?' });
    const types: string[] = [];
    for await (const event of events) types.push(event.type);
    expect(types.at(-1)).toBe('done');
    expect((await client.facts.list({})).facts[0]?.id).toBe(fact.id);
  });

  it('gives a line to its own pages only', async () => {
    run();
    const window = await firstWindow();
    for (const senderFrame of [
      null,
      { url: 'https://example.com/', parent: null, postMessage: () => expect.unreachable() },
      { url: 'app://souvenir.evil/', parent: null, postMessage: () => expect.unreachable() },
      { url: 'app://souvenir/', parent: {}, postMessage: () => expect.unreachable() },
    ]) {
      ipcMain.emit(LINE_WANTED, { senderFrame });
    }
    expect(window.webContents.mainFrame.lines).toEqual([]);
    expect(state.cores[0]?.received.filter((one) => (one as { type: string }).type === 'connect')).toEqual(
      [],
    );
  });

  it('keeps the page in its place, and hands allowed addresses out after a click only', async () => {
    run();
    const { webContents } = await firstWindow();
    const go = (url: string, isMainFrame = true) =>
      prevented(webContents, 'will-frame-navigate', { url, isMainFrame });
    expect([go('app://souvenir/'), go('app://souvenir/', false), go('app://souvenir/other.html')]).toEqual([
      false,
      true,
      true,
    ]);
    expect(go('obsidian://open?vault=a&file=b')).toBe(true);
    expect(state.opened).toEqual([]);
    webContents.emit('input-event', {}, { type: 'mouseDown' });
    for (const url of [
      'file:///etc/passwd',
      'http://example.com',
      'javascript:alert(1)',
      'smb://host',
      'x',
    ]) {
      expect(go(url)).toBe(true);
      expect(webContents.windowOpenHandler?.({ url })).toEqual({ action: 'deny' });
    }
    expect(state.opened).toEqual([]);
    go('obsidian://open?vault=a&file=b');
    webContents.windowOpenHandler?.({ url: 'https://obsidian.md/' });
    expect(state.opened).toEqual(['obsidian://open?vault=a&file=b', 'https://obsidian.md/']);
    webContents.windowOpenHandler?.({ url: 'souvenir://new?text=Oublie%20David' });
    webContents.windowOpenHandler?.({ url: 'souvenir://nowhere' });
    expect(state.opened).toHaveLength(2);
    expect(state.windows[0]?.addresses.at(-1)).toBe('app://souvenir/#/new?text=Oublie%20David');
    expect(prevented(webContents, 'will-attach-webview')).toBe(true);
    expect(prevented(webContents, 'will-redirect')).toBe(true);
  });

  it('denies permissions, devices and every request but for its own files', async () => {
    run();
    await firstWindow();
    const ask = (permission: string, url: string) => {
      let granted = false;
      state.permission?.({ getURL: () => url }, permission, (answer) => {
        granted = answer;
      });
      return granted;
    };
    expect(ask('media', 'app://souvenir/')).toBe(false);
    expect(ask('clipboard-read', 'app://souvenir/')).toBe(false);
    expect(ask('clipboard-sanitized-write', 'app://souvenir/')).toBe(true);
    expect(ask('clipboard-sanitized-write', 'https://example.com/')).toBe(false);
    expect(state.permissionCheck?.(null, 'geolocation', 'app://souvenir')).toBe(false);
    expect(state.devicePermission?.()).toBe(false);
    expect(state.spellChecker).toBe(false);
    expect(state.sandboxed).toBe(true);
    expect(state.switches.get('host-resolver-rules')).toBe('MAP * ~NOTFOUND');
    const cancelled = (url: string) => {
      let cancel = false;
      state.request?.({ url }, (reply) => {
        cancel = reply.cancel;
      });
      return cancel;
    };
    expect(
      ['https://example.com/', 'http://127.0.0.1:1/', 'file:///etc/passwd', 'ws://x/'].map(cancelled),
    ).toEqual([true, true, true, true]);
    expect(cancelled('app://souvenir/assets/index.js')).toBe(false);
  });

  it('serves its own files with the same headers as the local host, and nothing else', async () => {
    run();
    await firstWindow();
    const get = (url: string) => state.protocolHandler?.({ url }) as Response;
    expect(get('app://other/index.html').status).toBe(404);
    expect(get('app://souvenir/../../package.json').status).toBe(404);
    expect(get('app://souvenir/%2e%2e/%2e%2e/package.json').status).toBe(404);
    const page = get('app://souvenir/');
    if (!existsSync(join(import.meta.dirname, '../../out/renderer/index.html'))) return;
    expect(page.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; script-src 'self';/);
    const nonce = /nonce-([^']+)'/.exec(page.headers.get('Content-Security-Policy') ?? '')?.[1];
    expect(await page.text()).toContain(`nonce="${nonce}"`);
  });

  it('starts a core that crashed again, with new lines, and gives up when it keeps crashing', async () => {
    run();
    const window = await firstWindow();
    const client = await openLine(window);
    await client.facts.add({ content: 'La clé est sous le pot' });
    for (let crash = 1; crash <= 3; crash += 1) {
      state.cores.at(-1)?.crash();
      await until(() => state.cores.length === crash + 1);
      const { ports } = await until(() => window.webContents.mainFrame.lines[crash]);
      const again = lineOf(ports[0] as MessagePort);
      expect((await again.facts.list({})).facts[0]?.content).toBe('La clé est sous le pot');
    }
    state.cores.at(-1)?.crash();
    await until(() => state.errors.length > 0);
    expect(state.errors[0]).toMatch(/^Souvenir’s core stopped several times/);
    expect(state.cores).toHaveLength(4);
    state.cores = [];
  });

  it('hands over where it runs already: here by the system, from a command by the core', async () => {
    state.isFirst = false;
    run();
    expect(state.ended).toBe(true);
    expect(state.windows).toEqual([]);
    Object.assign(state, { isFirst: true, ended: false });
    run();
    const window = await firstWindow();
    app.emit('second-instance', {}, ['souvenir', 'souvenir://notes/note_1']);
    expect(window.addresses.at(-1)).toBe('app://souvenir/#/notes/note_1');
    window.hide();
    const address = await until(() => readOwnerAddress(dataDir));
    const { client, close } = await connectToOwner(address);
    expect(await client.app.openWindow({ as: 'typed' })).toEqual({ url: null });
    await close();
    await until(() => window.visible);
  });

  it('opens the window of the local host where that one has the data folder', async () => {
    const other = createApp({ dataDir, version: 'test' });
    const host = await startLocalHost(other, { rendererDir: null, port: 0 });
    run();
    await until(() => state.opened.length > 0 && state.ended);
    // The system gives the address to a browser as an argument, so it holds no token: a page of the host's does.
    const page = fileURLToPath(state.opened[0] as string);
    expect(readFileSync(page, 'utf8')).toContain(`action="http://127.0.0.1:${host.port}/"`);
    expect(statSync(page).mode & 0o777).toBe(0o600);
    state.cores = [];
    await host.close();
    await other.close();
  });

  it('opens a window on data that is damaged, which says so', async () => {
    writeFileSync(
      join(dataDir, 'souvenir.sqlite'),
      'this is no database, and long enough to be looked at'.repeat(40),
    );
    run();
    const client = await openLine(await firstWindow());
    const { damage } = await client.app.hello({ protocol: PROTOCOL_VERSION });
    expect(damage?.code).toBe('DATABASE_DAMAGED');
    await client.data.startAnew();
    expect((await client.app.hello({ protocol: PROTOCOL_VERSION })).damage).toBeNull();
    expect((await client.facts.list({})).facts).toEqual([]);
  });

  it('says why it cannot start', async () => {
    writeFileSync(join(dataDir, 'thesis.odt'), 'somebody else’s');
    run();
    await until(() => state.errors.length > 0 && state.ended);
    expect(state.errors[0]).toMatch(/^Souvenir cannot start: /);
    state.cores = [];
  });

  it.each([['--data='], ['--data=  '], ['--data', ''], ['--data']])(
    'refuses a data folder without a name: %j',
    (...data) => {
      run(['souvenir'], data);
      expect(state.errors).toEqual([
        'Souvenir cannot start: No data folder was named. Give --data a folder, or omit it.',
      ]);
      expect(state.ended).toBe(true);
      expect(app.paths.size).toBe(0);
    },
  );

  it('takes its data folder as the next argument too', async () => {
    run(['souvenir'], ['--data', dataDir]);
    await until(() => readOwnerAddress(dataDir));
    expect(app.paths.get('userData')).toBe(join(dataDir, 'electron'));
  });

  it('says in the words of its errors why its window cannot be opened', async () => {
    mkdirSync(join(dataDir, 'electron', 'window.json'));
    run();
    await until(() => state.errors.length > 0 && state.ended);
    expect(state.errors).toEqual([
      'Souvenir cannot start: Something failed inside Souvenir. Nothing was lost; the log has the details.',
    ]);
  });

  it('offers to reload a window whose process ended, or closes it, and logs both', async () => {
    run();
    const window = await firstWindow();
    await openLine(window);
    app.emit('render-process-gone', {}, window.webContents, { reason: 'clean-exit', exitCode: 0 });
    app.emit('render-process-gone', {}, window.webContents, { reason: 'oom', exitCode: 137 });
    await until(() => window.webContents.reloads.length > 0);
    expect(state.questions).toEqual(['This window stopped working']);
    app.emit('child-process-gone', {}, { type: 'GPU', reason: 'crashed', exitCode: 11 });
    state.answer = 1;
    app.emit('activate');
    app.emit('render-process-gone', {}, window.webContents, { reason: 'crashed', exitCode: 5 });
    await until(() => state.windows.length === 0);
    expect(window.webContents.reloads).toHaveLength(1);
    await until(() => state.ended);
    state.cores = [];
    const log = readFileSync(join(dataDir, 'souvenir.log'), 'utf8');
    const gone = log.split('\n').filter((line) => line.includes('a process ended by itself'));
    expect(gone.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { process: 'window', reason: 'oom', exitCode: 137 },
      { process: 'GPU', reason: 'crashed', exitCode: 11 },
      { process: 'window', reason: 'crashed', exitCode: 5 },
    ]);
  });

  it('erases its own profile with everything else: at once what it can, at the next start the rest', async () => {
    const profile = join(dataDir, 'electron');
    run();
    const client = await openLine(await firstWindow());
    writeFileSync(join(profile, 'Preferences'), 'what Chromium has open');
    mkdirSync(join(dataDir, 'browser'));
    await client.data.erase();
    await until(() => state.clearedSessions === 1);
    expect(existsSync(join(dataDir, 'browser'))).toBe(false);
    expect(existsSync(join(profile, 'Preferences'))).toBe(true);
    // What Chromium writes when it ends.
    mkdirSync(join(profile, 'Local Storage'));
    symlinkSync('host-1', join(profile, 'SingletonLock'));
    // Another instance, which ends, leaves the profile of the first as it is.
    state.isFirst = false;
    run();
    expect(existsSync(join(profile, 'Local Storage'))).toBe(true);
    Object.assign(state, { isFirst: true, ended: false });
    app.quit();
    await until(() => state.ended);
    for (const emitter of [app, ipcMain, powerMonitor]) emitter.removeAllListeners();
    Object.assign(state, { ended: false, windows: [], cores: [] });
    run(['souvenir', '--hidden']);
    expect(readdirSync(profile)).toEqual(['SingletonLock']);
    await until(() => readOwnerAddress(dataDir));
  });

  it('follows the settings: language, login, shortcut, tray, updates', async () => {
    run();
    const window = await firstWindow();
    const client = await openLine(window);
    await client.app.changeSettings({
      language: 'fr',
      openAtLogin: true,
      keepInTray: true,
      captureShortcut: 'Alt+Shift+Space',
      updateUrl: 'https://updates.example.com/souvenir',
    });
    await until(() => state.menu?.labelled().some(({ label }) => label === 'Nouvelle discussion'));
    expect(state.trays).toHaveLength(1);
    expect(state.trays[0]?.menu?.items[0]?.label).toBe('Saisie rapide…');
    const entry = join(home, '.config', 'autostart', 'souvenir.desktop');
    if (process.platform === 'linux') expect(readFileSync(entry, 'utf8')).toContain('"--hidden"');
    // Unpackaged, no feed is asked.
    expect(state.feeds).toEqual([]);
    window.show();
    window.close();
    expect(state.windows).toHaveLength(1);
    expect(window.visible).toBe(false);
    state.shortcuts.get('Alt+Shift+Space')?.();
    expect(state.windows[1]?.addresses).toEqual(['app://souvenir/#/capture']);
    // What erasing everything brings back.
    await client.data.erase();
    await until(() => state.shortcuts.size === 0);
    expect(existsSync(entry)).toBe(false);
  });

  it('has the keychain seal keys, and unseal them', async () => {
    const server = await startOpenAiServer({ key: 'sk-secret' });
    run();
    const client = await openLine(await firstWindow());
    const { baseUrl } = server;
    await client.models.setKey({ baseUrl, key: 'sk-secret' });
    expect(readFileSync(join(dataDir, 'keys.json'), 'utf8')).not.toContain('sk-secret');
    expect((await client.models.list({ baseUrl })).models).toContain('small');
    await server.close();
  });

  it('goes to places by its menu, and every item has a text', async () => {
    run();
    const window = await firstWindow();
    const items = state.menu?.labelled() ?? [];
    items.find(({ label }) => label === 'Go to anything…')?.click?.();
    items.find(({ label }) => label === 'Memory')?.click?.();
    expect(window.addresses.slice(1)).toEqual(['app://souvenir/#/palette', 'app://souvenir/#/memory']);
    expect(items.every(({ label }) => label !== '')).toBe(true);
  });

  it('remembers where its window was, unless no screen shows that place any more', async () => {
    const file = join(dataDir, 'electron', 'window.json');
    run();
    const window = await firstWindow();
    window.bounds = { x: 200, y: 100, width: 900, height: 700 };
    window.close();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ x: 200, width: 900, maximised: false });
    app.emit('activate');
    expect((await firstWindow()).options).toMatchObject({ x: 200, y: 100, width: 900, height: 700 });
    state.windows[0]?.close();
    writeFileSync(file, JSON.stringify({ x: 5_000, y: 100, width: 900, height: 700, maximised: false }));
    app.emit('activate');
    expect((await firstWindow()).options).not.toHaveProperty('x');
    writeFileSync(file, '{"x": 5');
    state.windows[0]?.emit('closed');
    app.emit('activate');
    expect(state.errors).toEqual([]);
  });

  it('tells the core when the computer wakes, and closes it before it ends', async () => {
    run(['souvenir', '--hidden']);
    await until(() => state.cores[0]);
    expect(state.windows).toEqual([]);
    powerMonitor.emit('resume');
    expect(state.cores[0]?.received).toContainEqual({ type: 'resumed' });
    expect(state.cores[0]?.received).toContainEqual({ type: 'power', onBattery: false });
    powerMonitor.emit('on-battery');
    expect(state.cores[0]?.received.at(-1)).toEqual({ type: 'power', onBattery: true });
    powerMonitor.emit('on-ac');
    expect(state.cores[0]?.received.at(-1)).toEqual({ type: 'power', onBattery: false });
    await until(() => readOwnerAddress(dataDir));
    app.quit();
    expect(state.ended).toBe(false);
    await until(() => state.ended);
    expect(readOwnerAddress(dataDir)).toBeNull();
    state.cores = [];
    // The folder is free.
    await createApp({ dataDir, version: 'test' }).close();
  });

  it('makes every window with the same preferences', async () => {
    run();
    await firstWindow();
    state.menu
      ?.labelled()
      .find(({ label }) => label === 'Quick capture…')
      ?.click?.();
    expect(state.windows).toHaveLength(2);
    for (const window of state.windows) {
      expect(window.options.webPreferences).toMatchObject({
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webSecurity: true,
        webviewTag: false,
      });
    }
    expect(electron.BrowserWindow).toBeDefined();
  });
});

describe('the desktop app in a process of its own', () => {
  const start = (...args: string[]) =>
    spawn(process.execPath, ['--import', FAULT_ON_SIGNAL, DESKTOP_PROCESS, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, LC_ALL: 'en_GB.UTF-8' },
    });

  it.skipIf(process.platform === 'win32')(
    'goes on after an error that nothing caught, tells its window, and logs no words',
    async () => {
      const child = start(`--data=${dataDir}`);
      const lines: unknown[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
      await until(() => lines.includes('ready'));
      child.kill('SIGUSR2');
      await until(() => lines.length === 4 || child.exitCode !== null);
      const [, ...told] = lines;
      expect(told).toEqual([
        { type: 'alert', code: 'UNEXPECTED' },
        { type: 'alert', code: 'UNEXPECTED' },
        { facts: [] },
      ]);
      const log = readFileSync(join(dataDir, 'souvenir.log'), 'utf8');
      expect(log.match(/an error that nothing caught/g)).toHaveLength(2);
      expect(log).toContain('faultOnSignal.ts');
      expect(log).not.toContain('words of a note');
      expect(child.exitCode).toBeNull();
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  );
});

describe('pathOfLink', () => {
  it.each([
    [['souvenir', 'souvenir://chat/conv_1'], '/chat/conv_1'],
    [['souvenir://new?text=Caf%C3%A9'], '/new?text=Caf%C3%A9'],
    [['souvenir://settings/'], '/settings'],
    [['souvenir://../../etc'], null],
    [['souvenir', '--hidden'], null],
    [['https://example.com'], null],
  ])('%j', (argv, path) => expect(pathOfLink(argv)).toBe(path));
});
