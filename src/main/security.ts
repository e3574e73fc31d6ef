import type { Session, WebContents, WebFrameMain, WebPreferences } from 'electron';

/** Everything that isolates the window's page, which is not trusted. `npm run security` checks each item. */

/** The window is served from an address of its own, never from disk. */
export const SCHEME = 'app';
export const ORIGIN = 'app://souvenir';
/** Scheme of links that open the app from outside. */
export const LINK_SCHEME = 'souvenir';

/** Spelled out in full, so that a change of Electron's defaults changes nothing here. */
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
  // Electron's spell checker downloads its dictionaries.
  spellcheck: false,
} as const satisfies WebPreferences;

/**
 * Keeps Electron's Chromium to itself, as `local-host/browserFlags` does for a browser. The window comes from a scheme of our own,
 * so no name at all is looked up. The core talks to model servers through Node, which these switches do not touch.
 */
export const switches: Readonly<Record<string, string>> = {
  'host-resolver-rules': 'MAP * ~NOTFOUND',
  'no-proxy-server': '',
  'webrtc-ip-handling-policy': 'disable_non_proxied_udp',
  'disable-background-networking': '',
  'disable-component-update': '',
  'disable-domain-reliability': '',
  'disable-breakpad': '',
};

/** All nine fuses of Electron's binary, by their names in `@electron/fuses`; packaging sets them. */
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

/** Addresses that a page may leave for, and only after a click: the app opens its own itself, and hands the others to the system. */
const OUTSIDE = [`${LINK_SCHEME}:`, 'obsidian:', 'https:'];
/** A click or a key press allows opening an address for this long. */
const GESTURE_MS = 1_000;
/** The page may write text to the clipboard. It may not read the clipboard, and gets no other permission. */
const PERMISSION = 'clipboard-sanitized-write';

/** Denies permissions and devices, and every request for anything but the window's own files. */
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

/**
 * Keeps a page where it is: blocks navigation except to itself, new windows and web views, and hands allowed addresses to `follow`
 * after a click.
 */
export function guardContents(contents: WebContents, follow: (url: string) => void): void {
  let gestureAt = Number.NEGATIVE_INFINITY;
  contents.on('input-event', (_event, input) => {
    if (['mouseDown', 'mouseUp', 'keyDown', 'rawKeyDown', 'gestureTap'].includes(input.type))
      gestureAt = performance.now();
  });
  const leave = (url: string) => {
    if (performance.now() - gestureAt < GESTURE_MS && mayLeaveFor(url)) follow(url);
  };
  contents.on('will-frame-navigate', (event) => {
    // The window reloads itself when its data was replaced.
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

/** May a page leave for this address? */
function mayLeaveFor(url: string): boolean {
  return URL.canParse(url) && OUTSIDE.includes(new URL(url).protocol);
}

/** Does a message come from the top frame of one of our own pages? */
export function isOurFrame(frame: Pick<WebFrameMain, 'url' | 'parent'> | null): boolean {
  return frame !== null && frame.parent === null && isOurs(frame.url);
}

function isOurs(url: string): boolean {
  // `URL.origin` is null for custom schemes.
  return url === ORIGIN || url.startsWith(`${ORIGIN}/`);
}
