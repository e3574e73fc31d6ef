import type { FactKind } from '../../shared/contract/facts.ts';
import type { FactId } from '../../shared/ids.ts';
import type { Db } from './database.ts';
import { factInUse } from './factRows.ts';

/** A fact in use, with what the facts note says of it if that is still to be settled. */
export interface LinedFact {
  id: FactId;
  kind: FactKind;
  content: string;
  conflict: string | null;
}

/** The names of row sums are parted by spaces, and an imported fact may have any id. */
const withoutSpaces = (id: string): string => id.replaceAll('%', '%25').replaceAll(' ', '%20');
const withSpaces = (id: string): string => id.replaceAll('%20', ' ').replaceAll('%25', '%');

/** How facts stand in the note that Souvenir writes. */
export class FactLines {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Facts in use, the oldest first. */
  inUse(now: number): LinedFact[] {
    return this.#db.all<LinedFact>(
      `SELECT f.id, f.kind, f.content, c.content AS conflict FROM facts f LEFT JOIN fact_conflicts c ON c.fact_id = f.id
       WHERE ${factInUse('f')} ORDER BY f.created_at, f.rowid`,
      { now },
    );
  }

  /** Everything that a fact says and said; undefined if there is no such fact. */
  wordingsOf(id: FactId): string[] | undefined {
    const row = this.#db.get<{ content: string }>('SELECT content FROM facts WHERE id = ?', id);
    if (!row) return undefined;
    const earlier = this.#db.all<{ content: string }>(
      'SELECT content FROM fact_revisions WHERE fact_id = ?',
      id,
    );
    return [row, ...earlier].map(({ content }) => content);
  }

  /** Hashes of the lines of a note, by what they are lines of. */
  agreed(note: string): Map<string, string> {
    const rows = this.#db.all<{ id: string; hash: string }>(
      'SELECT fact_id AS id, hash FROM fact_lines WHERE note = ?',
      note,
    );
    return new Map(rows.map(({ id, hash }) => [withSpaces(id), hash]));
  }

  /**
   * Records how the lines of a note stand. Those of any other note are forgotten: there is one at a time.
   * @param before how they stood, as `agreed` said: only what differs is written
   */
  agree(note: string, lines: ReadonlyMap<string, string>, before: ReadonlyMap<string, string>): void {
    this.#db.transaction(() => {
      this.#db.run('DELETE FROM fact_lines WHERE note <> ?', note);
      for (const id of before.keys())
        if (!lines.has(id))
          this.#db.run('DELETE FROM fact_lines WHERE note = ? AND fact_id = ?', note, withoutSpaces(id));
      for (const [id, hash] of lines)
        if (before.get(id) !== hash)
          this.#db.run(
            'INSERT OR REPLACE INTO fact_lines (note, fact_id, hash) VALUES (?, ?, ?)',
            note,
            withoutSpaces(id),
            hash,
          );
    });
  }

  /** The facts that both sides changed, the latest first. */
  conflicts(now: number): { id: FactId; content: string; at: number }[] {
    return this.#db.all(
      `SELECT c.fact_id AS id, c.content, c.at FROM fact_conflicts c JOIN facts f ON f.id = c.fact_id
       WHERE ${factInUse('f')} ORDER BY c.at DESC, c.fact_id`,
      { now },
    );
  }

  conflictOf(id: FactId): string | undefined {
    return this.#db.get<{ content: string }>('SELECT content FROM fact_conflicts WHERE fact_id = ?', id)
      ?.content;
  }

  setConflict(id: FactId, content: string, at: number): void {
    this.#db.run(
      'INSERT OR REPLACE INTO fact_conflicts (fact_id, content, at) VALUES (?, ?, ?)',
      id,
      content,
      at,
    );
  }

  removeConflict(id: FactId): void {
    this.#db.run('DELETE FROM fact_conflicts WHERE fact_id = ?', id);
  }
}
