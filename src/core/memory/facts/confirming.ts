import type { Fact } from '../../../shared/contract/facts.ts';
import { AppError } from '../../../shared/errors.ts';
import type { FactId } from '../../../shared/ids.ts';
import type { Db } from '../../storage/database.ts';
import type { FactStore } from '../../storage/facts.ts';
import { type RowChange, RowJournal } from '../../storage/rowJournal.ts';
import { newId } from '../../support/ids.ts';
import type { Facts } from './facts.ts';

/** What confirming may change, with what changes by use alone. The lines of the facts note follow from the facts. */
const TABLES = {
  facts: ['use_count', 'last_used_at', 'retired_at'],
  fact_revisions: [],
  fact_edges: [],
  fact_people: [],
  fact_sayings: [],
  fact_drift: [],
  fact_conflicts: [],
  fact_merges: [],
  fact_reviews: [],
  tombstones: [],
} as const;

/** Acts that can be undone: a notice offers it for a while, and after a restart no longer. */
const MOST_KEPT = 100;

interface Act {
  ids: readonly FactId[];
  changes: readonly RowChange[];
}

/** Makes pending facts current, which may reword, replace or drop others, and takes exactly that back. */
export class Confirming {
  readonly #facts: Facts;
  readonly #store: FactStore;
  readonly #journal: RowJournal;
  readonly #acts = new Map<string, Act>();

  constructor(db: Db, facts: Facts, store: FactStore) {
    this.#facts = facts;
    this.#store = store;
    this.#journal = new RowJournal(db, TABLES);
  }

  /** As `Facts.confirm`. @returns what says each of them afterwards, and what `undo` takes */
  confirm(ids: readonly FactId[]): { facts: Fact[]; undo: string } {
    const { result, changes } = this.#journal.record(() => this.#facts.confirm(ids));
    const undo = newId('undo');
    this.#acts.set(undo, { ids, changes });
    const [oldest] = this.#acts.keys();
    if (oldest !== undefined && this.#acts.size > MOST_KEPT) this.#acts.delete(oldest);
    return { facts: result, undo };
  }

  /**
   * Has the facts wait for the user's word again, and all else as it was.
   * @throws AppError FACT_CHANGED if one of those concerned has changed since, or Souvenir was restarted; nothing is done then
   */
  undo(act: string): Fact[] {
    const found = this.#acts.get(act);
    return this.#store.inTransaction(() => {
      if (!found || !this.#journal.takeBack(found.changes)) throw new AppError('FACT_CHANGED');
      const touched = found.changes.flatMap(({ table, before, after }) =>
        table === 'facts' ? [(JSON.parse(after ?? before ?? '[]') as FactId[])[0]] : [],
      );
      for (const id of new Set(touched)) if (id !== undefined) this.#store.writeTerms(id);
      this.#acts.delete(act);
      return this.#facts.getAll(found.ids);
    });
  }
}
