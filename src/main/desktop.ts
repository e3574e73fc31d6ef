import { join } from 'node:path';
import {
  app,
  dialog,
  globalShortcut,
  ipcMain,
  Menu,
  powerMonitor,
  protocol,
  session,
  shell,
  type WebFrameMain,
} from 'electron';
import { windowFile } from '../local-host/windowFiles.ts';
import { describeError, type Language } from '../shared/errors.ts';
import { LINE, LINE_WANTED } from '../shared/line.ts';
import { parseLink } from '../shared/link.ts';
import { type CoreHost, startCore } from './coreHost.ts';
import type { DesktopSettings, FromCore } from './coreMessages.ts';
import { askKeychain } from './keychain.ts';
import { buildMenu } from './menu.ts';
import { HIDDEN_FLAG, setOpenAtLogin } from './openAtLogin.ts';
import { guardContents, guardSession, isOurFrame, LINK_SCHEME, SCHEME, switches } from './security.ts';
import { textsIn } from './texts.ts';
import { createTray, type TrayIcon } from './tray.ts';
import { createUpdates } from './updates.ts';
import { createWindows } from './windows.ts';

export interface DesktopConfig {
  dataDir: string;
  /** Folder of the built main process, beside the window's and the preload's. */
  outDir: string;
  /** Folder of the icons. */
  iconDir: string;
  argv: readonly string[];
}

/** The path in a `souvenir://` address, as `shared/link` reads it; null if the address is invalid or leads nowhere. */
export function pathOfLink(argv: readonly string[]): string | null {
  const address = argv.find((part) => part.startsWith(`${LINK_SCHEME}://`));
  if (address === undefined) return null;
  const path = `/${address.slice(`${LINK_SCHEME}://`.length).replace(/\/$/, '')}`;
  return parseLink(path) ? path : null;
}

/** Runs the desktop app. Returns at once if another instance runs on this data folder; that instance shows its window. */
export function runDesktop(config: DesktopConfig): void {
  app.setPath('userData', join(config.dataDir, 'electron'));
  app.enableSandbox();
  for (const [name, value] of Object.entries(switches)) app.commandLine.appendSwitch(name, value);
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }
  app.setAsDefaultProtocolClient(LINK_SCHEME);
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
  app.on('web-contents-created', (_event, contents) =>
    guardContents(contents, (url) => void shell.openExternal(url)),
  );

  let firstPath = pathOfLink(config.argv) ?? '';
  let show = (path: string) => {
    firstPath = path;
  };
  app.on('second-instance', (_event, argv) => show(pathOfLink(argv) ?? ''));
  // macOS delivers links through this event, to the first instance too.
  app.on('open-url', (event, url) => {
    event.preventDefault();
    show(pathOfLink([url]) ?? '');
  });
  app.on('activate', () => show(''));

  // Not awaited at the top level of a module: Electron becomes ready only once the main module has loaded.
  app.whenReady().then(() => {
    const windows = open(config);
    show = windows.show;
    if (!config.argv.includes(HIDDEN_FLAG)) show(firstPath);
  }, reportAndQuit);
}

function reportAndQuit(error: unknown): void {
  dialog.showErrorBox('Souvenir', error instanceof Error ? error.message : String(error));
  app.exit(1);
}

/** Everything that runs once Electron is ready. */
function open({ dataDir, outDir, iconDir }: DesktopConfig) {
  const updates = createUpdates();
  let settings: DesktopSettings | null = null;
  let tray: TrayIcon | null = null;
  let quitting = false;
  const language = (): Language => settings?.language ?? (/^fr/i.test(app.getLocale()) ? 'fr' : 'en');

  guardSession(session.defaultSession);
  protocol.handle(SCHEME, (request) => {
    const { host, pathname } = new URL(request.url);
    const file = host === 'souvenir' ? windowFile(join(outDir, '../renderer'), pathname) : null;
    return file
      ? new Response(new Uint8Array(file.body), { headers: file.headers })
      : new Response(null, { status: 404 });
  });

  const windows = createWindows({
    preload: join(outDir, '../preload/preload.cjs'),
    icon: join(iconDir, 'icon.png'),
    stateFile: join(dataDir, 'electron', 'window.json'),
    hidesOnClose: () => !quitting && settings?.keepInTray === true,
  });

  const setUpMenus = () => {
    const texts = textsIn(language());
    Menu.setApplicationMenu(buildMenu(texts, { go: windows.show, capture: windows.capture }));
    tray ??= createTray(
      join(iconDir, process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'),
      texts,
      {
        open: () => windows.show(),
        capture: windows.capture,
        quit: () => app.quit(),
      },
    );
    tray.setTexts(texts);
  };

  const apply = (next: DesktopSettings) => {
    const before = settings;
    settings = next;
    if (before?.language !== next.language) setUpMenus();
    if (before?.openAtLogin !== next.openAtLogin) setOpenAtLogin(next.openAtLogin);
    if (before?.captureShortcut !== next.captureShortcut) {
      globalShortcut.unregisterAll();
      if (next.captureShortcut !== '') globalShortcut.register(next.captureShortcut, windows.capture);
    }
    updates.setFeed(next.updateUrl);
  };

  const fail = (title: string, detail: string) => {
    dialog.showErrorBox(title, detail);
    app.quit();
  };

  const onMessage = (message: FromCore) => {
    if (message.type === 'settings') apply(message.settings);
    else if (message.type === 'keychain')
      core.answerKeychain(message.id, askKeychain(message.act, message.text));
    else if (message.type === 'show') windows.show();
    else if (message.type === 'failed') {
      fail(textsIn(language()).cannotStart, describeError(message.code, message.params, language()));
    } else if (message.type === 'elsewhere') {
      if (message.url !== null) void shell.openExternal(message.url);
      app.quit();
    }
  };

  const core: CoreHost = startCore({
    entry: join(outDir, 'core.js'),
    dataDir,
    version: app.getVersion(),
    onMessage,
    onRestart: () => {
      for (const window of windows.all()) giveLine(window.webContents.mainFrame);
    },
    onGivenUp: () => fail(textsIn(language()).coreEnded, `${textsIn(language()).coreEndedDetail}${dataDir}`),
  });

  const giveLine = (frame: WebFrameMain | null) => {
    if (frame && isOurFrame(frame)) frame.postMessage(LINE, null, [core.connect()]);
  };
  ipcMain.on(LINE_WANTED, (event) => giveLine(event.senderFrame));
  powerMonitor.on('resume', () => core.resumed());
  setUpMenus();

  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin' && settings?.keepInTray !== true) app.quit();
  });
  let closed = false;
  app.on('before-quit', (event) => {
    quitting = true;
    if (closed) return;
    event.preventDefault();
    core.close().then(() => {
      closed = true;
      app.quit();
    }, reportAndQuit);
  });
  return windows;
}
