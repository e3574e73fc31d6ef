import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { type Parent, runCore } from '../../src/main/coreProcess.ts';

/**
 * Replaces the `electron` module where its binary is not installed. It records windows, menus and calls to the system. The
 * core's process is the real core, run in this process, and its ports are Node's.
 */

class Preventable {
  defaultPrevented = false;
  preventDefault(): void {
    this.defaultPrevented = true;
  }
}

/** Emits an event that a listener may prevent; returns whether one did. */
export function prevented(emitter: EventEmitter, name: string, fields: object = {}): boolean {
  const event = Object.assign(new Preventable(), fields);
  emitter.emit(name, event);
  return event.defaultPrevented;
}

/** A port at the core's end: its messages arrive as events, as Electron's do. */
class MessagePortMain extends EventEmitter {
  readonly #port: MessagePort;
  constructor(port: MessagePort) {
    super();
    this.#port = port;
    port.on('close', () => this.emit('close'));
  }
  /** Messages sent earlier wait until this call. */
  start(): void {
    this.#port.on('message', (data) => this.emit('message', { data, ports: [] }));
  }
  postMessage(message: unknown): void {
    this.#port.postMessage(message);
  }
  close(): void {
    this.#port.close();
  }
}

class MessageChannelMain {
  /** The page's end. */
  readonly port1: MessagePort;
  /** The core's end. */
  readonly port2: MessagePortMain;
  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.port1 = port1;
    this.port2 = new MessagePortMain(port2);
  }
}

