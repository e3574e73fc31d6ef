import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type DamageCase, fixedCases, flips, isPossible, nameOf, STARTS } from '../damage/cases.ts';
import type { ToJudge } from '../damage/judgeProcess.ts';
import type { Verdict } from '../damage/oracle.ts';
import { Scenes } from '../damage/scene.ts';
import { isRoot } from '../support/asUser.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

const ENTRY = fileURLToPath(new URL('../damage/judgeProcess.ts', import.meta.url));
/** A start that takes longer hangs: most take less than a second. */
const PATIENCE_MS = 120_000;

/**
 * Damages every file and folder of a data folder in every way, and starts on each. Tells of every start that does not end as it should.
 * @param seeds how many bits of each file are turned, one at a time
 * @param only a file, of which no more than bits are turned; everything without it
 */
export async function soakDamage(seeds: number, first: number, only?: string): Promise<void> {
  const root = temporaryFolder();
  const judge = new Judge();
  try {
    const scenes = await Scenes.make(root);
    const cases = STARTS.flatMap((start) => {
      const entries = scenes.entries(start);
      const there = { entries, read: (path: string) => scenes.read(start, path) };
      const turned = Array.from({ length: seeds }, (_, n) => flips(start, there, first + n)).flat();
      return only === undefined
        ? [...fixedCases(start, entries), ...turned]
        : turned.filter(({ path }) => path === only);
    }).filter(({ damage }) => isPossible(damage, isRoot()));
    const outcomes: Record<string, number> = {};
    let failed = 0;
    for (const one of cases) {
      const verdict = await judge.judge(one, { root, truths: scenes.truths });
      const { outcome, code, wrongs } = verdict;
      const name = code === null ? outcome : `${outcome}: ${code}`;
      outcomes[name] = (outcomes[name] ?? 0) + 1;
      if (wrongs.length === 0) continue;
      failed += 1;
      console.log(JSON.stringify(verdict));
    }
    console.log(JSON.stringify({ soak: 'damage', cases: cases.length, failed, outcomes }));
    if (failed > 0) process.exitCode = 1;
  } finally {
    judge.end();
    removeFolder(root);
  }
}

/** Has each case judged in another process, a new one where it ended or hung. */
class Judge {
  #child: ChildProcess | null = null;

  async judge(damageCase: DamageCase, scenes: ToJudge): Promise<Verdict> {
    const child = this.#child ?? this.#start(scenes);
    const answer = Promise.withResolvers<Verdict>();
    const fail = (why: string) =>
      answer.resolve({ case: nameOf(damageCase), outcome: 'as before', code: null, wrongs: [why], ms: 0 });
    const onExit = (status: number | null, signal: string | null) =>
      fail(`the process ended: ${signal ?? status}`);
    child.once('message', answer.resolve);
    child.once('exit', onExit);
    const patience = setTimeout(() => fail(`nothing came within ${PATIENCE_MS} ms`), PATIENCE_MS);
    child.send(damageCase);
    const verdict = await answer.promise;
    clearTimeout(patience);
    child.off('message', answer.resolve).off('exit', onExit);
    if (verdict.ms === 0) this.end();
    return verdict;
  }

  #start(scenes: ToJudge): ChildProcess {
    const child = spawn(process.execPath, ['--no-wasm-tier-up', ENTRY], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    child.send(scenes);
    this.#child = child;
    return child;
  }

  end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }
}
