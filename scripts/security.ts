/**
 * Checks the desktop app against Electron's security list (electronjs.org/docs/latest/tutorial/security) and its fuses. It runs
 * the guards instead of reading them: it calls them with what an attacker would send. Prints each item with its evidence; exits
 * with 1 if any item fails. `--binary <file>` also reads the fuses of a packaged program, `--online` also compares Electron's
 * version with the newest.
 */
import { EventEmitter } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import type { Session, WebContents } from 'electron';
import { windowFile } from '../src/local-host/windowFiles.ts';
import {
  fuses,
  guardContents,
  guardSession,
  isOurFrame,
  ORIGIN,
  switches,
  webPreferences,
} from '../src/main/security.ts';
import { defaultSettings } from '../src/shared/settings.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: { binary: { type: 'string' }, online: { type: 'boolean' } },
});

/** Electron supports its three newest majors; this one was among them when we chose it. */
const OLDEST_MAJOR = 45;

const HOSTILE = ['https://example.com/', 'http://127.0.0.1:9/', 'file:///etc/passwd', 'ws://example.com/'];

/** What a page may leave for after a click: a site, a note in Obsidian, a place in the app itself. */
const LEFT_FOR = [HOSTILE[0], 'obsidian://open?vault=a', 'souvenir://memory'];

const text = (file: string) => readFileSync(join(root, file), 'utf8');
const sourcesOf = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`);
const mainSources = sourcesOf('src/main');
/** `file:line` of every source line that matches. */
const places = (files: readonly string[], pattern: RegExp): string[] =>
  files.flatMap((file) =>
    text(file)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}`] : [])),
  );

function need(holds: boolean, evidence: string): string {
  if (!holds) throw new Error(evidence);
  return evidence;
}

/** Checks a preference in the one place that creates windows. */
function preference(name: keyof typeof webPreferences, expected: boolean): string {
  const made = places(mainSources, /new BrowserWindow\(/);
  const given = /webPreferences: \{ \.\.\.webPreferences, preload: [^}]*\}/.test(text('src/main/windows.ts'));
  return need(
    webPreferences[name] === expected && made.length === 1 && given,
    `${name}: ${webPreferences[name]}; windows are made at ${made.join(', ')}, ${given ? 'with' : 'WITHOUT'} these preferences`,
  );
}

/** A fake session and page that record what the guards set. */
function guarded() {
  const set: Record<string, (...args: never[]) => unknown> = {};
  const keep = (name: string) => (handler: (...args: never[]) => unknown) => {
    set[name] = handler;
  };
  guardSession({
    setPermissionRequestHandler: keep('permission'),
    setPermissionCheckHandler: keep('permissionCheck'),
    setDevicePermissionHandler: keep('device'),
    setSpellCheckerEnabled: () => undefined,
    webRequest: { onBeforeRequest: keep('request') },
  } as unknown as Session);
  const opened: string[] = [];
  const contents = Object.assign(new EventEmitter(), { setWindowOpenHandler: keep('open') });
  guardContents(contents as unknown as WebContents, (url) => opened.push(url));
  const stopped = (name: string, url: string) => {
    let prevented = false;
    contents.emit(name, { url, isMainFrame: true, preventDefault: () => (prevented = true) });
    return prevented;
  };
  const call = (name: string, ...args: unknown[]) => (set[name] as (...all: unknown[]) => unknown)(...args);
  return { call, contents, stopped, opened };
}

function requests(): string {
  const { call } = guarded();
  const cancelled = (url: string) => {
    let cancel = false;
    call('request', { url }, (answer: { cancel: boolean }) => {
      cancel = answer.cancel;
    });
    return cancel;
  };
  return need(
    HOSTILE.every(cancelled) && !cancelled(`${ORIGIN}/index.html`),
    `requests cancelled: ${HOSTILE.filter(cancelled).join(' ')}; allowed: ${ORIGIN}/`,
  );
}

function permissions(): string {
  const all = [
    'media',
    'geolocation',
    'notifications',
    'midi',
    'pointerLock',
    'fullscreen',
    'openExternal',
    'hid',
  ];
  const { call } = guarded();
  const granted = (permission: string, url: string) => {
    let yes = false;
    call('permission', { getURL: () => url }, permission, (answer: boolean) => {
      yes = answer;
    });
    return yes || call('permissionCheck', null, permission, url) === true;
  };
  const write = 'clipboard-sanitized-write';
  const bad = [...all, 'clipboard-read'].filter((one) => granted(one, `${ORIGIN}/`));
  return need(
    bad.length === 0 && call('device') === false && !granted(write, 'https://example.com/'),
    `denied: ${[...all, 'clipboard-read', 'devices'].filter((one) => !bad.includes(one)).join(' ')}; ${write} for our own page only`,
  );
}

