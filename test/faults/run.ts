import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Dice } from '../support/seeded.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { FAULT_KINDS, type Fault, faultEnvironment, readCounts } from './library.ts';
import { undoUnsynced } from './powerCut.ts';
import {
  ACTS,
  type ActName,
  type Ending,
  findWrongs,
  type Report,
  type Templates,
  tailOfLog,
} from './world.ts';

const SCRIPT = fileURLToPath(new URL('./script.ts', import.meta.url));
/** Only tells a process that ended from one that hangs. */
const PATIENCE_MS = 180_000;

/** One act with one fault. */
export interface Pair {
  act: ActName;
  fault: Fault;
  /** Decides which unsynced writes a power cut loses; null if it loses all of them. */
  torn: number | null;
}

export interface Outcome {
  wrongs: string[];
  /** Calls that the act made in the data folder. */
  calls: ReturnType<typeof readCounts>;
  /** Codes with which pieces of work failed. */
  codes: string[];
}

/** How many calls each act makes without a fault. @throws an error if something is wrong even so */
export async function countCalls(library: string, templates: Templates): Promise<Map<ActName, number>> {
  const counts = new Map<ActName, number>();
  for (const act of ACTS) {
    const fault: Fault = { kind: 'EIO', at: 0, lasting: false };
    const { wrongs, calls } = await runPair(library, templates, { act, fault, torn: null });
    if (wrongs.length > 0) throw new Error(`${act} fails without a fault: ${wrongs.join('\n')}`);
    counts.set(
      act,
      Object.values(calls).reduce((sum, count) => sum + count, 0),
    );
  }
  return counts;
}

/** The pair of a seed. @param calls how many calls each act makes */
export function pairOf(seed: number, calls: ReadonlyMap<ActName, number>): Pair {
  const dice = new Dice(seed);
  const act = dice.pick(ACTS);
  const kind = dice.pick(FAULT_KINDS);
  const at = dice.between(1, calls.get(act) as number);
  const lasting = kind !== 'stop' && kind !== 'short' && dice.chance(0.3);
  return { act, fault: { kind, at, lasting }, torn: kind === 'stop' && dice.chance(0.5) ? seed : null };
}

/** Runs an act with its fault, then looks at what is left. */
export async function runPair(library: string, templates: Templates, pair: Pair): Promise<Outcome> {
  const { act, fault, torn } = pair;
  const place = temporaryFolder();
  const root = join(place, 'world');
  const journal = join(place, 'journal');
  const counts = join(place, 'counts');
  try {
    templates.copy(act, root);
    mkdirSync(join(root, 'data'), { recursive: true, mode: 0o700 });
    const under = join(root, 'data');
    const isStop = fault.kind === 'stop';
    const environment = faultEnvironment(library, fault, { under, counts, ...(isStop ? { journal } : {}) });
    const ending = await runScript(root, act, environment);
    const wrongs = findBadEnd(ending, fault);
    const dice = new Dice(torn ?? 0);
    if (isStop) undoUnsynced(journal, under, () => torn === null || dice.chance(0.5));
    const before = templates.items.get(act) as string[];
    try {
      wrongs.push(...(await findWrongs({ act, root, before, restored: templates.restored }, ending)));
    } catch (error) {
      wrongs.push(`cannot be opened: ${(error as Error).stack}`);
    }
    if (wrongs.length > 0) wrongs.push(JSON.stringify(ending), tailOfLog(under));
    const codes = ending.reports.flatMap((report) => ('failed' in report ? report.code : []));
    return { wrongs, calls: readCounts(counts), codes };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** A process that a fault did not stop ends by itself, without an error that nobody caught; a fault that passes makes no work impossible. */
function findBadEnd({ status, stderr, reports }: Ending, { kind, lasting }: Fault): string[] {
  if (kind === 'stop' && status === 137) return [];
  if (status !== 0) return [`the process ended with ${status}: ${stderr}`];
  if (lasting) return [];
  const done = new Set(reports.flatMap((report) => ('done' in report ? report.done : [])));
  const failed = new Set(reports.flatMap((report) => ('failed' in report ? report.failed : [])));
  return [...failed].filter((name) => !done.has(name)).map((name) => `${name} failed twice`);
}

function runScript(root: string, act: ActName, environment: Record<string, string>): Promise<Ending> {
  const child = spawn(process.execPath, ['--no-wasm-tier-up', SCRIPT, root, act], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'souvenir-compile-cache'), ...environment },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (part: Buffer) => {
    stdout += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    stderr += part.toString();
  });
  const patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => {
      clearTimeout(patience);
      const lines = stdout.split('\n').filter((line) => line.endsWith('}'));
      resolve({ reports: lines.map((line) => JSON.parse(line) as Report), status, stderr });
    });
  });
}
