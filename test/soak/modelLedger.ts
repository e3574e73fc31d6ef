import type { ModelState } from './worldModel.ts';

interface Entry {
  /** When it was deleted, in milliseconds since 1970. */
  at: number;
  /** Grows from one look at the model to the next. */
  number: number;
}

/** What was deleted and is not in use again: an old copy that is restored does not bring it back. */
export class ModelLedger {
  /** The number of the last look. */
  number = 0;
  readonly #entries = new Map<string, Entry>();

  /** Takes note of what was deleted, or came back, since the last look. */
  look(state: ModelState): void {
    this.number += 1;
    for (const { key, at } of deletable(state)) {
      if (at === null) this.#entries.delete(key);
      else if (!this.#entries.has(key)) this.#entries.set(key, { at, number: this.number });
    }
  }

  /** Deletes in a copy what was deleted since it was made, at the look of this number. */
  apply(copy: ModelState, number: number): void {
    for (const { key, at, remove } of deletable(copy)) {
      const entry = this.#entries.get(key);
      if (at === null && entry && entry.number > number) remove(entry.at);
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}

/** Everything that can be deleted and brought back. */
function deletable({ conversations, facts, vaults }: ModelState) {
  return [
    ...facts.map((fact) => ({
      key: `fact ${fact.id}`,
      at: fact.forgottenAt,
      remove: (at: number) => {
        fact.forgottenAt = at;
      },
    })),
    ...[...conversations, ...vaults].map((row) => ({
      key: `row ${row.id}`,
      at: row.removedAt,
      remove: (at: number) => {
        row.removedAt = at;
      },
    })),
  ];
}
