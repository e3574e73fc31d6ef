import { takeTurn } from './modelTurns.ts';
import {
  ERASED,
  type ModelConversation,
  type ModelFact,
  type ModelState,
  type ModelTurn,
  type ModelVault,
  UNDO_MS,
} from './worldModel.ts';

interface Entry {
  /** When it was deleted, in milliseconds since 1970. */
  at: number;
  /** Grows from one look at the model to the next. */
  number: number;
  isErased: boolean;
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
      else {
        const known = this.#entries.get(key);
        // What is deleted again, later, is kept from then on.
        if (known && (known.isErased || at <= known.at)) continue;
        this.#entries.set(key, { at, number: this.number, isErased: false });
      }
    }
  }

  /** Takes note of what is erased for good: no copy brings it back, not even to be restored. */
  erase(what: ModelFact | ModelConversation): void {
    const turns = 'origin' in what ? what.turns : [];
    for (const key of [keyOf(what), ...turns.map(keyOf)]) {
      const number = this.#entries.get(key)?.number ?? this.number;
      this.#entries.set(key, { at: ERASED, number, isErased: true });
    }
  }

  /** Deletes in a copy what was deleted since it was made, at the look of this number, and what was erased or could not come back by now. */
  apply(copy: ModelState, number: number, now: number): void {
    const rows = deletable(copy).flatMap((row) => {
      const entry = this.#entries.get(row.key);
      const isGone = entry && (entry.isErased || ((row.at ?? 0) < entry.at && entry.number > number));
      return isGone ? [{ ...row, entry }] : [];
    });
    // What was deleted first goes first: of a conversation whose turns were forgotten one by one, the last one stays in it.
    rows.sort(
      (one, other) => Number(one.isTurn) - Number(other.isTurn) || one.entry.number - other.entry.number,
    );
    for (const { remove, entry } of rows) remove(entry.at < now - UNDO_MS ? ERASED : entry.at);
  }

  clear(): void {
    this.#entries.clear();
  }
}

/** Everything that can be deleted and brought back. */
function deletable(state: ModelState) {
  const { conversations, facts, vaults } = state;
  return [
    ...facts.map((fact) => ({
      key: keyOf(fact),
      isTurn: false,
      at: fact.forgottenAt,
      remove: (at: number) => {
        fact.forgottenAt = at;
      },
    })),
    ...[...conversations, ...vaults].map((row) => ({
      key: keyOf(row),
      isTurn: false,
      at: row.removedAt,
      remove: (at: number) => {
        row.removedAt = at;
      },
    })),
    ...conversations.flatMap((conversation) =>
      conversation.turns.map((turn) => ({
        key: keyOf(turn),
        isTurn: true,
        at: conversation.origin === undefined ? null : conversation.removedAt,
        remove: (at: number) => {
          if (conversation.origin !== undefined) conversation.removedAt = at;
          else takeTurn(state, { turn, from: conversation, at });
        },
      })),
    ),
  ];
}

const keyOf = ({ id }: ModelFact | ModelConversation | ModelTurn | ModelVault): string => `row ${id}`;
