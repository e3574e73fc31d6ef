import type { NoteId } from '../../../shared/ids.ts';
import { items } from '../../items/index.ts';
import type { Db } from '../../storage/database.ts';
import { PeopleStore } from '../../storage/people.ts';
import { kinshipOf } from '../../support/text/kinship.ts';
import { tagKey } from '../../support/text/tagKey.ts';
import type { Token } from '../../support/text/tokenise.ts';
import { findNearNames } from '../query/nearNames.ts';
import { notesLike } from '../query/typedName.ts';
import type { NameIndex } from './nameIndex.ts';

export interface NamedNote {
  noteId: NoteId;
  name: string;
  title: string;
}

/** What somebody of the user's own is: what follows a possessive. */
const OWN = /^(?:mon|ma|mes|notre|nos|my|our) (.+)$/;

/** A note that a message names inexactly. */
export interface NearlyNamed {
  noteId: NoteId;
  /** The words of the message. */
  words: string;
  title: string;
}

interface IdRow {
  id: string;
}
const toNoteIds = (rows: readonly IdRow[]): NoteId[] => rows.map(({ id }) => id as NoteId);

/** Finds notes by what they are called, where they lie, what they carry and what they link to. A name is folded words with single spaces. */
export class NoteNames {
  readonly #db: Db;
  readonly #people: PeopleStore;
  readonly #index: () => NameIndex | null;

  /** @param index the names in memory; null while they are being read */
  constructor(db: Db, index: () => NameIndex | null = () => null) {
    this.#db = db;
    this.#people = new PeopleStore(db);
    this.#index = index;
  }

  /** Indexed notes whose title or alias is one of `names`. */
  named(names: readonly string[]): NamedNote[] {
    return this.#db
      .all<{ note_id: string; name: string; title: string }>(
        // CROSS JOIN keeps this order: a seek for each name.
        `SELECT j.note_id, j.name, n.title FROM json_each(?) w CROSS JOIN note_names j ON j.name = w.value
         CROSS JOIN notes n ON n.id = j.note_id CROSS JOIN vaults v ON v.id = n.vault_id
         WHERE n.status = 'indexed' AND v.removed_at IS NULL ORDER BY j.name, n.path`,
        JSON.stringify(names),
      )
      .map((row) => ({ noteId: row.note_id as NoteId, name: row.name, title: row.title }));
  }

  /**
   * Indexed notes that a message names inexactly, and by which words: none while the names are being read.
   * @param within the names that it says as they are; is a word one that nothing holds, so that it may be a slip?
   */
  nearlyNamed(
    text: string,
    within: { exact: ReadonlySet<string>; isUnknown(token: Token): boolean },
  ): NearlyNamed[] {
    const index = this.#index();
    if (!index) return [];
    const found = findNearNames(text, { index, ...within });
    if (found.length === 0) return [];
    // The index may know names that a note had once.
    const current = this.named(found.map(({ name }) => name));
    return found.flatMap(({ noteId, name, words }) =>
      current
        .filter((one) => one.noteId === noteId && one.name === name)
        .map(({ title }): NearlyNamed => ({ noteId, words, title })),
    );
  }

  /** Notes whose names are like what is being typed, best first; null while the names are being read. Some may be gone. */
  like(text: string, limit: number): NoteId[] | null {
    const index = this.#index();
    return index && notesLike(text, index, limit);
  }

