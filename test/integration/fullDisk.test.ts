import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';

const processOf = (name: string) => fileURLToPath(new URL(`../support/${name}.ts`, import.meta.url));
/** Room for the data of one note, its vectors and a few hundred kilobytes more. */
const DISK = 'size=12m,nr_inodes=2000';

/** Options of `unshare` with which this user may mount a disk that only one process sees; null if they may not. */
const namespace = ['-m', '-rm'].find(
  (options) =>
    spawnSync('unshare', [options, 'mount', '-t', 'tmpfs', '-o', DISK, 'tmpfs', '/mnt']).status === 0,
);
if (!namespace) console.warn('full disk: skipped, because this user may not mount a small disk');

let disk: string;
let vault: string;
beforeEach(() => {
  disk = temporaryFolder();
  vault = temporaryFolder();
});
afterEach(() => {
  removeFolder(disk);
  removeFolder(vault);
});

/** Runs a process whose disk is small, and returns what it prints last. */
async function runOnSmallDisk(name: string, ...args: string[]): Promise<Record<string, unknown>> {
  const command = `mount -t tmpfs -o ${DISK} tmpfs "$1" && exec "$2" --no-wasm-tier-up "$3" "$1" "$4"`;
  const child = spawn(
    'unshare',
    [namespace as string, 'sh', '-c', command, 'sh', disk, process.execPath, processOf(name), ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.on('data', (part: Buffer) => {
    output += part.toString();
  });
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
}

describe.skipIf(!namespace)('a disk that is full', () => {
  it('is told as such by every write, stops nothing, loses nothing, and is forgotten once there is room', async () => {
    writeNotes(vault, { 'Jardin.md': '# Jardin\n\nLes tomates se plantent à la mi-mai.' });
    const came = await runOnSmallDisk('fullDiskProcess', vault);
    expect(came).toMatchObject({
      full: {
        fact: 'DISK_FULL',
        message: 'DISK_FULL',
        setting: 'DISK_FULL',
        key: 'DISK_FULL',
        backup: 'DISK_FULL',
        backupElsewhere: 'DISK_FULL',
        index: 'DISK_FULL',
        indexTold: 'DISK_FULL',
      },
      halfMade: 0,
      lost: 0,
      backup: 'ok',
      doctor: { ok: true, findings: [] },
      startAgain: 'ok',
    });
    expect(came.accepted).toBeGreaterThan(0);
    expect(came.droppedLines).toBeGreaterThan(0);
    expect(['ok', 'DISK_FULL']).toContain(came.start);
  }, 300_000);

  it('leaves backups as they are that would be rewritten, says so, and rewrites them once there is room', async () => {
    expect(await runOnSmallDisk('fullDiskBackups', vault)).toEqual({
      told: { state: 'failed', problem: 'DISK_FULL' },
      isUnchanged: true,
      partials: 0,
      afterwards: 'done',
      left: [],
    });
  }, 120_000);
});
