import type { Session, WebContents, WebFrameMain, WebPreferences } from 'electron';

/** Everything that keeps the window's page, which is not trusted, away from the rest. `npm run security` checks each item. */

/** The window is served at an address of its own, never as a file. */
export const SCHEME = 'app';
export const ORIGIN = 'app://souvenir';
/** Scheme of links into the app from outside. */
export const LINK_SCHEME = 'souvenir';

/** Said in full, so that a default that changes changes nothing here. */
export const webPreferences = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  // Electron's spell checker fetches its dictionaries from the network.
  spellcheck: false,
} as const satisfies WebPreferences;

/** All nine switches in Electron's binary, by the names of `@electron/fuses`; set when the app is packaged. */
export const fuses = {
  RunAsNode: false,
  EnableCookieEncryption: true,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  LoadBrowserProcessSpecificV8Snapshot: false,
  GrantFileProtocolExtraPrivileges: false,
  WasmTrapHandlers: true,
} as const;

/** Addresses that may be handed to the system, and only after a click. */
const OUTSIDE = ['obsidian:', 'https:'];
/** A click or a key opens what it asked for within this time. */
const GESTURE_MS = 1_000;
/** The page copies text to the clipboard; it reads nothing from it, and may do nothing else. */
const PERMISSION = 'clipboard-sanitized-write';

/** Denies permissions and devices, and every request that is not for the window's own files. */
export function guardSession(session: Session): void {
  session.setPermissionRequestHandler((contents, permission, answer) =>
    answer(permission === PERMISSION && isOurs(contents.getURL())),
  );
  session.setPermissionCheckHandler(
    (_contents, permission, origin) => permission === PERMISSION && isOurs(origin),
  );
  session.setDevicePermissionHandler(() => false);
  session.setSpellCheckerEnabled(false);
  session.webRequest.onBeforeRequest((request, answer) =>
    answer({ cancel: !/^(app|data|blob|devtools):/.test(request.url) }),
  );
}

/** Keeps a page where it is: no navigation but to itself, no new windows, no web views; allowed addresses go to the system after a click. */
export function guardContents(contents: WebContents, openOutside: (url: string) => void): void {
  let gestureAt = Number.NEGATIVE_INFINITY;
  contents.on('input-event', (_event, input) => {
    if (['mouseDown', 'mouseUp', 'keyDown', 'rawKeyDown', 'gestureTap'].includes(input.type))
      gestureAt = performance.now();
  });
  const leave = (url: string) => {
    if (performance.now() - gestureAt < GESTURE_MS && mayOpenOutside(url)) openOutside(url);
  };
  contents.on('will-frame-navigate', (event) => {
    // The window loads itself anew when its data was replaced.
    if (event.isMainFrame && event.url.split('#', 1)[0] === `${ORIGIN}/`) return;
    event.preventDefault();
    leave(event.url);
  });
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    leave(url);
    return { action: 'deny' };
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
}

/** May an address that the page asks for be handed to the system? */
export function mayOpenOutside(url: string): boolean {
  return URL.canParse(url) && OUTSIDE.includes(new URL(url).protocol);
}

/** Does a message come from the top frame of one of our own pages? */
export function isOurFrame(frame: Pick<WebFrameMain, 'url' | 'parent'> | null): boolean {
  return frame !== null && frame.parent === null && isOurs(frame.url);
}

function isOurs(url: string): boolean {
  // The scheme is not one that `URL.origin` knows.
  return url === ORIGIN || url.startsWith(`${ORIGIN}/`);
}
