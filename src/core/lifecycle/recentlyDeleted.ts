import type { JobKind } from '../jobs/jobKind.ts';
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
  const erase: Readonly<Record<Deletable, (before: number) => void>> = {
    conversations: (before) => ports.conversations.purgeRemoved(before),
    facts: (before) => ports.factStore.purgeForgotten(before),
    vaults: (before) => ports.vaults.purgeRemoved(before),
  };
  return (Object.keys(erase) as Deletable[]).map((what) => ({
    kind: `purge-${what}`,
    schedule: () => {
      const oldest = oldestDeletion(db, what);
      // What was deleted exactly that long ago can still be brought back.
      return oldest === null ? null : oldest + UNDO_MS + 1;
    },
    handler: ({ commit }) => {
      commit(() => erase[what](clock.now() - UNDO_MS));
      onPurged(what);
    },
  }));
}
