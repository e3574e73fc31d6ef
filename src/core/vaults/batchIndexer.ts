import type { NoteId } from '../../shared/ids.ts';
import { CHUNKER_VERSION } from '../items/chunkerVersion.ts';
import type { Db } from '../storage/database.ts';
import type { NoteRecord } from '../storage/notes/noteRows.ts';
import type { NoteStore } from '../storage/notes/noteStore.ts';
import type { VaultRecord } from '../storage/vaults.ts';
import type { Clock } from '../support/clock.ts';
import { newId, sha256 } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { baseName } from '../support/paths.ts';
import type { IgnoreRules } from './obsidian/ignore.ts';
import { existsExactly, type ReadResult, readNote } from './obsidian/readNote.ts';
import type { ParseReply, ParseRequest } from './parseContract.ts';
import { ParseFailure, type Parser } from './parser.ts';

export interface BatchPorts {
  db: Db;
  notes: NoteStore;
  parser: Parser;
  clock: Clock;
  log: Logger;
  rules(): IgnoreRules;
}

export interface BatchResult {
  /** Paths with a row and no file, to be erased once no rename can want their rows. */
  gone: string[];
  /** Passages worked on anew. */
  embedded: number;
  /** Were rows changed? */
  written: boolean;
}

export interface BatchIndexer {
  index(paths: readonly string[]): Promise<BatchResult>;
}

const READS_AT_ONCE = 8;

interface Looked {
  path: string;
  result: ReadResult;
  hash: string | null;
}

/** Writes what was learnt; gives how many passages were new. */
type Write = () => number;
type Content = Extract<ReadResult, { kind: 'content' }>;

/** Brings the rows of some paths to what the disk holds: each is read, parsed where it changed, and written, all at once. */
export function createBatchIndexer(vault: VaultRecord, ports: BatchPorts): BatchIndexer {
  const { db, notes, parser, clock, log } = ports;

  const look = async (path: string): Promise<Looked> => {
    const treatment = ports.rules().file(path);
    if (treatment.kind === 'out') return { path, result: { kind: 'gone' }, hash: null };
    const result = await readNote(vault.path, path);
    if (treatment.kind === 'aside' && result.kind === 'content') {
      const { bytes, mtimeMs } = result;
      const aside: ReadResult = {
        kind: 'aside',
        status: 'skipped',
        reason: treatment.reason,
        detail: null,
        bytes,
        mtimeMs,
      };
      return { path, result: aside, hash: null };
    }
    return { path, result, hash: result.kind === 'content' ? sha256(result.content) : null };
  };

  const setAside = (path: string, aside: Extract<ReadResult, { kind: 'aside' }>): number => {
    notes.setAside(ensureRow(path), { ...aside, at: clock.now() });
    return 0;
  };

  const ensureRow = (path: string): NoteId => {
    const existing = notes.byPath(vault.id, path);
    if (existing) return existing.id;
    const id = newId('note') as NoteId;
    notes.insertPending({ id, vaultId: vault.id, path, title: baseName(path), bytes: 0, mtimeMs: -1 });
    return id;
  };

  const isIndexed = (note: NoteRecord, contentHash: string): boolean =>
    note.status === 'indexed' && note.contentHash === contentHash && note.chunkerVersion === CHUNKER_VERSION;

  /** The row of a path: its own, that of the note which was renamed to it, or a new one. */
  const findRow = async (path: string, contentHash: string): Promise<NoteId> => {
    const existing = notes.byPath(vault.id, path);
    if (existing && existing.status !== 'pending') return existing.id;
    const renamed = await findRenamed(contentHash, path);
    if (!renamed) return ensureRow(path);
    db.transaction(() => {
      if (existing) notes.erase(existing.id);
      // Its hash goes, so that it is parsed once more: the title may come from the file's name.
      notes.rename(renamed.id, path);
    });
    return renamed.id;
  };

  /** Parses a note; what is given back writes it, and tells how many passages were new. */
  const indexContent = async (
    row: { id: NoteId; path: string; hash: string },
    file: Content,
  ): Promise<Write> => {
    const { id, path, hash } = row;
    const { bytes, mtimeMs } = file;
    const { note, problem } = await parse({ noteId: id, path, content: file.content.toString('utf8') });
    return () => {
      const at = clock.now();
      if (!note) {
        const { reason, detail } = problem;
        notes.setAside(id, { status: 'failed', reason, detail: detail || null, bytes, mtimeMs, at });
        return 0;
      }
      const added = notes.writeIndexed({
        ...note,
        id,
        contentHash: hash,
        chunkerVersion: CHUNKER_VERSION,
        bytes,
        mtimeMs,
        reason: problem?.reason ?? null,
        detail: problem?.detail ?? null,
        indexedAt: at,
      });
      return added;
    };
  };

  const parse = async (request: ParseRequest): Promise<ParseReply> => {
    try {
      return await parser.parse(request);
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      const { reason, cause } = error;
      log.warn({ noteId: request.noteId, reason, err: (cause as Error | undefined)?.name }, 'note set aside');
      return { note: null, problem: { reason, detail: '' } };
    }
  };

  /** The note that stood elsewhere with this content and no longer does. */
  const findRenamed = async (contentHash: string, path: string): Promise<NoteRecord | null> => {
    for (const candidate of notes.withContent(vault.id, contentHash, -1)) {
      if (candidate.path !== path && !(await existsExactly(vault.path, candidate.path))) return candidate;
    }
    return null;
  };

  return {
    index: async (paths) => {
      const looked: Looked[] = [];
      for (let at = 0; at < paths.length; at += READS_AT_ONCE) {
        looked.push(...(await Promise.all(paths.slice(at, at + READS_AT_ONCE).map(look))));
      }
      const gone: string[] = [];
      const writes: Write[] = [];
      const parsing: Promise<void>[] = [];
      for (const { path, result, hash } of looked) {
        if (result.kind === 'gone') {
          if (notes.byPath(vault.id, path)) gone.push(path);
        } else if (result.kind === 'aside') {
          writes.push(() => setAside(path, result));
        } else {
          // Rows are found one after the other, since a rename takes one; the parsing then goes side by side.
          const id = await findRow(path, hash as string);
          const known = notes.get(id);
          if (known && isIndexed(known, hash as string)) {
            writes.push(() => {
              notes.setSeen(id, result.bytes, result.mtimeMs);
              return 0;
            });
          } else {
            parsing.push(
              indexContent({ id, path, hash: hash as string }, result).then(
                (write) => void writes.push(write),
              ),
            );
          }
        }
      }
      await Promise.all(parsing);
      const embedded =
        writes.length === 0 ? 0 : db.transaction(() => writes.reduce((sum, write) => sum + write(), 0));
      return { gone, embedded, written: writes.length > 0 };
    },
  };
}
