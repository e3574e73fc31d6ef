import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../../src/core/support/ids.ts';

const SOURCE = fileURLToPath(new URL('./faults.c', import.meta.url));

/** In the order of `enum op` in faults.c. */
const OPERATIONS = [
  'open',
  'write',
  'sync',
  'rename',
  'link',
  'truncate',
  'unlink',
  'mkdir',
  'allocate',
] as const;

export const FAULT_KINDS = ['EIO', 'ENOSPC', 'EACCES', 'short', 'stop'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** One call that fails. */
export interface Fault {
  kind: FaultKind;
  /** Number of the call, from 1; 0 makes none fail. */
  at: number;
  /** Every later call fails too. */
  lasting: boolean;
}

/** Builds the library, unless that was done before. @returns its path, or why it cannot be used here */
export function buildFaultLibrary(): { path: string } | { missing: string } {
  if (process.platform !== 'linux') return { missing: 'it is for Linux' };
  const folder = join(tmpdir(), `souvenir-faults-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${sha256(readFileSync(SOURCE, 'utf8')).slice(0, 16)}.so`);
  if (existsSync(path)) return { path };
  // Another process may look for it meanwhile.
  const partial = `${path}.${process.pid}`;
  const built = spawnSync(
    'cc',
    ['-O1', '-Wall', '-fPIC', '-shared', '-pthread', '-o', partial, SOURCE, '-ldl'],
    { encoding: 'utf8' },
  );
  if (built.error) return { missing: 'there is no C compiler' };
  if (built.status !== 0) return { missing: `it cannot be built: ${built.stderr}` };
  renameSync(partial, path);
  return { path };
}

/** The environment of a process in which a call fails that writes in `under`. */
export function faultEnvironment(
  library: string,
  fault: Fault,
  files: { under: string; counts: string; journal?: string },
): Record<string, string> {
  return {
    LD_PRELOAD: library,
    FAULTS_UNDER: files.under,
    FAULTS_COUNTS: files.counts,
    FAULTS_AT: String(fault.at),
    FAULTS_KIND: fault.kind,
    FAULTS_LASTING: fault.lasting ? '1' : '0',
    ...(files.journal ? { FAULTS_JOURNAL: files.journal } : {}),
    UV_USE_IO_URING: '0',
  };
}

/** How many calls of each kind a process made. */
export function readCounts(path: string): Record<(typeof OPERATIONS)[number], number> {
  const bytes = readFileSync(path);
  const of = (place: number) => Number(bytes.readBigInt64LE(place * 8));
  return Object.fromEntries(OPERATIONS.map((operation, place) => [operation, of(place)])) as ReturnType<
    typeof readCounts
  >;
}
