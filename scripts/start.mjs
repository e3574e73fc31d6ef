#!/usr/bin/env node
// Opens Souvenir: the desktop app if Electron's binary is installed and can show a window, otherwise the local host in a
// browser.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { electronObstacle, electronProgram } from './electron.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);
const program = electronProgram(root);

/** The desktop app accepts only `--data`; the other options belong to the local host. */
function desktopArguments() {
  if (args.length === 0) return [];
  if (args.length === 2 && args[0] === '--data') return [`--data=${args[1]}`];
  return args.length === 1 && args[0].startsWith('--data=') ? args : null;
}

const desktop = desktopArguments();
const obstacle =
  program === null
    ? "Electron's binary is not here"
    : (electronObstacle() ?? (desktop ? null : 'these options are for the browser'));
const [command, commandArgs] =
  obstacle === null
    ? [program, [root, ...desktop]]
    : [process.execPath, [join(root, 'out', 'main', 'cli.js'), 'start', ...args]];
if (obstacle !== null) process.stderr.write(`${obstacle}: Souvenir opens in the browser.\n`);

const child = spawn(command, commandArgs, { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  process.stderr.write(`${command} could not be started: ${error.message}\n`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
