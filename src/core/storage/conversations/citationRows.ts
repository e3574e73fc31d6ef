import type { ChunkId, ConversationId, FactId, NoteId, TurnId, VaultId } from '../../../shared/ids.ts';
import { parseTexts } from '../../../shared/json.ts';
import type { Db } from '../database.ts';
import type { CitationRecord } from './records.ts';

interface CitationColumns {
  turn_id: string;
  version: number;
  ordinal: number;
  kind: CitationRecord['kind'];
  item_id: string;
  note_id: string | null;
  vault_id: string | null;
  path: string | null;
  title: string;
  heading: string;
  text_hash: string | null;
  score: number;
}

const toCitation = (row: CitationColumns): CitationRecord => ({
  ordinal: row.ordinal,
  kind: row.kind,
  itemId: row.item_id as ChunkId | TurnId | FactId,
  noteId: row.note_id as NoteId | null,
  vaultId: row.vault_id as VaultId | null,
  path: row.path,
  title: row.title,
  heading: parseTexts(row.heading),
  textHash: row.text_hash,
  score: row.score,
});

export function insertCitations(
  db: Db,
  reply: { turnId: TurnId; version: number },
  citations: readonly CitationRecord[],
): void {
  for (const citation of citations) {
    db.run(
      `INSERT INTO citations (turn_id, version, ordinal, kind, item_id, note_id, vault_id, path, title, heading,
                              text_hash, score)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      reply.turnId,
      reply.version,
      citation.ordinal,
      citation.kind,
      citation.itemId,
      citation.noteId,
      citation.vaultId,
      citation.path,
      citation.title,
      JSON.stringify(citation.heading),
      citation.textHash,
      citation.score,
    );
  }
}

/** A citation with the reply that cites. */
export interface ReplyCitation {
  turnId: TurnId;
  version: number;
  record: CitationRecord;
}

/** What replies cite: places, never text. */
export function citationRows(db: Db) {
  return {
    /** The citations of every reply of several turns, in their order. */
    citationsOf: (ids: readonly TurnId[]): ReplyCitation[] =>
      db
        .all<CitationColumns>(
          `SELECT c.* FROM json_each(?) j CROSS JOIN citations c ON c.turn_id = j.value
           ORDER BY j.key, c.version, c.ordinal`,
          JSON.stringify(ids),
        )
        .map((row) => ({
          turnId: row.turn_id as TurnId,
          version: row.version,
          record: toCitation(row),
        })),

    /** Conversations whose shown replies cite a note, the latest first, ten at most. */
    citing: (noteId: NoteId) =>
      db.all<{ conversationId: ConversationId; title: string; at: number }>(
        `SELECT v.id AS conversationId, v.title, max(m.created_at) AS at FROM citations c
         JOIN messages m ON m.turn_id = c.turn_id AND m.version = c.version
         JOIN turns t ON t.id = c.turn_id AND t.active_version = c.version AND t.active = 1
         JOIN conversations v ON v.id = t.conversation_id
         WHERE c.note_id = ? AND v.removed_at IS NULL GROUP BY v.id ORDER BY at DESC LIMIT 10`,
        noteId,
      ),
  };
}
