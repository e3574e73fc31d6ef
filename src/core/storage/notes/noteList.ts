import type { NoteFilter, NoteRow, NoteStatus } from '../../../shared/contract/notes.ts';
import type { NoteId, VaultId } from '../../../shared/ids.ts';
import { lookupKey } from '../../support/paths.ts';
import type { Db } from '../database.ts';
import { NOTE_COLUMNS, type NoteColumns } from './noteRows.ts';

export interface NoteQuery {
  vaultId?: VaultId | undefined;
  filter: NoteFilter;
  /** Text that the path or the title contains. */
  query: string;
  /** Notes that the query names otherwise, best first. */
  named?: readonly NoteId[] | undefined;
  /** Those of `named` come first, in their order. */
  bestFirst?: boolean | undefined;
  offset: number;
  limit: number;
}

export interface NoteList {
  notes: NoteRow[];
  /** Notes for each filter, before `limit`. */
  counts: Record<NoteFilter, number>;
  /** Notes for the chosen filter, before `limit`. */
  matching: number;
}

export type NoteCounts = Record<NoteStatus | 'chunks', number>;

const FILTERS: Record<NoteFilter, string> = {
  all: '1',
  indexed: "n.status = 'indexed'",
  pending: "n.status = 'pending'",
  problems: "(n.status IN ('failed', 'skipped') OR n.reason IS NOT NULL)",
};

interface ListedColumns extends NoteColumns {
  vault_name: string;
  indexed_at: number | null;
}

const SELECT_LISTED = `SELECT ${NOTE_COLUMNS}, n.indexed_at, v.name AS vault_name
  FROM notes n JOIN vaults v ON v.id = n.vault_id`;

/** One page of the table of notes, in vaults that are in use: problems first, then the last modified. */
export function listNotes(db: Db, { vaultId, filter, query, offset, limit, ...by }: NoteQuery): NoteList {
  const like = `%${lookupKey(query).replace(/[\\%_]/g, '\\$&')}%`;
  const vault = vaultId ?? null;
  const where = `v.removed_at IS NULL AND (@vault IS NULL OR n.vault_id = @vault)
    AND (n.path_key LIKE @like ESCAPE '\\' OR lower(n.title) LIKE @like ESCAPE '\\'
      OR n.id IN (SELECT value FROM json_each(@named)))`;
  const named = JSON.stringify(by.named ?? []);
  const best = by.bestFirst ? 'coalesce((SELECT key FROM json_each(@named) WHERE value = n.id), 1e9),' : '';
  const rows = db.all<ListedColumns>(
    `${SELECT_LISTED} WHERE ${where} AND ${FILTERS[filter]}
     ORDER BY ${best} CASE n.status WHEN 'failed' THEN 0 WHEN 'skipped' THEN 1 ELSE iif(n.reason IS NULL, 3, 2) END,
              n.mtime_ms DESC, n.path LIMIT @limit OFFSET @offset`,
    { vault, like, named, limit, offset },
  );
  const counts = db.get<Record<NoteFilter, number>>(
    `SELECT count(*) AS "all",
       coalesce(sum(${FILTERS.indexed}), 0) AS indexed, coalesce(sum(${FILTERS.pending}), 0) AS pending,
       coalesce(sum(${FILTERS.problems}), 0) AS problems
     FROM notes n JOIN vaults v ON v.id = n.vault_id WHERE ${where}`,
    { vault, like, named },
  ) ?? { all: 0, indexed: 0, pending: 0, problems: 0 };
  return { notes: rows.map(toNoteRow), counts, matching: counts[filter] };
}

/** A note as the table shows it; undefined if there is none or its vault was removed. */
export function readNoteRow(db: Db, id: NoteId): NoteRow | undefined {
  const row = db.get<ListedColumns>(`${SELECT_LISTED} WHERE v.removed_at IS NULL AND n.id = ?`, id);
  return row && toNoteRow(row);
}

function toNoteRow(row: ListedColumns): NoteRow {
  return {
    id: row.id as NoteId,
    vaultId: row.vault_id as VaultId,
    vaultName: row.vault_name,
    path: row.path,
    title: row.title,
    status: row.status,
    reason: row.reason,
    detail: row.detail,
    chunks: row.chunk_count,
    bytes: row.bytes,
    modifiedAt: Math.round(Math.max(0, row.mtime_ms)),
    indexedAt: row.indexed_at,
  };
}

/**
 * Notes by status and the number of their chunks, of one vault or of all that are in use. Read from the index
 * `notes_by_status` alone, because indexing asks for it five times a second.
 */
export function countNotes(db: Db, vaultId?: VaultId): NoteCounts {
  const counts: NoteCounts = { pending: 0, indexed: 0, skipped: 0, failed: 0, chunks: 0 };
  const rows = db.all<{ status: NoteStatus; notes: number; chunks: number }>(
    `SELECT n.status, count(*) AS notes, sum(n.chunk_count) AS chunks
     FROM vaults v CROSS JOIN notes n INDEXED BY notes_by_status
       ON n.vault_id = v.id AND n.status IN ('pending', 'indexed', 'skipped', 'failed')
     WHERE v.removed_at IS NULL AND (@vault IS NULL OR v.id = @vault) GROUP BY n.status`,
    { vault: vaultId ?? null },
  );
  for (const { status, notes, chunks } of rows) {
    counts[status] = notes;
    counts.chunks += chunks;
  }
  return counts;
}

/** Folders of the notes of vaults in use, and those above them, in alphabetical order. */
export function listFolders(db: Db): string[] {
  const parents = db.all<{ folder: string }>(
    `SELECT DISTINCT rtrim(rtrim(n.path, replace(n.path, '/', '')), '/') AS folder FROM notes n
     JOIN vaults v ON v.id = n.vault_id WHERE v.removed_at IS NULL`,
  );
  const folders = new Set<string>();
  for (const { folder } of parents) {
    const names = folder.split('/');
    for (let depth = 1; depth <= names.length; depth += 1) folders.add(names.slice(0, depth).join('/'));
  }
  folders.delete('');
  return [...folders].sort((one, other) => one.localeCompare(other));
}

/** Notes of vaults in use that are indexed, and that are still to be indexed. Asked at every retrieval. */
export function countIndexed(db: Db): { indexed: number; pending: number } {
  const count = (status: NoteStatus) =>
    db.get<{ n: number }>(
      `SELECT (SELECT count(*) FROM notes WHERE status = @status) - (SELECT count(*) FROM vaults v JOIN notes n
         ON n.vault_id = v.id AND n.status = @status WHERE v.removed_at IS NOT NULL) AS n`,
      { status },
    )?.n ?? 0;
  return { indexed: count('indexed'), pending: count('pending') };
}
