import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Deleted, DeletedItem } from '../../shared/contract/data.ts';
import type { Settings } from '../../shared/settings.ts';
import type { JobKind, JobRun } from '../jobs/jobKind.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { ConversationStore } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import type { FactStore } from '../storage/facts.ts';
import { eraseForgottenSummaries } from '../storage/forgottenSummaries.ts';
import { eraseTitles } from '../storage/forgottenTurns.ts';
import {
  DELETABLE,
  type Deletable,
  deletedAt,
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
/** Rows that are erased at once, and in one portion of more; a conversation, with its turns, is never divided. */
const AT_ONCE = 500;
const PORTION = 100;

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
      listDeleted(this.#ports.db, what).map((row) => ({
        what,
        ...row,
        eraseAt: row.deletedAt + keptMs,
      })),
    ).sort((one, other) => other.deletedAt - one.deletedAt);
  }

  /** What was deleted at this time or later can be restored, in milliseconds since 1970. */
  get restorableSince(): number {
    return this.#ports.clock.now() - this.#keptMs();
  }

  /** Are rows or bytes of what was erased still being removed? */
  get isErasing(): boolean {
    const { jobs, db } = this.#ports;
    return DELETABLE.some(
      (what) =>
        jobs.has(remainsOf(what), '') ||
        (oldestDeletion(db, what) ?? Number.POSITIVE_INFINITY) < this.restorableSince,
    );
  }

  /** Erases deleted items now, many of them in the background. What is not deleted stays. */
  erase(items: readonly DeletedItem[]): void {
    const byKind = Map.groupBy(items, ({ what }) => what);
    this.#ports.db.transaction(() => {
      for (const [what, some] of byKind)
        this.#eraseNow(
          what,
          some.map(({ id }) => id),
        );
    });
  }

  /** Erases what was forgotten at a moment, titles and summaries included, in the caller's transaction. */
  eraseForgotten(at: number): void {
    const { db, jobs } = this.#ports;
    for (const what of ['conversations', 'facts'] as const) this.#eraseNow(what, deletedAt(db, what, at));
    if (eraseReplaced(db, { from: at, to: at })) jobs.enqueue(remainsOf('conversations'), '');
  }

  /** From this commit on they cannot be restored, whatever becomes of it. */
  #eraseNow(what: Deletable, ids: readonly string[]): void {
    const { db, jobs } = this.#ports;
    setDeletedAt(db, what, ids, LONG_AGO);
    if (what === 'vaults' || ids.length > AT_ONCE) jobs.enqueue(purgeOf(what), '');
    else this.#eraseRows(what, { before: 0 });
  }

  /**
   * Jobs that erase deleted rows once they can no longer be restored: one per kind, so that a failure in one does not stop the others.
   */
  jobs(): JobKind[] {
    const { db } = this.#ports;
    return DELETABLE.map((what) => ({
      kind: purgeOf(what),
      schedule: () => {
        const oldest = oldestDeletion(db, what);
        // Rows deleted exactly that long ago can still be restored.
        return oldest === null ? null : oldest + this.#keptMs() + 1;
      },
      handler: (run) => this.#purge(what, run, this.restorableSince),
    }));
  }

  async #purge(what: Deletable, { commit, signal }: JobRun, before: number): Promise<void> {
    const { db, jobs, vaults } = this.#ports;
    // A vault may have a hundred thousand notes, too many for one transaction.
    if (what === 'vaults') {
      await vaults.purgeRemoved(before, signal);
      commit(() => jobs.enqueue(remainsOf(what), ''));
      return;
    }
    while (db.transaction(() => this.#eraseRows(what, { before, most: PORTION }))) {
      await nextTurn();
      signal.throwIfAborted();
    }
  }

  /**
   * Erases rows that were deleted before a time, `most` at once, in the caller's transaction, and has erased what they leave behind.
   * @returns whether there were any
   */
  #eraseRows(what: Deletable, { before, most }: { before: number; most?: number }): boolean {
    const { db, conversations, factStore, jobs } = this.#ports;
    let erased = 0;
    if (what === 'conversations') {
      const hadReplaced = eraseReplaced(db, { from: 0, to: before - 1 });
      erased = conversations.purgeRemoved(before, most) + (hadReplaced ? 1 : 0);
    } else if (what === 'facts') erased = factStore.purgeForgotten(before, most);
    if (erased > 0) jobs.enqueue(remainsOf(what), '');
    return erased > 0;
  }

  #keptMs(): number {
    return this.#ports.settings().keepDeletedDays * DAY_MS;
  }
}

/** Erases titles and summaries that were replaced in a stretch of time, both ends included. @returns whether there were any */
function eraseReplaced(db: Db, range: { from: number; to: number }): boolean {
  const hadTitles = eraseTitles(db, range);
  return eraseForgottenSummaries(db, range) || hadTitles;
}
