import { app, BrowserWindow, type BrowserWindowConstructorOptions, nativeTheme, screen } from 'electron';
import { ORIGIN, webPreferences } from './security.ts';
import { keepWindowState, readWindowState } from './windowState.ts';

export interface Windows {
  /** Brings the window to the front, and opens it again if it was closed; `path` is a place as in `shared/link`. */
  show(path?: string): void;
  /** Opens the small quick-capture window. */
  capture(): void;
  all(): BrowserWindow[];
}

export interface WindowsConfig {
  preload: string;
  icon: string;
  /** File that stores the window's position. */
  stateFile: string;
  /** Does closing the window leave Souvenir in the tray? */
  hidesOnClose(): boolean;
}

const SIZE = { width: 1_280, height: 800, minWidth: 720, minHeight: 480 };
const CAPTURE_SIZE = { width: 640, height: 190 };

export function createWindows(config: WindowsConfig): Windows {
  let main: BrowserWindow | null = null;
  let captureWindow: BrowserWindow | null = null;

  /** The only place that creates windows. */
  const create = (options: BrowserWindowConstructorOptions) =>
    new BrowserWindow({
      show: false,
      icon: config.icon,
      backgroundColor: nativeTheme.shouldUseDarkColors ? '#1b1c1e' : '#ffffff',
      ...options,
      webPreferences: { ...webPreferences, preload: config.preload, devTools: !app.isPackaged },
    });

  const load = (window: BrowserWindow, path: string) => {
    window.loadURL(`${ORIGIN}/${path === '' ? '' : `#${path}`}`).catch((error: { code?: string }) => {
      // The page may close while it loads, because another replaces it.
      if (error.code !== 'ERR_ABORTED') throw error;
    });
  };

  const openMain = (path: string): BrowserWindow => {
    const state = readWindowState(
      config.stateFile,
      screen.getAllDisplays().map((display) => display.workArea),
    );
    const { maximised = false, ...bounds } = state ?? {};
    const window = create({ ...SIZE, ...bounds });
    if (maximised) window.maximize();
    keepWindowState(window, config.stateFile);
    window.once('ready-to-show', () => window.show());
    window.on('close', (event) => {
      if (!config.hidesOnClose()) return;
      event.preventDefault();
      window.hide();
    });
    window.once('closed', () => {
      main = null;
    });
    load(window, path);
    return window;
  };

  return {
    show: (path = '') => {
      if (!main) {
        main = openMain(path);
        return;
      }
      if (path !== '') load(main, path);
      if (main.isMinimized()) main.restore();
      main.show();
      main.focus();
    },
    capture: () => {
      if (captureWindow) {
        captureWindow.show();
        captureWindow.focus();
        return;
      }
      const window = create({
        ...CAPTURE_SIZE,
        resizable: false,
        frame: false,
        alwaysOnTop: true,
        skipTaskbar: true,
      });
      captureWindow = window;
      window.once('ready-to-show', () => window.show());
      window.once('closed', () => {
        captureWindow = null;
      });
      load(window, '/capture');
    },
    all: () => [main, captureWindow].filter((window) => window !== null),
  };
}
