import type { NoteId } from '../../shared/ids.ts';
import { items } from '../items/index.ts';
import type { Db } from '../storage/database.ts';
import { tagKey } from '../support/text/tagKey.ts';

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
          // CROSS JOIN keeps this order: a seek for each name.
          `SELECT j.note_id, j.name, n.title FROM json_each(?) w CROSS JOIN note_names j ON j.name = w.value
           CROSS JOIN notes n ON n.id = j.note_id CROSS JOIN vaults v ON v.id = n.vault_id
           WHERE n.status = 'indexed' AND v.removed_at IS NULL ORDER BY j.name, n.path`,
          JSON.stringify(names),
        )
        .map((row) => ({ noteId: row.note_id as NoteId, name: row.name, title: row.title })),
    /** For each of `names`, the other names of notes that bear it, and the other subjects of facts that are about it. */
    others: (names: readonly string[], now: number): { name: string; other: string }[] =>
      db.all<{ name: string; other: string }>(
        `SELECT w.value AS name, o.name AS other FROM json_each(@names) w CROSS JOIN note_names j ON j.name = w.value
           CROSS JOIN note_names o ON o.note_id = j.note_id WHERE o.name <> j.name
         UNION
         SELECT w.value, o.subject FROM json_each(@names) w CROSS JOIN fact_subjects j ON j.subject = w.value
           CROSS JOIN fact_subjects o ON o.fact_id = j.fact_id CROSS JOIN facts f ON f.id = j.fact_id
           WHERE o.subject <> j.subject AND ${items.fact.inUse('f')}
             AND f.kind IN ('identity', 'relation')
         ORDER BY 1, 2`,
        { names: JSON.stringify(names), now },
      ),
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
      const key = tagKey(tag);
      if (key === '') return [];
      return db
        .all<{ id: string }>(
          // CROSS JOIN keeps this order: two seeks by tag. '0' is the character after '/'.
          `SELECT DISTINCT n.id, n.mtime_ms FROM note_tags t CROSS JOIN notes n ON n.id = t.note_id
           CROSS JOIN vaults v ON v.id = n.vault_id
           WHERE (t.tag = @tag OR (t.tag >= @tag || '/' AND t.tag < @tag || '0'))
             AND n.status = 'indexed' AND v.removed_at IS NULL
           ORDER BY n.mtime_ms DESC, n.id LIMIT @limit`,
          { tag: key, limit },
        )
        .map((row) => row.id as NoteId);
    },
    /** Notes by `vault name/path`, or by a path alone. */
    atPaths: (paths: readonly string[]): NoteId[] => {
      if (paths.length === 0) return [];
      return db
        .all<{ id: string }>(
          `SELECT n.id FROM notes n JOIN vaults v ON v.id = n.vault_id
           WHERE n.status = 'indexed' AND v.removed_at IS NULL
             AND (n.path IN (SELECT value FROM json_each(@paths)) OR v.name || '/' || n.path IN (SELECT value FROM json_each(@paths)))
           ORDER BY n.path`,
          { paths: JSON.stringify(paths) },
        )
        .map((row) => row.id as NoteId);
    },
    /** Row ids of the passages of some notes, the first ones of each. */
    chunkRows: (noteIds: readonly NoteId[], perNote: number): number[] => {
      if (noteIds.length === 0) return [];
      return db
        .all<{ rowid: number }>(
          'SELECT rowid FROM chunks WHERE note_id IN (SELECT value FROM json_each(?)) AND ordinal < ? ORDER BY note_id, ordinal',
          JSON.stringify(noteIds),
          perNote,
        )
        .map((row) => row.rowid);
    },
  };
}