function contentSecurityPolicy(): string {
  const dir = mkdtempSync(join(tmpdir(), 'souvenir-csp-'));
  writeFileSync(join(dir, 'index.html'), text('src/renderer/index.html'));
  const policy = windowFile(dir, '/')?.headers['Content-Security-Policy'] ?? '';
  rmSync(dir, { recursive: true });
  const inline = /<script(?![^>]*\bsrc=)/.test(text('src/renderer/index.html'));
  const loose = /unsafe-eval|script-src[^;]*unsafe-inline|\*/.test(policy);
  return need(policy.startsWith("default-src 'none'") && !loose && !inline, policy);
}

function navigation(): string {
  const { stopped } = guarded();
  const all = [...HOSTILE, `${ORIGIN}/other.html`, 'javascript:alert(1)'];
  return need(
    all.every((url) => stopped('will-frame-navigate', url) && stopped('will-redirect', url)),
    `stopped in every frame: ${all.join(' ')}; the page may load itself anew`,
  );
}

function newWindows(): string {
  const { call } = guarded();
  const denied = (url: string) => (call('open', { url }) as { action: string }).action === 'deny';
  return need([...HOSTILE, `${ORIGIN}/`].every(denied), `denied: ${HOSTILE.join(' ')} ${ORIGIN}/`);
}

function webViews(): string {
  return need(guarded().stopped('will-attach-webview', ''), 'will-attach-webview is prevented');
}

