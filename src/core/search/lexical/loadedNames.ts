import type { NoteId } from '../../../shared/ids.ts';
import type { Db } from '../../storage/database.ts';
import { NameIndex } from './nameIndex.ts';

/** Notes whose names are read at once: some milliseconds, after which a question has its turn. */
const NOTES_AT_ONCE = 1_000;

/** The index of the names of notes, as the database has them. */
export class LoadedNames {
  readonly #db: Db;
  readonly #index = new NameIndex();
  #after: string | null = '';

  constructor(db: Db) {
    this.#db = db;
  }

  /** Null until all names were read. */
  get index(): NameIndex | null {
    return this.#after === null ? this.#index : null;
  }

  /**
   * Reads some more names. To be called until it returns true: all were read.
   * @throws AppError DATABASE_DAMAGED, DATA_CLOSED
   */
  load(): boolean {
    if (this.#after === null) return true;
    const notes = this.#db.all<{ id: NoteId }>(
      'SELECT id FROM notes WHERE id > ? ORDER BY id LIMIT ?',
      this.#after,
      NOTES_AT_ONCE,
    );
    this.#read(notes.map(({ id }) => id));
    this.#after = notes.length === NOTES_AT_ONCE ? (notes.at(-1)?.id ?? null) : null;
    return this.#after === null;
  }

  /**
   * Takes over the names that the notes of some passages have now.
   * @throws AppError DATABASE_DAMAGED, DATA_CLOSED
   */
  update(passages: readonly number[]): void {
    const notes = this.#db.all<{ id: NoteId }>(
      'SELECT DISTINCT note_id AS id FROM chunks WHERE rowid IN (SELECT value FROM json_each(?))',
      JSON.stringify(passages),
    );
    this.#read(notes.map(({ id }) => id));
  }

  #read(ids: readonly NoteId[]): void {
    const rows = this.#db.all<{ note_id: NoteId; name: string }>(
      // CROSS JOIN keeps this order: a seek for each note.
      `SELECT j.note_id, j.name FROM json_each(?) w CROSS JOIN note_names j ON j.note_id = w.value
       ORDER BY j.note_id, j.name`,
      JSON.stringify(ids),
    );
    for (const [id, own] of Map.groupBy(rows, (row) => row.note_id)) {
      this.#index.put(
        id,
        own.map(({ name }) => name),
      );
    }
  }
}
