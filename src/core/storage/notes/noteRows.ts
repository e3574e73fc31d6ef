import type { NoteReason, NoteStatus } from '../../../shared/contract/notes.ts';
import type { NoteId, VaultId } from '../../../shared/ids.ts';

/** A file of a vault, as the catalogue holds it. */
export interface NoteRecord {
  id: NoteId;
  vaultId: VaultId;
  /** Relative to the vault, as on disk, `/` between folders. */
  path: string;
  title: string;
  status: NoteStatus;
  reason: NoteReason | null;
  detail: string | null;
  /** SHA-256 of the file; null if the note is not indexed or must be parsed again. */
  contentHash: string | null;
  chunkerVersion: number;
  bytes: number;
  /** Of the file when it was last read; -1 if it must be read again. */
  mtimeMs: number;
  chunkCount: number;
}

export interface NoteColumns {
  id: string;
  vault_id: string;
  path: string;
  title: string;
  status: NoteStatus;
  reason: NoteReason | null;
  detail: string | null;
  content_hash: string | null;
  chunker_version: number;
  bytes: number;
  mtime_ms: number;
  chunk_count: number;
}

/** The columns of `NoteColumns`, for a SELECT; `n` is the table `notes`. */
export const NOTE_COLUMNS = `n.id, n.vault_id, n.path, n.title, n.status, n.reason, n.detail, n.content_hash,
  n.chunker_version, n.bytes, n.mtime_ms, n.chunk_count`;

export function toNoteRecord(row: NoteColumns): NoteRecord {
  return {
    id: row.id as NoteId,
    vaultId: row.vault_id as VaultId,
    path: row.path,
    title: row.title,
    status: row.status,
    reason: row.reason,
    detail: row.detail,
    contentHash: row.content_hash,
    chunkerVersion: row.chunker_version,
    bytes: row.bytes,
    mtimeMs: row.mtime_ms,
    chunkCount: row.chunk_count,
  };
}
