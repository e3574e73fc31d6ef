import type { JobKind, JobRun } from '../jobs/jobKind.ts';
import type { ConversationStore } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import type { FactStore } from '../storage/facts.ts';
import { type Deletable, oldestDeletion } from '../storage/recentlyDeleted.ts';
import type { Clock } from '../support/clock.ts';
import type { Vaults } from '../vaults/registry.ts';

/** How long deleted rows can be restored. */
const UNDO_MS = 10 * 60_000;

export interface PurgePorts {
  db: Db;
  clock: Clock;
  conversations: ConversationStore;
  factStore: FactStore;
  vaults: Vaults;
  /** Called when rows of a kind were erased permanently. */
  onPurged(what: Deletable): void;
}

/**
 * Jobs that erase deleted rows once they can no longer be restored: one per kind, so that a failure in one does not stop the
 * others.
 */
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
      // Rows deleted exactly that long ago can still be restored.
      return oldest === null ? null : oldest + UNDO_MS + 1;
    },
    handler: async (run) => {
      await erase[what](run, clock.now() - UNDO_MS);
      onPurged(what);
    },
  }));
}
