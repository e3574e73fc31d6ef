#!/usr/bin/env node
// Runs every check and test, and ends with a line that sums up all runners.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check } from './check.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const results = mkdtempSync(join(tmpdir(), 'souvenir-results-'));
const env = {
  ...process.env,
  PATH: `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`,
};
const sum = { passed: 0, failed: 0, skipped: 0 };

function run(program, args, extra = {}) {
  const { status } = spawnSync(program, args, {
    cwd: root,
    env: { ...env, ...extra },
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  return status ?? 1;
}

function readResult(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.log(`no result in ${file}: ${error.message}`);
    return null;
  }
}

/** A test file that fails to load counts no tests: a failed run without a failed test counts as one failure. */
function add(part, status) {
  sum.passed += part.passed;
  sum.failed += part.failed === 0 && status !== 0 ? 1 : part.failed;
  sum.skipped += part.skipped;
}

add({ ...(await check()), skipped: 0 }, 0);

const unitFile = join(results, 'vitest.json');
const unitStatus = run('vitest', [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${unitFile}`,
]);
const unit = readResult(unitFile);
add(
  {
    passed: unit?.numPassedTests ?? 0,
    failed: unit?.numFailedTests ?? 0,
    skipped: (unit?.numPendingTests ?? 0) + (unit?.numTodoTests ?? 0),
  },
  unitStatus,
);

const e2eFile = join(results, 'playwright.json');
const e2eStatus = run('playwright', ['test', '--reporter=list,json'], {
  PLAYWRIGHT_JSON_OUTPUT_FILE: e2eFile,
});
const e2e = readResult(e2eFile)?.stats;
add(
  {
    passed: e2e?.expected ?? 0,
    // A test that passed only on a second run counts as failed.
    failed: (e2e?.unexpected ?? 0) + (e2e?.flaky ?? 0),
    skipped: e2e?.skipped ?? 0,
  },
  e2eStatus,
);

rmSync(results, { recursive: true, force: true });
console.log(`\n${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exit(sum.failed === 0 ? 0 : 1);
