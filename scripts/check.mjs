#!/usr/bin/env node
// Every check that does not run the product: format, lint, types, import rules, unused code. Runs two steps at a time, and every step
// even if another failed. Prints one line per step, in order, and the output of those that failed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import PQueue from 'p-queue';

const root = fileURLToPath(new URL('..', import.meta.url));
const env = {
  ...process.env,
  PATH: `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`,
};
const layers = [
  'src/shared',
  'src/core',
  'src/local-host',
  'src/main',
  'src/preload',
  'src/cli',
  'src/renderer',
  'test',
  'scripts',
];

const steps = [
  ['format and lint', 'biome', ['check', '--error-on-warnings', '.']],
  ['type-aware lint', 'oxlint', ['--type-aware', '--deny-warnings', 'src', 'test']],
  ...layers.map((layer) => [`types of ${layer}`, 'tsc', ['-p', layer]]),
  ['import rules', 'node', ['scripts/importRules.mjs']],
  ['supply chain', 'node', ['scripts/supplyChain.ts']],
  ['security of the desktop app', 'node', ['scripts/security.ts']],
  ['unused code', 'knip', ['--no-progress']],
];

/** Most steps keep one processor busy. */
const AT_ONCE = 2;

/** @returns what went wrong; null if nothing did */
async function problemOf([, program, args]) {
  if (!existsSync(join(root, 'node_modules', '.bin', program)))
    return `${program} is not installed; run npm run setup`;
  const child = spawn(program, args, { cwd: root, env, shell: process.platform === 'win32' });
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', resolve);
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const status = await ended;
  if (status === 0) return null;
  return typeof status === 'string' ? status : `${out}${err}`;
}

/** Runs the steps and returns how many passed and failed. */
export async function check() {
  const queue = new PQueue({ concurrency: AT_ONCE });
  const runs = steps.map((step) => queue.add(() => problemOf(step)));
  const result = { passed: 0, failed: 0 };
  for (const [index, [name]] of steps.entries()) {
    const problem = await runs[index];
    console.log(`${problem === null ? '✓' : '✗'} ${name}`);
    if (problem !== null) console.log(problem);
    result[problem === null ? 'passed' : 'failed'] += 1;
  }
  return result;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.exit((await check()).failed === 0 ? 0 : 1);
