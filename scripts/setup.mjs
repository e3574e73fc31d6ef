#!/usr/bin/env node
// Prepares a checkout: dependencies, the build, a browser for the tests. Plain JavaScript that Node 18 understands, because it
// runs before anything is installed. Fast if nothing changed. All its output goes to standard error.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eraseStamp, isBuilt, sourcesHash, writeStamp } from './buildStamp.mjs';
import { electronArchive, electronObstacle, electronProgram } from './electron.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const say = (text) => process.stderr.write(`set-up: ${text}\n`);
const isWindows = process.platform === 'win32';

/** Runs a program of this project or of npm, with its output on standard error. */
function run(program, args, extra = {}) {
  const result = spawnSync(program, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: isWindows,
    ...extra,
  });
  return result.error ? 127 : (result.status ?? 1);
}

function npm(args) {
  const cli = process.env.npm_execpath;
  return cli && /npm/.test(cli) ? run(process.execPath, [cli, ...args], { shell: false }) : run('npm', args);
}

function stampIs(file, value) {
  return existsSync(file) && readFileSync(file, 'utf8') === value;
}

function dependencies() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const value = `${createHash('sha256').update(lock).digest('hex')} ${process.platform} ${process.arch}`;
  const folder = join(root, 'node_modules');
  const stamp = join(folder, '.souvenir-setup');
  if (stampIs(stamp, value)) return;
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
    say(
      'node_modules is a link: an installation would empty the folder that it leads to. Remove the link, then try again.',
    );
    process.exit(1);
  }
  say('installing the dependencies from the npm registry (about 170 MB to fetch, once)…');
  const startedAt = Date.now();
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  // Older npm runs the scripts of every package, so none runs at first, and then those that package.json allows.
  const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
  // Engine warnings name the system's Node, but the app runs on the Node installed here.
  if (
    npm(['ci', '--ignore-scripts', ...quiet]) !== 0 ||
    (allowed.length > 0 && npm(['rebuild', ...allowed, '--ignore-scripts=false', ...quiet]) !== 0)
  ) {
    say('the dependencies could not be installed. Check the network and the npm registry, then try again.');
    process.exit(1);
  }
  writeFileSync(stamp, value);
  say(`dependencies installed in ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

function build() {
  const hash = sourcesHash(root);
  if (isBuilt(root, hash)) return;
  say('building…');
  eraseStamp(root);
  const path = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`;
  const node = join(root, 'node_modules', 'node', 'bin', isWindows ? 'node.exe' : 'node');
  const vite = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const status = run(node, [vite, 'build', '--logLevel', 'error'], {
    env: { ...process.env, PATH: path },
    shell: false,
  });
  if (status !== 0) {
    say('the build failed; see the errors above.');
    process.exit(1);
  }
  writeStamp(root, hash);
}

/** What the browser tests need of the system: its programs, any of which will do, and the packages that bring it. */
const SYSTEM_NEEDS = [
  {
    what: 'Chromium',
    programs: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    packages: ['chromium', 'fonts-dejavu-core'],
  },
  { what: 'strace', programs: ['strace'], packages: ['strace'] },
  { what: 'ip', programs: ['ip'], packages: ['iproute2'] },
  { what: 'Xvfb', programs: ['Xvfb'], packages: ['xvfb'] },
];

/** A browser, and what shows that it talks to nobody. */
function browser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const isHere = (name) => folders.some((folder) => existsSync(join(folder, name)));
  const missing = SYSTEM_NEEDS.filter(({ programs }) => !programs.some(isHere));
  if (missing.length === 0) return;
  const names = missing.map(({ what }) => what).join(', ');
  const isRoot = process.getuid && process.getuid() === 0;
  if (!isRoot || !existsSync('/usr/bin/apt-get')) {
    say(
      `not on this system: ${names}. Playwright's own browser is used where it is installed; other tests are skipped.`,
    );
    return;
  }
  say(`installing ${names} for the browser tests, with apt (at most about 100 MB to fetch, once)…`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const packages = missing.flatMap((need) => need.packages);
  run('apt-get', ['update', '-qq'], { env });
  if (run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env }) !== 0)
    say(`${names} could not be installed; the tests that need it will be skipped.`);
}

/** Downloads Electron's binary once, if this session can show a window and the archive answers within seconds. */
async function electron() {
  if (electronProgram(root) !== null || electronObstacle() !== null) return;
  if (process.env.ELECTRON_SKIP_BINARY_DOWNLOAD) return;
  const { version, url } = electronArchive(root);
  say(`Electron ${version} is not here yet; asking ${new URL(url).host} for it…`);
  let bytes = 0;
  try {
    const answer = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(5_000) });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    bytes = Number(answer.headers.get('content-length'));
  } catch (error) {
    say(
      `it is not available (${error.cause?.code ?? error.message}); Souvenir will use the browser instead.`,
    );
    return;
  }
  say(`fetching Electron ${version} (${Math.round(bytes / 1e6)} MB, once)…`);
  const node = join(root, 'node_modules', 'node', 'bin', isWindows ? 'node.exe' : 'node');
  const installer = join(root, 'node_modules', 'electron', 'install.js');
  if (run(node, [installer], { shell: false }) !== 0)
    say('the download failed; Souvenir will use the browser instead.');
}

const [major] = process.versions.node.split('.').map(Number);
if (major < 20) {
  say(`Node ${process.versions.node} is too old; install Node 20 or newer.`);
  process.exit(1);
}
dependencies();
if (process.argv.includes('--build')) build();
if (process.argv.includes('--browser')) browser();
if (process.argv.includes('--electron')) await electron();
