import type { KnownRow, RowKeys } from '../../items/item.ts';

/** A turn, and one that stands before or after it on the active path of its conversation. */
export interface TurnBeside {
  rowid: number;
  /** The other one. */
  beside: number;
  /** How many turns apart they are: 1 or 2. */
  distance: number;
}

/** How far turns stand beside one another. */
const MOST_APART = 2;

/** The keys of the rows of one kind, in memory: also of rows that are not in use. */
export class KnownRows {
  readonly #keys = new Map<number, RowKeys & { ordinal?: number }>();
  readonly #rowids = new Map<string, number>();
  /** By conversation, the row ids of its turns in their order; there are holes. */
  readonly #paths = new Map<string, (number | undefined)[]>();

  /** Adds a row, or takes what its keys are now in the place of what they were. */
  put(row: KnownRow): void {
    this.remove(row.rowid);
    const { rowid, id, conversationId, ordinal } = row;
    this.#keys.set(rowid, row);
    this.#rowids.set(id, rowid);
    if (conversationId === undefined || ordinal === undefined) return;
    const path = this.#paths.get(conversationId);
    if (path) path[ordinal] = rowid;
    else {
      const begun: (number | undefined)[] = [];
      begun[ordinal] = rowid;
      this.#paths.set(conversationId, begun);
    }
  }

  /** Takes a row out, if it is there. */
  remove(rowid: number): void {
    const row = this.#keys.get(rowid);
    if (!row) return;
    this.#keys.delete(rowid);
    this.#rowids.delete(row.id);
    const path = this.#pathOf(row);
    // Another turn may stand there by now.
    if (path?.[row.ordinal as number] === rowid) path[row.ordinal as number] = undefined;
  }

  get(rowid: number): RowKeys | undefined {
    return this.#keys.get(rowid);
  }

  /** The row id of an item. */
  rowid(id: string): number | undefined {
    return this.#rowids.get(id);
  }

  /** Up to two turns on either side of each of some turns; the row `except` is none of them. */
  beside(rowids: readonly number[], except: number | undefined): TurnBeside[] {
    const found: TurnBeside[] = [];
    for (const rowid of rowids) {
      const row = this.#keys.get(rowid);
      const path = row && this.#pathOf(row);
      if (!path) continue;
      const ordinal = row.ordinal as number;
      for (let distance = 1; distance <= MOST_APART; distance += 1) {
        for (const beside of [path[ordinal - distance], path[ordinal + distance]])
          if (beside !== undefined && beside !== except) found.push({ rowid, beside, distance });
      }
    }
    return found;
  }

  #pathOf({
    conversationId,
    ordinal,
  }: Pick<KnownRow, 'conversationId' | 'ordinal'>): (number | undefined)[] | undefined {
    return conversationId === undefined || ordinal === undefined
      ? undefined
      : this.#paths.get(conversationId);
  }
}
