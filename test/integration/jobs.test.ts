import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobKind, JobRun } from '../../src/core/jobs/jobKind.ts';
import { Jobs } from '../../src/core/jobs/jobs.ts';
import { type Db, openDatabase } from '../../src/core/storage/database.ts';
import { createLogger } from '../../src/core/support/logger.ts';
import { AppError } from '../../src/shared/errors.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/testApp.ts';

const PROCESS = fileURLToPath(new URL('../support/jobsProcess.ts', import.meta.url));

let dir: string;
let db: Db;
let jobs: Jobs;
let now: number;
/** What the handlers did, in order. */
let effects: string[];

/** Another start of the program on the same database. */
const openJobs = (...kinds: JobKind[]): Jobs => {
  const opened = new Jobs({
    db,
    clock: { now: () => now },
    log: createLogger(dir),
    onChange: () => undefined,
    abortGraceMs: 50,
  });
  for (const kind of kinds) opened.register(kind);
  return opened;
};

/** Writes the subject down with the completion of its job. */
const note: JobKind = {
  kind: 'note',
  handler: ({ subject, commit }) => commit(() => void effects.push(subject)),
};

/** A handler that can be held in the middle. */
function gate() {
  const begun: JobRun[] = [];
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    begun,
    open: () => open(),
    handler: async (run: JobRun) => {
      begun.push(run);
      await Promise.race([
        opened,
        new Promise((_, reject) =>
          run.signal.addEventListener('abort', () => reject(run.signal.reason as Error)),
        ),
      ]);
      run.commit(() => void effects.push(run.subject));
    },
  };
}

beforeEach(() => {
  dir = temporaryFolder();
  db = openDatabase(dir);
  now = 1_700_000_000_000;
  effects = [];
});
afterEach(async () => {
  await jobs.close();
  db.close();
  removeFolder(dir);
});

describe('a job', () => {
  it('exists if and only if the transaction that makes it due commits', async () => {
    jobs = openJobs(note);
    jobs.start();
    expect(() =>
      db.transaction(() => {
        jobs.enqueue('note', 'rolled back');
        throw new Error('no');
      }),
    ).toThrow('no');
    db.transaction(() => jobs.enqueue('note', 'committed'));
    await jobs.settled();
    expect(effects).toEqual(['committed']);
    expect(jobs.summaries()).toEqual([]);
  });

  it('runs by itself once it was asked for', async () => {
    jobs = openJobs(note);
    jobs.start();
    jobs.enqueue('note', 'a');
    await until(() => effects.length === 1);
  });

  it('of the same kind and subject is one job, and runs once more if it was asked for while it ran', async () => {
    const held = gate();
    jobs = openJobs({ kind: 'note', handler: held.handler });
    jobs.start();
    jobs.enqueue('note', 'a');
    jobs.enqueue('note', 'a');
    const settled = jobs.settled();
    await until(() => held.begun.length === 1);
    jobs.enqueue('note', 'a');
    held.open();
    await settled;
    expect(effects).toEqual(['a', 'a']);
  });

  it('runs in the order of its priority, then of its age, and not before it is due', async () => {
    jobs = openJobs(note);
    jobs.enqueue('note', 'old', { priority: -1 });
    jobs.enqueue('note', 'newer', { priority: -2 });
    jobs.enqueue('note', 'newest', { priority: -3 });
    jobs.enqueue('note', 'newest too', { priority: -3 });
    jobs.enqueue('note', 'tomorrow', { priority: -9, dueAt: now + 86_400_000 });
    jobs.start();
    await jobs.settled();
    expect(effects).toEqual(['newest', 'newest too', 'newer', 'old']);
    expect(jobs.summaries()).toEqual([
      { kind: 'note', state: 'waiting', count: 1, problem: null, nextAt: now + 86_400_000 },
    ]);
    now += 86_400_000;
    await jobs.settled();
    expect(effects.at(-1)).toBe('tomorrow');
  });

  it('commits its effect with its completion, or neither', async () => {
    db.run("INSERT INTO settings (key, value) VALUES ('count', '0')");
    let attempts = 0;
    jobs = openJobs({
      kind: 'note',
      handler: ({ commit }) =>
        commit(() => {
          attempts += 1;
          db.run("UPDATE settings SET value = value + 1 WHERE key = 'count'");
          if (attempts === 1) throw new Error('in the middle');
        }),
    });
    jobs.enqueue('note', 'a');
    jobs.start();
    await jobs.settled();
    expect(db.get("SELECT value FROM settings WHERE key = 'count'")).toEqual({ value: '0' });
    now += 15_000;
    await jobs.settled();
    expect(attempts).toBe(2);
    expect(db.get("SELECT value FROM settings WHERE key = 'count'")).toEqual({ value: '1' });
    expect(jobs.summaries()).toEqual([]);
  });

  it('whose subject was deleted is removed', async () => {
    jobs = openJobs({
      kind: 'note',
      handler: () => {
        throw new AppError('NOT_FOUND', { what: 'turn' });
      },
    });
    jobs.enqueue('note', 'gone');
    jobs.start();
    await jobs.settled();
    expect(jobs.summaries()).toEqual([]);
  });
});

