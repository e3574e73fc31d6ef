import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ForgetGroup } from '../../../shared/contract/forget.ts';
import { AppError } from '../../../shared/errors.ts';
import type { JobKind, JobRun } from '../../jobs/jobKind.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Db } from '../../storage/database.ts';
import type { Forgettable, Step } from './forgettable.ts';

export interface ForgetActsPorts {
  db: Db;
  jobs: Pick<Jobs, 'enqueue'>;
  /** In the order in which they are forgotten and brought back. */
  kinds: readonly Forgettable[];
  /** Erases what was forgotten at a moment, in the caller's transaction. */
  erase(at: number): void;
  /** An act is done. */
  onDone(): void;
}

/** `erase`: it is forgotten, then erased. `bring-back`: it is restored, whenever it was deleted or forgotten. */
export type ActName = 'forget' | 'erase' | 'restore' | 'bring-back';

export interface Act {
  name: ActName;
  /** The moment that names what is forgotten, or only the act if that is `bring-back`; in milliseconds since 1970. */
  at: number;
  items: Readonly<Record<ForgetGroup, readonly string[]>>;
}

export const FORGET_ITEMS = 'forget-items';
/** Items of an act that is one commit, which takes some 50 ms, and of one portion of a larger one. */
const AT_ONCE = 500;
const PORTION = 100;
/** A hundred thousand items on a slow disk. */
const LEASE_MS = 6 * 3_600_000;

/**
 * Does to many items what forgetting or bringing back does to each. A few are one transaction. More, or what is to be erased too, are
 * written down in one, and a job works them off in portions between which others have their turn: a crash gives nothing of it or, after
 * the next start, all of it.
 */
export class ForgetActs {
  readonly #ports: ForgetActsPorts;
  /** Who waits for an act in this process, by its subject. */
  readonly #waiting = new Map<string, PromiseWithResolvers<number>>();

  constructor(ports: ForgetActsPorts) {
    this.#ports = ports;
  }

  /**
   * @returns how many items it was
   * @throws AppError DISK_FULL, OWNER_UNREACHABLE if the data is closed meanwhile; the act then goes on by itself
   */
  async do(act: Act): Promise<number> {
    const { db, kinds, jobs } = this.#ports;
    const all = kinds.reduce((sum, { group }) => sum + act.items[group].length, 0);
    if (all <= AT_ONCE && act.name !== 'erase')
      return db.transaction(() => {
        const depth = Math.max(...kinds.map((kind) => stepsOf(kind, act.name).length));
        let count = 0;
        for (let step = 0; step < depth; step += 1)
          for (const kind of kinds)
            count += stepsOf(kind, act.name)[step]?.(act.items[kind.group], act.at) ?? 0;
        db.afterCommit(this.#ports.onDone);
        return count;
      });
    const subject = `${act.name} ${act.at}`;
    db.transaction(() => {
      for (const { group } of kinds)
        db.run('INSERT OR IGNORE INTO forget_items SELECT @act, 0, @group, value FROM json_each(@ids)', {
          act: subject,
          group,
          ids: JSON.stringify(act.items[group]),
        });
      jobs.enqueue(FORGET_ITEMS, subject);
    });
    const waiting = this.#waiting.get(subject) ?? Promise.withResolvers<number>();
    this.#waiting.set(subject, waiting);
    return waiting.promise;
  }

  job(): JobKind {
    return { kind: FORGET_ITEMS, leaseMs: LEASE_MS, handler: (run) => this.#run(run) };
  }

  async #run(run: JobRun): Promise<void> {
    const { subject } = run;
    const waiting = this.#waiting.get(subject);
    try {
      const count = await this.#workOff(run);
      waiting?.resolve(count);
    } catch (error) {
      waiting?.reject(run.signal.aborted ? new AppError('OWNER_UNREACHABLE', {}, { cause: error }) : error);
      throw error;
    } finally {
      this.#waiting.delete(subject);
    }
  }

  /** Each portion is one commit with what is left to do, so that it is done once wherever it is interrupted. */
  async #workOff({ subject, signal, commit }: JobRun): Promise<number> {
    const { db, erase, onDone } = this.#ports;
    const { name, at } = readSubject(subject);
    let count = 0;
    for (let due = this.#next(subject); due !== null; due = this.#next(subject)) {
      const { kind, step } = due;
      const steps = stepsOf(kind, name);
      const work = steps[step];
      for (const ids of portions(due.ids, kind.together?.(due.ids))) {
        db.transaction(() => {
          count += work?.(ids, at) ?? 0;
          const place = { act: subject, step, group: kind.group, ids: JSON.stringify(ids) };
          const those =
            'act = @act AND step = @step AND kind = @group AND id IN (SELECT value FROM json_each(@ids))';
          if (step + 1 < steps.length)
            db.run(`UPDATE forget_items SET step = step + 1 WHERE ${those}`, place);
          else db.run(`DELETE FROM forget_items WHERE ${those}`, place);
        });
        await nextTurn();
        signal.throwIfAborted();
      }
    }
    // What is erased must have been seen as forgotten: copies of the database are compared with the list of deletions.
    onDone();
    commit(() => {
      if (name !== 'erase') return;
      erase(at);
      db.afterCommit(onDone);
    });
    return count;
  }

  /** All that is to be done next to one kind of item: the earliest step first, kind after kind. */
  #next(act: string): { kind: Forgettable; step: number; ids: string[] } | null {
    const { db, kinds } = this.#ports;
    const step = db.get<{ step: number | null }>(
      'SELECT min(step) AS step FROM forget_items WHERE act = ?',
      act,
    )?.step;
    if (step === undefined || step === null) return null;
    for (const kind of kinds) {
      const ids = db
        .all<{ id: string }>(
          'SELECT id FROM forget_items WHERE act = ? AND step = ? AND kind = ?',
          act,
          step,
          kind.group,
        )
        .map(({ id }) => id);
      if (ids.length > 0) return { kind, step, ids };
    }
    return null;
  }
}

function readSubject(subject: string): { name: ActName; at: number } {
  const [name, at] = subject.split(' ');
  return { name: name as ActName, at: Number(at) };
}

function stepsOf(kind: Forgettable, name: ActName): readonly Step[] {
  if (name === 'restore') return kind.restore;
  if (name === 'bring-back') return kind.bringBack ?? [];
  return [(ids, at) => kind.forget(ids, at)];
}

/** Ids in portions of at most `PORTION`, or more where so many go `together`, by the key that they share: these are not divided. */
function portions(ids: readonly string[], together: (id: string) => string = (id) => id): string[][] {
  const made: string[][] = [];
  for (const some of Map.groupBy(ids, together).values()) {
    const last = made.at(-1);
    if (last && last.length + some.length <= PORTION) last.push(...some);
    else made.push(some);
  }
  return made;
}
