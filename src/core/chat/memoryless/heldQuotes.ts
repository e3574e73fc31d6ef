import { quotedHashes } from '../../items/index.ts';
import type { BlockItem } from '../../storage/contextBlocks.ts';
import type { Db } from '../../storage/database.ts';

/** Items that were quoted, each with the hash of what it said then. */
export class HeldQuotes {
  readonly #items: readonly BlockItem[];
  readonly #hashes: readonly (string | null)[];

  /** @param now milliseconds since 1970, at which the items are in use */
  constructor(db: Db, items: readonly BlockItem[], now: number) {
    this.#items = items;
    this.#hashes = quotedHashes(db, items, now);
  }

  /** Those that still say what they said; the others were edited, deleted or excluded. */
  holding(db: Db, now: number): BlockItem[] {
    const hashes = quotedHashes(db, this.#items, now);
    return this.#items.filter((_, place) => hashes[place] != null && hashes[place] === this.#hashes[place]);
  }

  /** Does one of them no longer say what it said? */
  hasLost(db: Db, now: number): boolean {
    return this.holding(db, now).length < this.#items.length;
  }

  get highestNumber(): number {
    return Math.max(0, ...this.#items.map(({ number }) => number));
  }
}