describe('a job that fails', () => {
  it('is tried again after 15, 16, 31, 96 s, and given up after its last attempt, until it is asked for again', async () => {
    let attempts = 0;
    jobs = openJobs({
      kind: 'note',
      maxAttempts: 4,
      handler: () => {
        attempts += 1;
        throw new AppError('DISK_FULL');
      },
    });
    jobs.enqueue('note', 'a');
    jobs.start();
    for (const [seconds, expected] of [
      [0, 1],
      [14.9, 1],
      [0.1, 2],
      [15.9, 2],
      [0.1, 3],
      [30.9, 3],
    ] as const) {
      now += seconds * 1_000;
      await jobs.settled();
      expect(attempts).toBe(expected);
      expect(jobs.summaries()).toMatchObject([{ state: 'waiting', count: 1, problem: 'DISK_FULL' }]);
    }
    now += 100;
    await jobs.settled();
    expect(jobs.summaries()).toEqual([
      { kind: 'note', state: 'failed', count: 1, problem: 'DISK_FULL', nextAt: null },
    ]);
    now += 86_400_000;
    await jobs.settled();
    expect(attempts).toBe(4);
    jobs.enqueue('note', 'a');
    await jobs.settled();
    expect(attempts).toBe(5);
  });

  it('does not keep the others waiting', async () => {
    jobs = openJobs({
      kind: 'note',
      handler: ({ subject, commit }) => {
        if (subject === 'bad') throw new Error('bad');
        commit(() => void effects.push(subject));
      },
    });
    for (const subject of ['bad', 'a', 'b']) jobs.enqueue('note', subject);
    jobs.start();
    await jobs.settled();
    expect(effects).toEqual(['a', 'b']);
    expect(jobs.summaries()).toMatchObject([{ state: 'waiting', count: 1, problem: 'INTERNAL' }]);
  });
});

