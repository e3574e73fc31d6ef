import type { NoteId } from '../../shared/ids.ts';
import type { Db } from './database.ts';

export interface NamedNote {
  noteId: NoteId;
  name: string;
  title: string;
}

export type NameStore = ReturnType<typeof createNameStore>;

/** Which notes bear a name, and what other names there are for it. Names are folded words with single spaces. */
export function createNameStore(db: Db) {
  return {
    /** Indexed notes whose title or alias is one of `names`. */
    notes: (names: readonly string[]): NamedNote[] =>
      db
        .all<{ note_id: string; name: string; title: string }>(
          `SELECT DISTINCT j.note_id, j.name, n.title FROM note_names j JOIN notes n ON n.id = j.note_id
           JOIN vaults v ON v.id = n.vault_id
           WHERE j.name IN (SELECT value FROM json_each(?)) AND n.status = 'indexed' AND v.removed_at IS NULL
           ORDER BY j.name, n.path`,
          JSON.stringify(names),
        )
        .map((row) => ({ noteId: row.note_id as NoteId, name: row.name, title: row.title })),
    /** The other names of notes that bear `name`, and the other subjects of facts that are about it; at most `limit`. */
    others: (name: string, limit: number): string[] =>
      db
        .all<{ name: string }>(
          `SELECT DISTINCT o.name FROM note_names j JOIN note_names o ON o.note_id = j.note_id
             WHERE j.name = @name AND o.name <> @name
           UNION
           SELECT DISTINCT o.subject FROM fact_subjects j JOIN fact_subjects o ON o.fact_id = j.fact_id
             JOIN facts f ON f.id = j.fact_id
             WHERE j.subject = @name AND o.subject <> @name AND f.status = 'current' AND f.forgotten_at IS NULL
               AND f.kind IN ('identity', 'relation')
           LIMIT @limit`,
          { name, limit },
        )
        .map((row) => row.name),
    /** Notes most linked with some notes, in either direction, the most links first. */
    neighbours: (noteIds: readonly NoteId[], limit: number): NoteId[] =>
      db
        .all<{ id: string }>(
          `WITH mine AS (SELECT n.id, n.vault_id, n.name_key FROM notes n WHERE n.id IN (SELECT value FROM json_each(@ids))),
                near AS (
                  SELECT o.id FROM mine m JOIN links l ON l.note_id = m.id
                    JOIN notes o ON o.vault_id = m.vault_id AND o.name_key = l.target_key
                  UNION ALL
                  SELECT l.note_id FROM mine m JOIN links l ON l.target_key = m.name_key
                    JOIN notes o ON o.id = l.note_id AND o.vault_id = m.vault_id)
           SELECT id FROM near WHERE id NOT IN (SELECT id FROM mine) GROUP BY id ORDER BY count(*) DESC, id LIMIT @limit`,
          { ids: JSON.stringify(noteIds), limit },
        )
        .map((row) => row.id as NoteId),
    /** Notes that carry a tag, or one below it, the latest changed first. */
    tagged: (tag: string, limit: number): NoteId[] => {
      const plain = tag.replace(/^#/, '').toLowerCase();
      if (plain === '') return [];
      return db
        .all<{ id: string }>(
          `SELECT n.id FROM notes n JOIN vaults v ON v.id = n.vault_id
           WHERE n.status = 'indexed' AND v.removed_at IS NULL AND n.tags <> '[]' AND EXISTS
             (SELECT 1 FROM json_each(n.tags) t WHERE lower(t.value) = @tag OR lower(t.value) LIKE @below ESCAPE '\\')
           ORDER BY n.mtime_ms DESC, n.id LIMIT @limit`,
          { tag: plain, below: `${plain.replace(/[\\%_]/g, '\\$&')}/%`, limit },
        )
        .map((row) => row.id as NoteId);
    },
    /** Notes by `vault name/path`, or by a path alone. */
    atPaths: (paths: readonly string[]): NoteId[] =>
      db
        .all<{ id: string }>(
          `SELECT n.id FROM notes n JOIN vaults v ON v.id = n.vault_id
           WHERE n.status = 'indexed' AND v.removed_at IS NULL
             AND (n.path IN (SELECT value FROM json_each(@paths)) OR v.name || '/' || n.path IN (SELECT value FROM json_each(@paths)))
           ORDER BY n.path`,
          { paths: JSON.stringify(paths) },
        )
        .map((row) => row.id as NoteId),
    /** Row ids of the passages of some notes, the first ones of each. */
    chunkRows: (noteIds: readonly NoteId[], perNote: number): number[] =>
      db
        .all<{ rowid: number }>(
          'SELECT rowid FROM chunks WHERE note_id IN (SELECT value FROM json_each(?)) AND ordinal < ? ORDER BY note_id, ordinal',
          JSON.stringify(noteIds),
          perNote,
        )
        .map((row) => row.rowid),
  };
}
