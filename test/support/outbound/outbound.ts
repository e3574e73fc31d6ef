import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder, temporaryFolder } from '../temporary.ts';
import type { NetworkUse } from './trace.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const WORLD = fileURLToPath(new URL('./world.ts', import.meta.url));
/** A world of its own: users, network, mounts, processes. It ends with everything in it when this process ends. */
const UNSHARE = ['-rnm', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** What the world needs of the system, each tried by doing it. */
const TRIAL = [
  'ip link set lo up',
  'ip link add out0 type veth peer name out1',
  'mount -t tmpfs tmpfs /run',
  'strace -f --seccomp-bpf -qq -yy -e trace=connect -o /dev/null true',
].join(' && ');

export interface OutboundReport extends NetworkUse {
  /** Names that were asked for, and the hosts of requests that could be read. */
  hosts: string[];
  /** Datagrams that any process of the world sent, its resolver's answers left out. */
  datagrams: number;
  /** `window`: on a virtual display. `headless`: the same browser without one, where there is no Xvfb. */
  shown: 'window' | 'headless' | 'none';
  /** Addresses that the window handed to the user's own browser. */
  openedOutside: string[];
  /** How long the open window was left alone, in milliseconds. */
  idleMs: number;
}

export interface OutboundOptions {
  /** `product`: Souvenir as its user starts it. `control`: a program that does what is to be found. */
  run: 'product' | 'control';
  idleMs?: number;
  browser: string | null;
}

/** Why the test cannot run here; null if it can. */
export function outboundObstacle(): string | null {
  if (process.platform !== 'linux') return 'namespaces of the network are Linux’s';
  if (!existsSync(join(ROOT, 'out', 'main', 'cli.js'))) return 'Souvenir is not built';
  const trial = spawnSync('unshare', [...UNSHARE, 'sh', '-c', TRIAL], { encoding: 'utf8' });
  if (trial.status === 0) return null;
  return `no network of its own, or no trace, is allowed here: ${trial.error?.message ?? trial.stderr.trim()}`;
}

/** Runs in a network of its own, in which every name has an address and nobody answers, and tells what was tried. */
export async function runOutbound({ run, idleMs = 0, browser }: OutboundOptions): Promise<OutboundReport> {
  const dir = temporaryFolder();
  try {
    const config = JSON.stringify({ run, idleMs, browser, dir, root: ROOT });
    const child = spawn('unshare', [...UNSHARE, process.execPath, WORLD, config], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (part: Buffer) => {
      output += part.toString();
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) throw new Error(`the world ended with ${code}`);
    return JSON.parse(output) as OutboundReport;
  } finally {
    removeFolder(dir);
  }
}