export class FakeCore extends EventEmitter {
  readonly #parent = new EventEmitter();
  #exitCode = 0;
  readonly received: unknown[] = [];
  constructor() {
    super();
    const parent: Parent = {
      on: (_name, listener) => this.#parent.on('message', listener),
      postMessage: (message) => setImmediate(() => this.emit('message', structuredClone(message))),
    };
    void runCore(parent).then(() => this.emit('exit', this.#exitCode));
  }
  postMessage(message: unknown, ports: unknown[] = []): void {
    this.received.push(message);
    setImmediate(() => this.#parent.emit('message', { data: message, ports }));
  }
  kill(): boolean {
    this.emit('exit', 1);
    return true;
  }
  /** Ends as a crash does, except that it releases the data folder: a process cannot lock itself out of it. */
  crash(): void {
    this.#exitCode = 11;
    this.#parent.emit('message', { data: { type: 'close' }, ports: [] });
  }
}

class FakeFrame {
  url = '';
  parent: FakeFrame | null = null;
  readonly lines: { channel: string; ports: MessagePort[] }[] = [];
  postMessage(channel: string, _message: unknown, ports: MessagePort[] = []): void {
    this.lines.push({ channel, ports });
  }
}

export class FakeContents extends EventEmitter {
  readonly mainFrame = new FakeFrame();
  windowOpenHandler: ((details: { url: string }) => { action: string }) | null = null;
  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.windowOpenHandler = handler;
  }
  readonly reloads: string[] = [];
  reload(): void {
    this.reloads.push(this.mainFrame.url);
  }
  getURL(): string {
    return this.mainFrame.url;
  }
}

export class FakeWindow extends EventEmitter {
  readonly webContents = new FakeContents();
  readonly options: Record<string, unknown>;
  readonly addresses: string[] = [];
  visible = false;
  maximised = false;
  bounds = { x: 10, y: 10, width: 1_280, height: 800 };
  constructor(options: Record<string, unknown>) {
    super();
    this.options = options;
    for (const key of ['x', 'y', 'width', 'height'] as const) {
      const value = options[key];
      if (typeof value === 'number') this.bounds[key] = value;
    }
    state.windows.push(this);
    app.emit('web-contents-created', {}, this.webContents);
  }
  loadURL(address: string): Promise<void> {
    this.addresses.push(address);
    this.webContents.mainFrame.url = address;
    return Promise.resolve();
  }
  show(): void {
    this.visible = true;
  }
  hide(): void {
    this.visible = false;
  }
  focus(): void {}
  restore(): void {}
  maximize(): void {
    this.maximised = true;
  }
  isMaximized(): boolean {
    return this.maximised;
  }
  isMinimized(): boolean {
    return false;
  }
  isDestroyed(): boolean {
    return false;
  }
  getNormalBounds() {
    return this.bounds;
  }
  static fromWebContents(contents: FakeContents): FakeWindow | null {
    return state.windows.find((window) => window.webContents === contents) ?? null;
  }
  destroy(): void {
    state.windows.splice(state.windows.indexOf(this), 1);
    this.emit('closed');
    if (state.windows.length === 0) app.emit('window-all-closed');
  }
  /** The user closes the window. */
  close(): void {
    if (!prevented(this, 'close')) this.destroy();
  }
}

interface MenuItem {
  label?: string;
  role?: string;
  accelerator?: string;
  click?: () => void;
  submenu?: MenuItem[];
}

class FakeMenu {
  readonly items: MenuItem[];
  constructor(items: MenuItem[]) {
    this.items = items;
  }
  static buildFromTemplate(items: MenuItem[]): FakeMenu {
    return new FakeMenu(items);
  }
  static setApplicationMenu(menu: FakeMenu): void {
    state.menu = menu;
  }
  /** Every item with a label, including those of submenus. */
  labelled(): MenuItem[] {
    const all = (items: MenuItem[]): MenuItem[] =>
      items.flatMap((item) => [item, ...all(item.submenu ?? [])]);
    return all(this.items).filter((item) => item.label !== undefined);
  }
}

class FakeTray extends EventEmitter {
  menu: FakeMenu | null = null;
  constructor() {
    super();
    state.trays.push(this);
  }
  setToolTip(): void {}
  setContextMenu(menu: FakeMenu): void {
    this.menu = menu;
  }
}

/** Records what the app asked of the system. */
export const state = {
  windows: [] as FakeWindow[],
  cores: [] as FakeCore[],
  trays: [] as FakeTray[],
  menu: null as FakeMenu | null,
  opened: [] as string[],
  errors: [] as string[],
  questions: [] as string[],
  /** Which button the user presses. */
  answer: 0,
  clearedSessions: 0,
  shortcuts: new Map<string, () => void>(),
  feeds: [] as string[],
  login: null as { openAtLogin: boolean } | null,
  schemes: [] as unknown[],
  protocolHandler: null as ((request: { url: string }) => Response) | null,
  permission: null as
    | ((contents: unknown, permission: string, answer: (granted: boolean) => void) => void)
    | null,
  permissionCheck: null as ((contents: unknown, permission: string, origin: string) => boolean) | null,
  devicePermission: null as (() => boolean) | null,
  request: null as ((request: { url: string }, answer: (reply: { cancel: boolean }) => void) => void) | null,
  spellChecker: true,
  sandboxed: false,
  switches: new Map<string, string>(),
  isFirst: true,
  ended: false,
};

class FakeApp extends EventEmitter {
  readonly isPackaged = false;
  readonly paths = new Map<string, string>();
  setPath(name: string, path: string): void {
    this.paths.set(name, path);
  }
  enableSandbox(): void {
    state.sandboxed = true;
  }
  readonly commandLine = {
    appendSwitch: (name: string, value: string) => void state.switches.set(name, value),
  };
  requestSingleInstanceLock(): boolean {
    return state.isFirst;
  }
  setAsDefaultProtocolClient(): boolean {
    return true;
  }
  whenReady(): Promise<void> {
    return Promise.resolve();
  }
  getLocale(): string {
    return 'en-GB';
  }
  getVersion(): string {
    return '0.0.0-test';
  }
  getAppPath(): string {
    return '/opt/souvenir';
  }
  setLoginItemSettings(settings: { openAtLogin: boolean }): void {
    state.login = settings;
  }
  quit(): void {
    if (!prevented(this, 'before-quit')) state.ended = true;
  }
  exit(): void {
    state.ended = true;
  }
}

export const app = new FakeApp();
export const ipcMain = new EventEmitter();
export const powerMonitor = Object.assign(new EventEmitter(), { isOnBatteryPower: () => false });

export const electron = {
  app,
  BrowserWindow: FakeWindow,
  ipcMain,
  powerMonitor,
  Menu: FakeMenu,
  MessageChannelMain,
  Tray: FakeTray,
  nativeImage: { createFromPath: () => ({ setTemplateImage: () => undefined }) },
  nativeTheme: { shouldUseDarkColors: false },
  screen: { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1_920, height: 1_080 } }] },
  shell: {
    openExternal: (url: string) => {
      state.opened.push(url);
      return Promise.resolve();
    },
  },
  dialog: {
    showErrorBox: (title: string, detail: string) => state.errors.push(`${title}: ${detail}`),
    showMessageBox: (_window: FakeWindow, { message }: { message: string }) => {
      state.questions.push(message);
      return Promise.resolve({ response: state.answer });
    },
  },
  globalShortcut: {
    register: (key: string, run: () => void) => {
      state.shortcuts.set(key, run);
      return true;
    },
    unregisterAll: () => state.shortcuts.clear(),
  },
  autoUpdater: Object.assign(new EventEmitter(), {
    setFeedURL: ({ url }: { url: string }) => state.feeds.push(url),
    checkForUpdates: () => undefined,
  }),
  protocol: {
    registerSchemesAsPrivileged: (schemes: unknown[]) => state.schemes.push(...schemes),
    handle: (_scheme: string, handler: (request: { url: string }) => Response) => {
      state.protocolHandler = handler;
    },
  },
  safeStorage: {
    isEncryptionAvailable: () => true,
    getSelectedStorageBackend: () => 'gnome_libsecret',
    encryptString: (text: string) => Buffer.from(Buffer.from(text).toString('hex')),
    decryptString: (sealed: Buffer) => Buffer.from(sealed.toString(), 'hex').toString(),
  },
  session: {
    defaultSession: {
      clearData: () => {
        state.clearedSessions += 1;
        return Promise.resolve();
      },
      setPermissionRequestHandler: (handler: typeof state.permission) => {
        state.permission = handler;
      },
      setPermissionCheckHandler: (handler: typeof state.permissionCheck) => {
        state.permissionCheck = handler;
      },
      setDevicePermissionHandler: (handler: typeof state.devicePermission) => {
        state.devicePermission = handler;
      },
      setSpellCheckerEnabled: (enabled: boolean) => {
        state.spellChecker = enabled;
      },
      webRequest: {
        onBeforeRequest: (handler: typeof state.request) => {
          state.request = handler;
        },
      },
    },
  },
  utilityProcess: {
    fork: () => {
      const core = new FakeCore();
      state.cores.push(core);
      return core;
    },
  },
};
