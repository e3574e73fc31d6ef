import type { JobKind, JobRun } from '../jobs/jobKind.ts';
import type { ConversationStore } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import type { FactStore } from '../storage/facts.ts';
import { type Deletable, oldestDeletion } from '../storage/recentlyDeleted.ts';
import type { Clock } from '../support/clock.ts';
import type { Vaults } from '../vaults/registry.ts';

/** What was deleted can be brought back for this long. */
const UNDO_MS = 10 * 60_000;

export interface PurgePorts {
  db: Db;
  clock: Clock;
  conversations: ConversationStore;
  factStore: FactStore;
  vaults: Vaults;
  /** Rows of a kind were erased for good. */
  onPurged(what: Deletable): void;
}

/** Jobs that erase what was deleted once it can no longer be brought back: one kind each, so that one that fails stops no other. */
export function purgeJobs(ports: PurgePorts): JobKind[] {
  const { db, clock, onPurged } = ports;
  const erase: Readonly<Record<Deletable, (run: JobRun, before: number) => void | Promise<void>>> = {
    conversations: ({ commit }, before) => commit(() => ports.conversations.purgeRemoved(before)),
    facts: ({ commit }, before) => commit(() => ports.factStore.purgeForgotten(before)),
    // A vault may have a hundred thousand notes, too many for one transaction.
    vaults: ({ signal }, before) => ports.vaults.purgeRemoved(before, signal),
  };
  return (Object.keys(erase) as Deletable[]).map((what) => ({
    kind: `purge-${what}`,
    schedule: () => {
      const oldest = oldestDeletion(db, what);
      // What was deleted exactly that long ago can still be brought back.
      return oldest === null ? null : oldest + UNDO_MS + 1;
    },
    handler: async (run) => {
      await erase[what](run, clock.now() - UNDO_MS);
      onPurged(what);
    },
  }));
}
