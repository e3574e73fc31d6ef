#!/usr/bin/env node
// Every check that does not run the product: format, lint, types, import rules, unused code. Runs every step even if an earlier
// one failed. Prints one line per step, and the output of those that failed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

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

/** Runs the steps and returns how many passed and failed. */
export function check() {
  const result = { passed: 0, failed: 0 };
  for (const [name, program, args] of steps) {
    const file = join(root, 'node_modules', '.bin', program);
    const run = existsSync(file)
      ? spawnSync(program, args, { cwd: root, env, encoding: 'utf8', shell: process.platform === 'win32' })
      : { status: 1, stdout: `${program} is not installed; run npm run setup`, stderr: '' };
    const problem = run.status === 0 ? null : `${run.stdout}${run.stderr}`;
    console.log(`${problem === null ? '✓' : '✗'} ${name}`);
    if (problem !== null) console.log(problem);
    result[problem === null ? 'passed' : 'failed'] += 1;
  }
  return result;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exit(check().failed === 0 ? 0 : 1);
