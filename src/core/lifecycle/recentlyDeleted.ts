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
  /** Has what erased rows leave behind erased, in the transaction that erases them. */
  eraseRemains(what: Deletable): void;
}

/**
 * Jobs that erase deleted rows once they can no longer be restored: one per kind, so that a failure in one does not stop the
 * others.
 */
export function purgeJobs(ports: PurgePorts): JobKind[] {
  const { db, clock, eraseRemains } = ports;
  const erase: Readonly<Record<Deletable, (run: JobRun, before: number) => void | Promise<void>>> = {
    conversations: ({ commit }, before) =>
      commit(() => {
        if (ports.conversations.purgeRemoved(before) > 0) eraseRemains('conversations');
      }),
    facts: ({ commit }, before) =>
      commit(() => {
        if (ports.factStore.purgeForgotten(before) > 0) eraseRemains('facts');
      }),
    // A vault may have a hundred thousand notes, too many for one transaction.
    vaults: async ({ signal, commit }, before) => {
      await ports.vaults.purgeRemoved(before, signal);
      commit(() => eraseRemains('vaults'));
    },
  };
  return (Object.keys(erase) as Deletable[]).map((what) => ({
    kind: `purge-${what}`,
    schedule: () => {
      const oldest = oldestDeletion(db, what);
      // Rows deleted exactly that long ago can still be restored.
      return oldest === null ? null : oldest + UNDO_MS + 1;
    },
    handler: (run) => erase[what](run, clock.now() - UNDO_MS),
  }));
}
