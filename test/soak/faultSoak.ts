import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { buildFaultLibrary, FAULT_KINDS } from '../faults/library.ts';
import { countCalls, type Pair, pairOf, runPair } from '../faults/run.ts';
import { ACTS, Templates } from '../faults/world.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

export interface FaultSoak {
  /** How many seeded pairs of act and fault; 0 for every kind of fault at every call of every act instead. */
  pairs: number;
  first: number;
  /** A file that takes a line for each pair that was run. Pairs that it holds are left out, so that a long run can be resumed. */
  progress: string;
}

interface Done {
  pair: string;
  wrongs: string[];
  codes: string[];
}

/** Runs acts on a data folder with a fault in each, and tells of every pair after which something is wrong. */
export async function soakFaults({ pairs, first, progress }: FaultSoak): Promise<void> {
  const library = buildFaultLibrary();
  if ('missing' in library) {
    console.log(JSON.stringify({ soak: 'faults', skipped: library.missing }));
    return;
  }
  const root = temporaryFolder();
  try {
    const templates = await Templates.make(root);
    const calls = await countCalls(library.path, templates);
    const wanted: [string, Pair][] =
      pairs === 0
        ? ACTS.flatMap((act) => everyPair(act, calls.get(act) as number))
        : Array.from({ length: pairs }, (_, n) => [`seed ${first + n}`, pairOf(first + n, calls)]);
    const done = new Map(readProgress(progress).map((one) => [one.pair, one]));
    for (const [name, pair] of wanted) {
      if (done.has(name)) continue;
      const { wrongs, codes } = await runPair(library.path, templates, pair);
      const line: Done = { pair: name, wrongs, codes };
      done.set(name, line);
      appendFileSync(progress, `${JSON.stringify(line)}\n`);
      if (wrongs.length > 0) console.log(JSON.stringify({ ...pair, ...line }));
    }
    const outcomes = wanted.flatMap(([name]) => done.get(name) ?? []);
    const failed = outcomes.filter(({ wrongs }) => wrongs.length > 0).length;
    const told = outcomes.filter(({ codes }) => codes.length > 0).length;
    console.log(
      JSON.stringify({
        soak: 'faults',
        pairs: outcomes.length,
        failed,
        told,
        calls: Object.fromEntries(calls),
      }),
    );
    if (failed > 0) process.exitCode = 1;
  } finally {
    removeFolder(root);
  }
}

function everyPair(act: Pair['act'], calls: number): [string, Pair][] {
  return FAULT_KINDS.flatMap((kind) =>
    Array.from({ length: calls }, (_, n): [string, Pair] => [
      `${act} ${kind} ${n + 1}`,
      { act, fault: { kind, at: n + 1, lasting: false }, torn: null },
    ]),
  );
}

function readProgress(path: string): Done[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  // The last line may be cut.
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as Done);
}
