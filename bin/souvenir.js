#!/usr/bin/env node
// The `souvenir` command: prepares the checkout where that is still to do, then runs the built command under the Node
// that came with the dependencies. Plain JavaScript: it may be started by an older Node.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const setup = spawnSync(process.execPath, [join(root, 'scripts', 'setup.mjs'), '--build'], {
  stdio: ['ignore', 2, 2],
});
if (setup.status !== 0) process.exit(1);

const node = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const child = spawn(node, [join(root, 'out', 'main', 'cli.js'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', () => process.exit(1));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
