import { join } from 'node:path';
import { parseArgs } from 'node:util';
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
import { dataDirOf } from '../local-host/dataDir.ts';
import { windowFile } from '../local-host/windowFiles.ts';
import { AppError, codeOf, describeError, type Language } from '../shared/errors.ts';
import { type ErrorTrace, traceOf } from '../shared/errorTrace.ts';
import { LINE, LINE_WANTED } from '../shared/line.ts';
import { parseLink } from '../shared/link.ts';
import { PROFILES } from '../shared/profile.ts';
import { type CoreHost, startCore } from './coreHost.ts';
import type { DesktopSettings, FromCore } from './coreMessages.ts';
import { watchProcesses } from './faults.ts';
import { askKeychain } from './keychain.ts';
import { buildMenu } from './menu.ts';
import { HIDDEN_FLAG, setOpenAtLogin } from './openAtLogin.ts';
import { takeProfile } from './profile.ts';
import { guardContents, guardSession, isOurFrame, LINK_SCHEME, SCHEME, switches } from './security.ts';
import { textsIn } from './texts.ts';
import { createTray, type TrayIcon } from './tray.ts';
import { createUpdates } from './updates.ts';
import { createWindows } from './windows.ts';

export interface DesktopConfig {
  /** Folder of the built main process, beside the window's and the preload's. */
  outDir: string;
  /** Folder of the icons. */
  iconDir: string;
  /** `--data <dir>` replaces the platform's default data folder. */
  argv: readonly string[];
  /** Has errors that nothing caught passed on, see `local-host/lastResort`. */
  reportUncaught(report: (trace: ErrorTrace) => void): void;
}

/** @throws AppError DATA_FOLDER_UNNAMED */
function dataDirIn(argv: readonly string[]): string {
  const { data } = parseArgs({
    args: [...argv],
    options: { data: { type: 'string' } },
    strict: false,
  }).values;
  // Without a value, the option is true.
  return dataDirOf(data === true ? '' : (data as string | undefined));
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
  // Until there is a core, nothing runs that could go on.
  let report: (trace: ErrorTrace) => void = reportAndQuit;
  config.reportUncaught((trace) => report(trace));
  app.enableSandbox();
  for (const [name, value] of Object.entries(switches)) app.commandLine.appendSwitch(name, value);
  let dataDir: string;
  try {
    dataDir = dataDirIn(config.argv);
    if (!takeProfile(dataDir)) {
      app.quit();
      return;
    }
  } catch (error) {
    reportAndQuit(error);
    return;
  }
  app.setAsDefaultProtocolClient(LINK_SCHEME);
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
  app.on('web-contents-created', (_event, contents) =>
    guardContents(contents, (url) => {
      const path = pathOfLink([url]);
      if (path !== null) show(path);
      else if (!url.startsWith(`${LINK_SCHEME}:`)) void shell.openExternal(url);
    }),
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
  app
    .whenReady()
    .then(() => {
      const { windows, core } = open({ ...config, dataDir });
      report = (trace) => core.report({ type: 'uncaught', trace });
      show = windows.show;
      if (!config.argv.includes(HIDDEN_FLAG)) show(firstPath);
    })
    .catch(reportAndQuit);
}

const systemLanguage = (): Language => (/^fr/i.test(app.getLocale()) ? 'fr' : 'en');

/** Ends the app and says why, where there is no core that could log it. */
function reportAndQuit(failure: unknown): void {
  if (!(failure instanceof AppError))
    process.stderr.write(`${JSON.stringify(failure instanceof Error ? traceOf(failure) : failure)}\n`);
  const language = systemLanguage();
  const { code, params } = codeOf(failure);
  dialog.showErrorBox(textsIn(language).cannotStart, describeError(code, params, language));
  app.exit(1);
}

/** Everything that runs once Electron is ready. */
function open({ dataDir, outDir, iconDir }: DesktopConfig & { dataDir: string }) {
  const updates = createUpdates();
  let settings: DesktopSettings | null = null;
  let tray: TrayIcon | null = null;
  let quitting = false;
  const language = (): Language => settings?.language ?? systemLanguage();

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
    stateFile: join(dataDir, PROFILES.electron, 'window.json'),
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
    // At the next start, the rest goes: see `takeProfile`.
    else if (message.type === 'erased') void session.defaultSession.clearData();
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
    onBattery: () => powerMonitor.isOnBatteryPower(),
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
  watchProcesses({ core, texts: () => textsIn(language()), isQuitting: () => quitting });
  powerMonitor.on('resume', () => core.resumed());
  powerMonitor.on('on-battery', () => core.powerChanged(true));
  powerMonitor.on('on-ac', () => core.powerChanged(false));
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
  return { windows, core };
}