function outside(): string {
  const { stopped, contents, opened } = guarded();
  stopped('will-frame-navigate', 'obsidian://open?vault=a');
  const unasked = opened.length;
  contents.emit('input-event', {}, { type: 'mouseDown' });
  for (const url of [
    ...HOSTILE,
    'smb://host/share',
    'javascript:1',
    'data:text/html,x',
    ...LEFT_FOR.slice(1),
  ])
    stopped('will-frame-navigate', url);
  const calls = places(mainSources, /openExternal\(/);
  return need(
    unasked === 0 && opened.join(' ') === LEFT_FOR.join(' '),
    `without a click: ${unasked}; after one: ${opened.join(' ')}; the system is called at ${calls.join(', ')}, there for a checked address or the local host's own`,
  );
}

function senders(): string {
  const listeners = places(mainSources, /ipcMain\.(on|once|handle)/);
  const frame = (url: string, parent: unknown = null) =>
    ({ url, parent }) as Parameters<typeof isOurFrame>[0];
  const strangers = [
    frame('https://example.com/'),
    frame('app://souvenir.example/'),
    frame(`${ORIGIN}/`, {}),
    null,
  ];
  return need(
    isOurFrame(frame(`${ORIGIN}/`)) && !strangers.some(isOurFrame) && listeners.length === 1,
    `one listener (${listeners.join(', ')}), answers the top frame of ${ORIGIN}/ only: other addresses, look-alikes and inner frames get nothing`,
  );
}

async function version(): Promise<string> {
  const pinned = (JSON.parse(text('package.json')) as { devDependencies: Record<string, string> })
    .devDependencies.electron as string;
  const major = Number(pinned.split('.')[0]);
  if (!options.online) return need(major >= OLDEST_MAJOR, `electron ${pinned}, pinned; --online compares`);
  const response = await fetch('https://registry.npmjs.org/electron/latest');
  const latest = ((await response.json()) as { version: string }).version;
  return need(Number(latest.split('.')[0]) - major < 3, `electron ${pinned}; the newest is ${latest}`);
}

function ownScheme(): string {
  const files = places(mainSources, /loadFile\(|['"`]file:/);
  return need(
    files.length === 0 && ORIGIN.startsWith('app://'),
    `pages come from ${ORIGIN}; from files: ${files.join(', ') || 'none'}`,
  );
}

function preload(): string {
  const source = text('src/preload/preload.ts');
  const uses = source.match(/ipcRenderer\.\w+\([^,)]*/g) ?? [];
  const exposes = /contextBridge|exposeInMainWorld|require\(|process\./.test(source);
  const only = ['ipcRenderer.send(LINE_WANTED', 'ipcRenderer.on(LINE'];
  return need(
    !exposes && uses.every((use) => only.includes(use)) && sourcesOf('src/preload').length === 1,
    `the preload exposes nothing; it has ${uses.map((use) => `${use})`).join(' and ')}, and passes a port on`,
  );
}

/** What Chromium, Electron and the libraries would ask for by themselves. */
function nothingUnasked(): string {
  const sources = [...mainSources, ...sourcesOf('src/core'), ...sourcesOf('src/preload')];
  const spelling = places(mainSources, /setSpellCheckerEnabled\(false\)/);
  const given = places(mainSources, /commandLine\.appendSwitch\(name, value\)/);
  const crashes = places(sources, /crashReporter/);
  const updates = places(sources, /autoUpdater\./).filter(
    (place) => !place.startsWith('src/main/updates.ts:'),
  );
  const models = places(sources, /env\.allowRemoteModels = false;/);
  const walled = switches['host-resolver-rules'] === 'MAP * ~NOTFOUND' && given.length === 1;
  return need(
    walled &&
      spelling.length === 1 &&
      !webPreferences.spellcheck &&
      crashes.length === 0 &&
      updates.length === 0 &&
      defaultSettings.updateUrl === '' &&
      models.length === 1,
    `no name is resolved (${Object.keys(switches).length} switches, ${given.join(' ')}); no dictionaries (${spelling.join(' ')}), no crash reports (${crashes.join(' ') || 'none'}), no updates without an address that the user gave (elsewhere: ${updates.join(' ') || 'none'}), no models from the network (${models.join(' ')})`,
  );
}

/** The required value of each fuse, and why. */
const WANTED: Record<keyof typeof fuses, [boolean, string]> = {
  RunAsNode: [false, 'the program cannot be used as Node'],
  EnableCookieEncryption: [true, 'what the page stores is encrypted'],
  EnableNodeOptionsEnvironmentVariable: [false, 'NODE_OPTIONS is ignored'],
  EnableNodeCliInspectArguments: [false, '--inspect is ignored'],
  EnableEmbeddedAsarIntegrityValidation: [true, 'a changed archive does not start'],
  OnlyLoadAppFromAsar: [true, 'no folder can take the place of the archive'],
  LoadBrowserProcessSpecificV8Snapshot: [false, 'there is no snapshot of our own'],
  GrantFileProtocolExtraPrivileges: [false, 'file: is not used'],
  WasmTrapHandlers: [true, 'bounds of WebAssembly memory are checked by traps'],
};

function everyFuse(): string {
  const known = Object.keys(FuseV1Options).filter((name) => Number.isNaN(Number(name)));
  const missing = known.filter((name) => !Object.hasOwn(fuses, name));
  const config = text('electron-builder.config.mjs');
  const applied = /afterPack: setFuses/.test(config) && /strictlyRequireAllFuses: true/.test(config);
  return need(
    missing.length === 0 && applied,
    `${known.length - missing.length} of ${known.length} named; set in electron-builder's afterPack`,
  );
}

async function packaged(file: string): Promise<string> {
  const wire = (await getCurrentFuseWire(file)) as unknown as Record<number, number>;
  const state = (name: keyof typeof fuses) => wire[FuseV1Options[name]] === '1'.charCodeAt(0);
  const wrong = (Object.keys(fuses) as (keyof typeof fuses)[]).filter((name) => state(name) !== fuses[name]);
  return need(
    wrong.length === 0,
    wrong.length === 0 ? `all as set in ${file}` : `wrong in ${file}: ${wrong.join(' ')}`,
  );
}

const items: [name: string, check: () => string | Promise<string>][] = [
  ['1 only secure content is loaded', requests],
  [
    '2 no Node.js integration',
    () =>
      `${preference('nodeIntegration', false)}; in workers ${webPreferences.nodeIntegrationInWorker}, in frames ${webPreferences.nodeIntegrationInSubFrames}`,
  ],
  ['3 context isolation', () => preference('contextIsolation', true)],
  [
    '4 process sandboxing',
    () => need(places(mainSources, /app\.enableSandbox\(\)/).length === 1, preference('sandbox', true)),
  ],
  ['5 permission requests are handled', permissions],
  ['6 web security is on', () => preference('webSecurity', true)],
  ['7 a content security policy', contentSecurityPolicy],
  ['8 no insecure content', () => preference('allowRunningInsecureContent', false)],
  ['9 no experimental features', () => preference('experimentalFeatures', false)],
  [
    '10 no Blink features',
    () => need(places(mainSources, /enableBlinkFeatures/).length === 0, 'enableBlinkFeatures is nowhere'),
  ],
  [
    '11 no allowpopups',
    () =>
      need(
        places(sourcesOf('src/renderer'), /<webview|allowpopups/).length === 0,
        preference('webviewTag', false),
      ),
  ],
  ['12 web views are verified', webViews],
  ['13 navigation is limited', navigation],
  ['14 new windows are limited', newWindows],
  ['15 openExternal is limited', outside],
  ['16 a current Electron', version],
  ['17 senders of messages are checked', senders],
  ['18 no file: protocol', ownScheme],
  ['19 fuses are set', everyFuse],
  ['20 no Electron API for the page', preload],
  ['nothing is asked for unasked', nothingUnasked],
  ...(Object.keys(WANTED) as (keyof typeof fuses)[]).map((name): [string, () => string] => [
    `fuse ${name}`,
    () => need(fuses[name] === WANTED[name][0], `${fuses[name] ? 'on' : 'off'}: ${WANTED[name][1]}`),
  ]),
  ...(options.binary === undefined
    ? []
    : [
        ['fuses of the program', () => packaged(options.binary as string)] as [string, () => Promise<string>],
      ]),
];

let missed = 0;
for (const [name, check] of items) {
  try {
    console.log(`✓ ${name}\n    ${await check()}`);
  } catch (error) {
    missed += 1;
    console.log(`✗ ${name}\n    ${(error as Error).message}`);
  }
}
console.log(`${items.length - missed} of ${items.length} hold`);
process.exit(missed === 0 ? 0 : 1);
