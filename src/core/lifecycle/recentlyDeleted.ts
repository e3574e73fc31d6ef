import type { Deleted, DeletedItem } from '../../shared/contract/data.ts';
import type { Settings } from '../../shared/settings.ts';
import type { JobKind, JobRun } from '../jobs/jobKind.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { ConversationStore } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import type { FactStore } from '../storage/facts.ts';
import { eraseTitles } from '../storage/forgottenTurns.ts';
import {
  DELETABLE,
  type Deletable,
  listDeleted,
  oldestDeletion,
  setDeletedAt,
} from '../storage/recentlyDeleted.ts';
import type { Clock } from '../support/clock.ts';
import type { Vaults } from '../vaults/registry.ts';
import { remainsOf } from './eraseRemains.ts';

const DAY_MS = 86_400_000;
/** Of rows that are to be erased now, whatever the setting. */
const LONG_AGO = -1;

export interface RecentlyDeletedPorts {
  db: Db;
  clock: Clock;
  jobs: Jobs;
  settings(): Settings;
  conversations: ConversationStore;
  factStore: FactStore;
  vaults: Vaults;
}

const purgeOf = (what: Deletable): string => `purge-${what}`;

/** What was deleted or forgotten: out of use at once, kept for a while, then erased. */
export class RecentlyDeleted {
  readonly #ports: RecentlyDeletedPorts;

  constructor(ports: RecentlyDeletedPorts) {
    this.#ports = ports;
  }

  /** The latest first. */
  list(): Deleted[] {
    const keptMs = this.#keptMs();
    return DELETABLE.flatMap((what) =>
      listDeleted(this.#ports.db, what).map(({ id, name, deletedAt }) => ({
        what,
        id,
        name,
        deletedAt,
        eraseAt: deletedAt + keptMs,
      })),
    ).sort((one, other) => other.deletedAt - one.deletedAt);
  }

  /** Are rows or bytes of what was erased still being removed? */
  get isErasing(): boolean {
    const { jobs, db, clock } = this.#ports;
    return DELETABLE.some(
      (what) =>
        jobs.has(remainsOf(what), '') ||
        (oldestDeletion(db, what) ?? Number.POSITIVE_INFINITY) < clock.now() - this.#keptMs(),
    );
  }

  /**
   * Erases deleted items now. What is not deleted stays.
   * @param titlesAt when titles were replaced that are erased too
   */
  erase(items: readonly DeletedItem[], titlesAt?: number): void {
    const { db, jobs } = this.#ports;
    const byKind = Map.groupBy(items, ({ what }) => what);
    db.transaction(() => {
      for (const [what, some] of byKind) {
        setDeletedAt(
          db,
          what,
          some.map(({ id }) => id),
          LONG_AGO,
        );
        if (what === 'vaults') jobs.enqueue(purgeOf(what), '');
        else this.#eraseRows(what, 0);
      }
      if (titlesAt !== undefined && eraseTitles(db, { from: titlesAt, to: titlesAt }))
        jobs.enqueue(remainsOf('conversations'), '');
    });
  }

  /**
   * Jobs that erase deleted rows once they can no longer be restored: one per kind, so that a failure in one does not stop the others.
   */
  jobs(): JobKind[] {
    const { db, clock } = this.#ports;
    return DELETABLE.map((what) => ({
      kind: purgeOf(what),
      schedule: () => {
        const oldest = oldestDeletion(db, what);
        // Rows deleted exactly that long ago can still be restored.
        return oldest === null ? null : oldest + this.#keptMs() + 1;
      },
      handler: (run) => this.#purge(what, run, clock.now() - this.#keptMs()),
    }));
  }

  async #purge(what: Deletable, { commit, signal }: JobRun, before: number): Promise<void> {
    // A vault may have a hundred thousand notes, too many for one transaction.
    if (what === 'vaults') await this.#ports.vaults.purgeRemoved(before, signal);
    commit(() => this.#eraseRows(what, before));
  }

  /** Erases the rows that were deleted before a time, in the caller's transaction, and has erased what they leave behind. */
  #eraseRows(what: Deletable, before: number): void {
    const { db, conversations, factStore, jobs } = this.#ports;
    if (what === 'conversations') {
      const hadTitles = eraseTitles(db, { from: 0, to: before - 1 });
      if (conversations.purgeRemoved(before) === 0 && !hadTitles) return;
    }
    if (what === 'facts' && factStore.purgeForgotten(before) === 0) return;
    jobs.enqueue(remainsOf(what), '');
  }

  #keptMs(): number {
    return this.#ports.settings().keepDeletedDays * DAY_MS;
  }
}
