import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { items, type Kind } from '../items/index.ts';
import type { JobKind } from '../jobs/jobKind.ts';
import { mergeDeadTerms } from '../search/lexical/fullTextRepair.ts';
import type { Db } from '../storage/database.ts';
import { eraseMentions } from '../storage/mentions.ts';
import type { Deletable } from '../storage/recentlyDeleted.ts';

export interface RemainsPorts {
  db: Db;
  vectors: {
    /** Leaves nothing of removed items in the files of vectors. */
    eraseRemoved(): Promise<void>;
  };
}

/** The items whose full text and mentions erased rows leave behind. */
const ITEMS: Readonly<Record<Deletable, readonly Kind[]>> = {
  conversations: ['turn', 'summary', 'attachment'],
  facts: ['fact'],
  vaults: ['note'],
};

/** How long somebody who reads may keep the log from being emptied, at a time. A search takes a tenth of that. */
const READING_MS = 50;
/** Vectors may have to wait until a first index is built. */
const LEASE_MS = 6 * 3_600_000;

/** The kind of job that erases what erased rows leave behind. */
export const remainsOf = (what: Deletable): string => `erase-remains-${what}`;

/**
 * Jobs that erase, after rows were erased, every byte that is left of them: terms that the full text keeps until it is merged, quotations in
 * blocks and traces, vectors in LanceDB's files, the unused parts of SQLite's pages, and the log. They work some rows or pages at a
 * time, so that a conversation goes on meanwhile, and can be interrupted anywhere: what is left follows from what is stored.
 */
export function remainsJobs({ db, vectors }: RemainsPorts): JobKind[] {
  return (Object.keys(ITEMS) as Deletable[]).map((what) => ({
    kind: remainsOf(what),
    leaseMs: LEASE_MS,
    handler: async ({ signal }) => {
      for (const kind of ITEMS[what]) {
        await takeTurns(mergeDeadTerms(db, kind), signal);
        await takeTurns(eraseMentions(db, { kind, isErased: items[kind].isErased }), signal);
      }
      await vectors.eraseRemoved();
      await eraseUnused(db, signal);
    },
  }));
}

async function takeTurns(steps: Iterable<void>, signal: AbortSignal): Promise<void> {
  for (const _ of steps) {
    await nextTurn();
    signal.throwIfAborted();
  }
}

async function eraseUnused(db: Db, signal: AbortSignal): Promise<void> {
  let page: number | null = 0;
  while (page !== null) {
    const next: number | null | 'busy' = db.zeroUnused(page);
    if (next === 'busy') await sleep(READING_MS);
    else {
      page = next;
      await nextTurn();
    }
    signal.throwIfAborted();
  }
}