describe('a kind of job', () => {
  it('runs as many at the same time as it allows, beside other kinds', async () => {
    const held = gate();
    jobs = openJobs({ kind: 'slow', concurrency: 2, handler: held.handler }, note);
    for (const subject of ['a', 'b', 'c', 'd']) jobs.enqueue('slow', subject);
    jobs.enqueue('note', 'n');
    jobs.start();
    const settled = jobs.settled();
    await until(() => effects.includes('n'));
    expect(held.begun.map(({ subject }) => subject)).toEqual(['a', 'b']);
    expect(jobs.summaries()).toMatchObject([
      { kind: 'slow', state: 'running', count: 2 },
      { kind: 'slow', state: 'waiting', count: 2 },
    ]);
    held.open();
    await settled;
    expect(effects).toEqual(['n', 'a', 'b', 'c', 'd']);
  });

  it('that is paused runs again when every pause has ended, and an interrupted run is no failed attempt', async () => {
    const held = gate();
    jobs = openJobs({ kind: 'note', handler: held.handler });
    jobs.enqueue('note', 'a');
    jobs.start();
    await until(() => held.begun.length === 1);
    const resume = jobs.pause(['note']);
    const resumeAgain = jobs.pause(['note']);
    await jobs.settled();
    expect(held.begun[0]?.signal.aborted).toBe(true);
    held.open();
    resume();
    resume();
    await jobs.settled();
    expect(effects).toEqual([]);
    expect(jobs.summaries()).toMatchObject([{ state: 'waiting', problem: null }]);
    resumeAgain();
    await jobs.settled();
    expect(effects).toEqual(['a']);
    expect(held.begun.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it('with a schedule follows it, keeps it over a restart, and drops it when there is nothing to do', async () => {
    let dueAt: number | null = now + 5_000;
    const scheduled: JobKind = {
      kind: 'tidy',
      schedule: () => dueAt,
      handler: ({ commit }) =>
        commit(() => {
          effects.push('tidy');
          dueAt = null;
        }),
    };
    jobs = openJobs(scheduled);
    jobs.start();
    await jobs.settled();
    expect(jobs.summaries()).toMatchObject([{ kind: 'tidy', state: 'waiting', nextAt: now + 5_000 }]);
    await jobs.close();
    jobs = openJobs(scheduled);
    jobs.start();
    now += 4_999;
    await jobs.settled();
    expect(effects).toEqual([]);
    now += 1;
    await jobs.settled();
    expect(effects).toEqual(['tidy']);
    expect(jobs.summaries()).toEqual([]);
    dueAt = now + 5_000;
    await jobs.settled();
    dueAt = null;
    await jobs.settled();
    expect(jobs.summaries()).toEqual([]);
  });

  it('whose schedule stays due runs once a minute, and at least hourly while it fails', async () => {
    let isIll = false;
    let runs = 0;
    jobs = openJobs({
      kind: 'tidy',
      schedule: () => 0,
      handler: () => {
        runs += 1;
        if (isIll) throw new AppError('DISK_FULL');
      },
    });
    jobs.start();
    await jobs.settled();
    await jobs.settled();
    now += 59_999;
    await jobs.settled();
    expect(runs).toBe(1);
    now += 1;
    await jobs.settled();
    expect(runs).toBe(2);
    isIll = true;
    for (let hour = 0; hour < 40; hour += 1) {
      now += 3_600_000;
      await jobs.settled();
    }
    expect(runs).toBe(42);
    expect(jobs.summaries()).toMatchObject([{ state: 'waiting', problem: 'DISK_FULL' }]);
  });

  it('is told to nobody else: a kind that is not registered waits', async () => {
    jobs = openJobs(note);
    jobs.enqueue('unheard-of', 'a');
    jobs.start();
    await jobs.settled();
    expect(jobs.unknownKinds()).toEqual(['unheard-of']);
    jobs.repair();
    expect(jobs.summaries()).toEqual([]);
  });
});

describe('the table', () => {
  it('is never read from end to end by a run, however many jobs wait', async () => {
    const plans: string[] = [];
    const explain = (sql: string, params: Parameters<Db['all']>[1][]) => {
      if (/\bjobs\b/.test(sql))
        for (const { detail } of db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...(params as [])))
          plans.push(detail);
    };
    const watched: Db = {
      ...db,
      get: (sql, ...params) => {
        explain(sql, params);
        return db.get(sql, ...params);
      },
      all: (sql, ...params) => {
        explain(sql, params);
        return db.all(sql, ...params);
      },
      run: (sql, ...params) => {
        explain(sql, params);
        return db.run(sql, ...params);
      },
    };
    jobs = new Jobs({
      db: watched,
      clock: { now: () => now },
      log: createLogger(dir),
      onChange: () => undefined,
    });
    jobs.register({
      kind: 'note',
      handler: ({ subject, commit }) => {
        if (subject === 'bad') throw new Error('bad');
        commit(() => void effects.push(subject));
      },
    });
    jobs.register({ kind: 'tidy', schedule: () => now, handler: () => undefined });
    jobs.start();
    plans.length = 0;
    for (const subject of ['bad', 'a', 'b']) jobs.enqueue('note', subject, { priority: -now });
    jobs.cancel('note', 'b');
    await jobs.settled();
    now += 20 * 60_000;
    await jobs.settled();
    expect(effects).toEqual(['a']);
    expect(plans.length).toBeGreaterThan(10);
    expect(plans.filter((plan) => /SCAN|TEMP B-TREE/.test(plan))).toEqual([]);
  });
});

describe('a cancelled job', () => {
  it('does not run, and has no effect if it runs already', async () => {
    const held = gate();
    jobs = openJobs({ kind: 'note', handler: held.handler }, { ...note, kind: 'deaf' });
    for (const subject of ['a', 'b', 'c']) jobs.enqueue('note', subject);
    jobs.start();
    await until(() => held.begun.length === 1);
    jobs.cancel('note', 'a');
    jobs.cancel('note', 'b');
    held.open();
    await jobs.settled();
    expect(effects).toEqual(['c']);
    expect(jobs.summaries()).toEqual([]);
  });

  it('has no effect even if its handler does not heed the signal', async () => {
    let finish: () => void = () => undefined;
    jobs = openJobs({
      kind: 'deaf',
      handler: async ({ commit }) => {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        commit(() => void effects.push('deaf'));
      },
    });
    jobs.enqueue('deaf', 'a');
    jobs.start();
    const settled = jobs.settled();
    await sleep(20);
    jobs.cancel('deaf');
    finish();
    await settled;
    expect(effects).toEqual([]);
    expect(jobs.summaries()).toEqual([]);
  });
});

describe('a lease', () => {
  it('of an earlier start is taken over at once; after four such ends in a row, later', async () => {
    for (let crash = 1; crash <= 4; crash += 1) {
      const held = gate();
      jobs = openJobs({ kind: 'note', handler: held.handler });
      if (crash === 1) jobs.enqueue('note', 'a');
      jobs.start();
      await until(() => held.begun.length === 1);
      expect(held.begun[0]?.attempt).toBe(crash);
      // As after a kill: what was running stays marked as running.
      const { lease } = db.get<{ lease: string }>('SELECT lease FROM jobs') as { lease: string };
      await jobs.close();
      db.run("UPDATE jobs SET state = 'running', attempts = ?, lease = ?, leased_until = 9e15", crash, lease);
    }
    jobs = openJobs(note);
    jobs.start();
    await jobs.settled();
    expect(effects).toEqual([]);
    now += 15_000 + 3 ** 4 * 1_000;
    await jobs.settled();
    expect(effects).toEqual(['a']);
  });

  it('that ends is taken again, and the late run has no effect', async () => {
    const finish: (() => void)[] = [];
    const signals: AbortSignal[] = [];
    jobs = openJobs({
      kind: 'slow',
      leaseMs: 60_000,
      handler: async ({ attempt, signal, commit }) => {
        signals.push(signal);
        await new Promise<void>((resolve) => finish.push(resolve));
        commit(() => void effects.push(`attempt ${attempt}`));
      },
    });
    jobs.enqueue('slow', 'a');
    jobs.start();
    void jobs.settled();
    await until(() => finish.length === 1);
    now += 60_000;
    await jobs.settled();
    expect(signals[0]?.aborted).toBe(true);
    expect(jobs.summaries()).toMatchObject([{ state: 'waiting', problem: 'JOB_TIMED_OUT' }]);
    now += 15_000;
    const settled = jobs.settled();
    await until(() => finish.length === 2);
    finish[0]?.();
    await sleep(10);
    expect(effects).toEqual([]);
    finish[1]?.();
    await settled;
    expect(effects).toEqual(['attempt 2']);
  });

  it('of a job whose end could not be recorded is taken over at the next look, however long it was given', async () => {
    let ends = 0;
    jobs = openJobs({
      ...note,
      leaseMs: 9e12,
      handler: (run) => {
        if (ends++ === 0) throw new AppError('DISK_FULL');
        return note.handler(run);
      },
    });
    db.run(
      "CREATE TEMP TRIGGER full BEFORE UPDATE ON jobs WHEN OLD.state = 'running' BEGIN SELECT raise(ABORT, 'full'); END",
    );
    jobs.enqueue('note', 'a');
    jobs.start();
    await until(() => ends === 1);
    expect(effects).toEqual([]);
    db.run('DROP TRIGGER full');
    await jobs.settled();
    expect(effects).toEqual(['a']);
  });
});

describe('closing', () => {
  it('aborts what runs, keeps it for the next start, and waits for a handler that does not heed it only so long', async () => {
    const held = gate();
    let finish: () => void = () => undefined;
    const deaf = new Promise<void>((resolve) => {
      finish = resolve;
    });
    jobs = openJobs(
      { kind: 'slow', handler: held.handler },
      { kind: 'deaf', handler: ({ commit }) => deaf.then(() => commit(() => void effects.push('deaf'))) },
    );
    jobs.enqueue('slow', 'a');
    jobs.enqueue('deaf', 'b');
    jobs.start();
    await until(() => held.begun.length === 1);
    await jobs.close();
    finish();
    await sleep(10);
    expect(effects).toEqual([]);
    jobs.enqueue('slow', 'never');
    jobs.cancel('slow', 'never');
    jobs = openJobs({ ...note, kind: 'slow' }, { ...note, kind: 'deaf' });
    jobs.start();
    await jobs.settled();
    expect(effects.sort()).toEqual(['a', 'b']);
  });
});

describe('a process killed in the middle of jobs', () => {
  it('loses none and does none twice', async () => {
    const COUNT = 300;
    jobs = openJobs({ kind: 'count', handler: () => undefined });
    db.transaction(() => {
      for (let n = 0; n < COUNT; n += 1) jobs.enqueue('count', `subject ${n}`);
    });
    await jobs.close();
    db.close();
    const log = join(dir, 'begun.txt');
    const begun = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0);
    for (let kill = 1; kill <= 6; kill += 1) {
      const before = begun();
      const child = spawn(process.execPath, [PROCESS, dir], { stdio: ['ignore', 'ignore', 'inherit'] });
      const ended = new Promise<string | null>((resolve) =>
        child.once('exit', (_code, signal) => resolve(signal)),
      );
      await until(() => begun() > before + 10 + kill);
      child.kill('SIGKILL');
      expect(await ended).toBe('SIGKILL');
    }
    const last = spawn(process.execPath, [PROCESS, dir, 'to-the-end'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    expect(await new Promise((resolve) => last.once('exit', resolve))).toBe(0);
    db = openDatabase(dir);
    const counts = db.all<{ n: number }>(
      "SELECT CAST(value AS INTEGER) AS n FROM settings WHERE key LIKE 'subject %'",
    );
    expect(counts).toHaveLength(COUNT);
    expect(counts.every(({ n }) => n === 1)).toBe(true);
    expect(db.get('SELECT count(*) AS n FROM jobs')).toEqual({ n: 0 });
    // Some were killed after they had begun and before their effect was committed: they were begun twice.
    expect(begun()).toBeGreaterThan(COUNT);
  });
});
