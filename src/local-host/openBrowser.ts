import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { browserFlags } from './browserFlags.ts';

/** Chromium-based browsers, which can open an address as an app window; the first one installed is used. */
const LINUX = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge',
  'brave-browser',
];
const MAC = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  '/Applications/Brave Browser.app/Contents/MacOS/Brave Browser',
];
const WINDOWS = ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe'];

/** Can this session show a window? */
export function hasDisplay(): boolean {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/**
 * Opens `url` in an app window of a Chromium-based browser, with a profile of its own under `profileDir`, which reaches nothing
 * but this host, or else in the default browser. Returns false if there is neither.
 */
export function openBrowser(url: string, profileDir: string): boolean {
  const chromium = findChromium();
  if (chromium) {
    const args = [`--app=${url}`, `--user-data-dir=${profileDir}`, ...browserFlags];
    // Chromium refuses to start its sandbox as root.
    if (process.getuid?.() === 0) args.push('--no-sandbox');
    return launch(chromium, args);
  }
  return openOutside(url);
}

/** Opens `url` in the user's own browser. Returns false if none was found. */
export function openOutside(url: string): boolean {
  if (process.platform === 'darwin') return launch('open', [url]);
  if (process.platform === 'win32') return launch('rundll32', ['url.dll,FileProtocolHandler', url]);
  const opener = onPath('xdg-open');
  return opener !== null && launch(opener, [url]);
}

function findChromium(): string | null {
  if (process.platform === 'darwin') return MAC.find(isExecutable) ?? null;
  if (process.platform === 'win32') {
    const roots = [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA];
    return (
      roots
        .filter((root) => root !== undefined)
        .flatMap((root) => WINDOWS.map((name) => join(root, name)))
        .find(isExecutable) ?? null
    );
  }
  for (const name of LINUX) {
    const found = onPath(name);
    if (found) return found;
  }
  return null;
}

function onPath(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Missing or not executable: try the next place.
    return false;
  }
}

function launch(program: string, args: string[]): boolean {
  const child = spawn(program, args, { detached: true, stdio: 'ignore' });
  child.on('error', () => child.unref());
  child.unref();
  return child.pid !== undefined;
}
