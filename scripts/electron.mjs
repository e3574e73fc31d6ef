// Finds Electron's binary and whether this session can show its window. Plain JavaScript that Node 18 understands.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Path of Electron's program under `root`; null if it was not downloaded. */
export function electronProgram(root) {
  const folder = join(root, 'node_modules', 'electron');
  const pathFile = join(folder, 'path.txt');
  if (!existsSync(pathFile)) return null;
  const program = join(folder, 'dist', readFileSync(pathFile, 'utf8'));
  return existsSync(program) ? program : null;
}

/** Why Electron cannot show a window here; null if it can. */
export function electronObstacle() {
  if (process.platform !== 'linux') return null;
  if (!process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return 'there is no display';
  // Its sandbox refuses root, and we do not run it without the sandbox.
  return process.getuid && process.getuid() === 0 ? 'Electron does not run as root' : null;
}

/** Address from which Electron's own installer would download the archive for this machine. */
export function electronArchive(root) {
  const { version } = JSON.parse(
    readFileSync(join(root, 'node_modules', 'electron', 'package.json'), 'utf8'),
  );
  const mirror =
    process.env.ELECTRON_MIRROR ||
    process.env.npm_config_electron_mirror ||
    'https://github.com/electron/electron/releases/download/';
  const name = `electron-v${version}-${process.platform}-${process.arch}.zip`;
  return { version, url: `${mirror.replace(/\/?$/, '/')}v${version}/${name}` };
}
