import { detached } from '../../support/text/detached.ts';
import { type NearSpelling, Spellings } from './spellings.ts';

/** Gives every term a number, from 0 on, which all indexes of a database share. A term keeps its number for as long as the process runs. */
export class Terms {
  readonly #ids = new Map<string, number>();
  readonly #spellings = new Spellings();

  /** How many terms have a number. */
  get size(): number {
    return this.#ids.size;
  }

  /** The number of a term; undefined if no index has held it. */
  find(term: string): number | undefined {
    return this.#ids.get(term);
  }

  /** The number of a term, which is given one if it has none. */
  idOf(term: string): number {
    const known = this.#ids.get(term);
    if (known !== undefined) return known;
    const id = this.#ids.size;
    const kept = detached(term);
    this.#ids.set(kept, id);
    this.#spellings.add(kept);
    return id;
  }

  /** The term of a number that was given. */
  at(id: number): string {
    return this.#spellings.at(id);
  }

  /** Terms that `most` edits or fewer make of this one; some may be in no row any more. */
  spelledLike(term: string, most: number): NearSpelling[] {
    return this.#spellings.near(term, most);
  }

  /** Terms that begin with this one; some may be in no row any more. */
  beginningWith(term: string): string[] {
    return this.#spellings.beginningWith(term);
  }
}
