import type { NoteId, VaultId } from '../../../shared/ids.ts';
import type { Db } from '../database.ts';

export interface NewLink {
  kind: 'wikilink' | 'embed' | 'markdown';
  /** A name or a path as written, without its heading; empty for a link within the note. */
  target: string;
  /** `nameKey` of `target`. */
  targetKey: string;
  heading: string | null;
  display: string | null;
  /** Line in the file, counted from 1. */
  line: number;
}

export interface LinkRecord {
  kind: NewLink['kind'];
  target: string;
  line: number;
}

/** A link with the note that it stands in. */
export interface LinkFrom {
  noteId: NoteId;
  title: string;
  path: string;
  target: string;
  line: number;
}

/** The links of notes, as written; which note each one means is resolved by the caller (`vaults/obsidian/linkGraph.ts`). */
export class LinkStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** The links of a note, in its order. */
  ofNote(id: NoteId): LinkRecord[] {
    return this.#db.all<LinkRecord>(
      'SELECT kind, target, line FROM links WHERE note_id = ? ORDER BY ordinal',
      id,
    );
  }

  /** The links of a vault whose target has this `nameKey`, by path and line. */
  naming(vaultId: VaultId, key: string): LinkFrom[] {
    // CROSS JOIN: the few links of that name first, then their notes; the other way round reads every note of the vault.
    return this.#db.all<LinkFrom>(
      `SELECT n.id AS noteId, n.title, n.path, l.target, l.line
       FROM links l CROSS JOIN notes n ON n.id = l.note_id
       WHERE l.target_key = ? AND n.vault_id = ? ORDER BY n.path, l.line`,
      key,
      vaultId,
    );
  }

  /** Replaces the links of a note, inside the caller's transaction. */
  replace(noteId: NoteId, links: readonly NewLink[]): void {
    this.eraseOfNote(noteId);
    for (const [ordinal, link] of links.entries()) {
      this.#db.run(
        'INSERT INTO links (note_id, ordinal, kind, target, target_key, heading, display, line) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        noteId,
        ordinal,
        link.kind,
        link.target,
        link.targetKey,
        link.heading,
        link.display,
        link.line,
      );
    }
  }

  eraseOfNote(noteId: NoteId): void {
    this.#db.run('DELETE FROM links WHERE note_id = ?', noteId);
  }
}