  /** For each of `names`, the other names of notes that have it, and the other subjects of facts that are about it. */
  others(names: readonly string[], now: number): { name: string; other: string }[] {
    return this.#db.all<{ name: string; other: string }>(
      `SELECT w.value AS name, o.name AS other FROM json_each(@names) w CROSS JOIN note_names j ON j.name = w.value
         CROSS JOIN note_names o ON o.note_id = j.note_id CROSS JOIN notes n ON n.id = j.note_id
         CROSS JOIN vaults v ON v.id = n.vault_id WHERE o.name <> j.name AND v.removed_at IS NULL
       UNION
       SELECT w.value, o.subject FROM json_each(@names) w CROSS JOIN fact_subjects j ON j.subject = w.value
         CROSS JOIN fact_subjects o ON o.fact_id = j.fact_id CROSS JOIN facts f ON f.id = j.fact_id
         WHERE o.subject <> j.subject AND ${items.fact.inUse('f')}
           AND f.kind IN ('identity', 'relation')
       ORDER BY 1, 2`,
      { names: JSON.stringify(names), now },
    );
  }

  /** For each of `names` that is kin of the user (« mon frère », "my boss"), what the people are called who are known to be that. */
  kin(names: readonly string[]): { name: string; other: string }[] {
    return names.flatMap((name) => {
      const [, own] = OWN.exec(name) ?? [];
      const kinship = own === undefined ? null : kinshipOf(own);
      if (own === undefined || kinship === null) return [];
      const called = this.#people
        .having(['kinship'], kinship)
        .flatMap((person) => this.#people.valuesOf(person, ['name', 'alias']));
      return [...new Set(called)].map((other) => ({ name: own, other }));
    });
  }

  /** The notes that have most links with some notes, in either direction. */
  neighbours(noteIds: readonly NoteId[], limit: number): NoteId[] {
    return toNoteIds(
      this.#db.all<IdRow>(
        // CROSS JOIN keeps this order: seeks for each link, where SQLite would rather look through all notes of a vault.
        `WITH mine AS (SELECT n.id, n.vault_id, n.name_key FROM notes n WHERE n.id IN (SELECT value FROM json_each(@ids))),
              near AS (
                SELECT o.id FROM mine m CROSS JOIN links l ON l.note_id = m.id
                  CROSS JOIN notes o ON o.vault_id = m.vault_id AND o.name_key = l.target_key
                UNION ALL
                SELECT l.note_id FROM mine m CROSS JOIN links l ON l.target_key = m.name_key
                  CROSS JOIN notes o ON o.id = l.note_id AND o.vault_id = m.vault_id)
         SELECT id FROM near WHERE id NOT IN (SELECT id FROM mine) GROUP BY id ORDER BY count(*) DESC, id LIMIT @limit`,
        { ids: JSON.stringify(noteIds), limit },
      ),
    );
  }

  /** Notes that carry a tag, or one below it, the latest changed first. */
  tagged(tag: string, limit: number): NoteId[] {
    const key = tagKey(tag);
    if (key === '') return [];
    // '0' is the character after '/'.
    const carries = "(t.tag = @tag OR (t.tag >= @tag || '/' AND t.tag < @tag || '0'))";
    // In most vaults no note does, which is known at once.
    if (!this.#db.get(`SELECT 1 FROM note_tags t WHERE ${carries} LIMIT 1`, { tag: key })) return [];
    return toNoteIds(
      this.#db.all<IdRow>(
        // CROSS JOIN keeps this order: two seeks by tag.
        `SELECT DISTINCT n.id, n.mtime_ms FROM note_tags t CROSS JOIN notes n ON n.id = t.note_id
         CROSS JOIN vaults v ON v.id = n.vault_id
         WHERE ${carries} AND n.status = 'indexed' AND v.removed_at IS NULL
         ORDER BY n.mtime_ms DESC, n.id LIMIT @limit`,
        { tag: key, limit },
      ),
    );
  }

  /** Notes by `vault name/path`, or by a path alone. */
  atPaths(paths: readonly string[]): NoteId[] {
    if (paths.length === 0) return [];
    return toNoteIds(
      this.#db.all<IdRow>(
        // CROSS JOIN keeps this order: two seeks for each vault and path.
        `SELECT DISTINCT n.id, n.path FROM vaults v CROSS JOIN json_each(@paths) w CROSS JOIN notes n
           ON n.vault_id = v.id AND n.path IN (w.value,
             CASE WHEN substr(w.value, 1, length(v.name) + 1) = v.name || '/' THEN substr(w.value, length(v.name) + 2) END)
         WHERE n.status = 'indexed' AND v.removed_at IS NULL ORDER BY n.path, n.id`,
        { paths: JSON.stringify(paths) },
      ),
    );
  }

  /** Row ids of the first passages of some notes, `perNote` of each at most. */
  passageRows(noteIds: readonly NoteId[], perNote: number): number[] {
    if (noteIds.length === 0) return [];
    return this.#db
      .all<{ rowid: number }>(
        'SELECT rowid FROM chunks WHERE note_id IN (SELECT value FROM json_each(?)) AND ordinal < ? ORDER BY note_id, ordinal',
        JSON.stringify(noteIds),
        perNote,
      )
      .map((row) => row.rowid);
  }
}
