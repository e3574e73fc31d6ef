import type { NoteId } from '../../shared/ids.ts';
import { CHUNKER_VERSION } from '../items/chunkerVersion.ts';
import type { Db } from '../storage/database.ts';
import type { NoteRecord } from '../storage/notes/noteRows.ts';
import type { NoteStore } from '../storage/notes/noteStore.ts';
import type { VaultRecord } from '../storage/vaults.ts';
import type { Clock } from '../support/clock.ts';
import { isFactsNote } from '../support/factsNoteMarker.ts';
import { newId, sha256 } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { baseName } from '../support/paths.ts';
import type { IgnoreRules } from './obsidian/ignore.ts';
import { hasMoved, type ReadResult, readNote } from './obsidian/readNote.ts';
import type { ParseReply, ParseRequest } from './parseContract.ts';
import { type NoteParser, ParseFailure } from './parser.ts';
import type { VanishedNotes } from './vanishedNotes.ts';

export interface BatchPorts {
  db: Db;
  notes: NoteStore;
  parser: NoteParser;
  clock: Clock;
  log: Logger;
}

const READS_AT_ONCE = 8;
/**
 * Notes with the same text that are looked for on the disk when one more appears. It bounds the cost of a vault with thousands of
 * identical notes; a note that is known to be gone is found whatever their number.
 */
const COPIES_CHECKED = 4;

type Content = Extract<ReadResult, { kind: 'content' }>;
/** Why a file is not indexed. */
export type Aside = Extract<ReadResult, { kind: 'aside' }>;

interface ReadPath {
  path: string;
  result: ReadResult;
}

/** Writes the row of one note, inside the batch's transaction; returns the number of chunks that are new. */
type Write = () => number;

/**
 * Makes the rows of some paths say what the disk holds: reads the files, parses those that changed, and writes all of them in
 * one transaction. Notes whose file is gone are put among the vanished ones, where a note of the same text that appears elsewhere
 * finds its row again.
 */
export class BatchIndexer {
  readonly #vault: VaultRecord;
  readonly #ports: BatchPorts;
  readonly #vanished: VanishedNotes;

  constructor(vault: VaultRecord, ports: BatchPorts, vanished: VanishedNotes) {
    this.#vault = vault;
    this.#ports = ports;
    this.#vanished = vanished;
  }

  /** Indexes some paths. @returns the number of chunks that are new, or null if no row was written */
  async index(paths: readonly string[], rules: IgnoreRules): Promise<number | null> {
    const read = await this.#readAll(paths, rules);
    this.#noteVanished(read);
    const writes: Write[] = [];
    const parsing: Promise<Write>[] = [];
    for (const { path, result } of read) {
      if (result.kind === 'aside') writes.push(() => this.setAside(path, result));
      if (result.kind !== 'content') continue;
      // Rows are found one after the other, because a rename takes one; parsing then goes on side by side.
      const hash = sha256(result.content);
      const row = await this.#findRow(path, hash);
      if (isIndexed(row, hash)) writes.push(() => this.#setSeen(row.id, result));
      else parsing.push(this.#parse({ id: row.id, path, hash }, result));
    }
    writes.push(...(await Promise.all(parsing)));
    if (writes.length === 0) return null;
    return this.#ports.db.transaction(() => writes.reduce((added, write) => added + write(), 0));
  }

  /** Records why the file at `path` is not indexed. @returns the number of chunks that are new: none */
  setAside(path: string, aside: Aside): number {
    const { notes, clock } = this.#ports;
    const row = notes.byPath(this.#vault.id, path) ?? this.#insert(path);
    notes.setAside(row.id, { ...aside, at: clock.now() });
    return 0;
  }

  async #readAll(paths: readonly string[], rules: IgnoreRules): Promise<ReadPath[]> {
    const read: ReadPath[] = [];
    for (let at = 0; at < paths.length; at += READS_AT_ONCE) {
      const some = paths.slice(at, at + READS_AT_ONCE);
      read.push(...(await Promise.all(some.map((path) => readByRules(this.#vault.path, path, rules)))));
    }
    return read;
  }

  #noteVanished(read: readonly ReadPath[]): void {
    for (const { path, result } of read) {
      const note = result.kind === 'gone' ? this.#ports.notes.byPath(this.#vault.id, path) : undefined;
      if (note) this.#vanished.add(note);
      else this.#vanished.delete(path);
    }
  }

  /** The row of a path: its own, that of the note which was renamed to it, or a new one. */
  async #findRow(path: string, contentHash: string): Promise<NoteRecord> {
    const { db, notes, clock } = this.#ports;
    const existing = notes.byPath(this.#vault.id, path);
    if (existing && existing.status !== 'pending') return existing;
    const renamed = await this.#findRenamed(path, contentHash);
    if (!renamed) return existing ?? this.#insert(path);
    db.transaction(() => {
      if (existing) notes.erase(existing.id, clock.now());
      notes.rename(renamed.id, path);
    });
    // Without its hash it is parsed once more, because the title may come from the file's name.
    return { ...renamed, path, contentHash: null };
  }

  /** The note of this content that is no longer where it was. */
  async #findRenamed(path: string, contentHash: string): Promise<NoteRecord | null> {
    const vanished = this.#vanished.takeByContent(contentHash);
    if (vanished) return vanished;
    // The watcher may tell of the new path before it tells of the old one.
    for (const copy of this.#ports.notes.withContent(this.#vault.id, contentHash, COPIES_CHECKED)) {
      if (copy.path !== path && (await hasMoved(this.#vault.path, copy.path, path))) return copy;
    }
    return null;
  }

  #insert(path: string): NoteRecord {
    const { notes } = this.#ports;
    const id = newId('note') as NoteId;
    notes.insertPending({ id, vaultId: this.#vault.id, path, title: baseName(path), bytes: 0, mtimeMs: -1 });
    return notes.get(id) as NoteRecord;
  }

  #setSeen(id: NoteId, { bytes, mtimeMs }: Content): number {
    this.#ports.notes.setSeen(id, bytes, mtimeMs);
    return 0;
  }

  async #parse(row: { id: NoteId; path: string; hash: string }, file: Content): Promise<Write> {
    const { id, path, hash } = row;
    const { bytes, mtimeMs } = file;
    const { notes, clock } = this.#ports;
    const { note, problem } = await this.#tryParse({
      noteId: id,
      path,
      content: file.content.toString('utf8'),
    });
    if (!note) {
      const { reason, detail } = problem;
      return () => {
        notes.setAside(id, {
          status: 'failed',
          reason,
          detail: detail || null,
          bytes,
          mtimeMs,
          at: clock.now(),
        });
        return 0;
      };
    }
    return () =>
      notes.writeIndexed({
        ...note,
        id,
        contentHash: hash,
        chunkerVersion: CHUNKER_VERSION,
        bytes,
        mtimeMs,
        reason: problem?.reason ?? null,
        detail: problem?.detail ?? null,
        indexedAt: clock.now(),
      });
  }

  async #tryParse(request: ParseRequest): Promise<ParseReply> {
    const { parser, log } = this.#ports;
    try {
      return await parser.parse(request);
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      const { reason, cause } = error;
      log.warn({ noteId: request.noteId, reason, err: (cause as Error | undefined)?.name }, 'note set aside');
      return { note: null, problem: { reason, detail: '' } };
    }
  }
}

/** Reads a file as the ignore rules say: a path that they leave out counts as gone. */
async function readByRules(root: string, path: string, rules: IgnoreRules): Promise<ReadPath> {
  const treatment = rules.file(path);
  if (treatment.kind === 'out') return { path, result: { kind: 'gone' } };
  const result = await readNote(root, path);
  if (result.kind !== 'content') return { path, result };
  // A copy of the note that Souvenir writes, as sync tools make them, says nothing that facts do not say.
  const reason = isFactsNote(headOf(result.content))
    ? 'facts-note'
    : treatment.kind === 'aside' && treatment.reason;
  if (!reason) return { path, result };
  const { bytes, mtimeMs } = result;
  return { path, result: { kind: 'aside', status: 'skipped', reason, detail: null, bytes, mtimeMs } };
}

/** Bytes of a note in which its front matter is looked for. */
const HEAD_BYTES = 4_096;

const headOf = (content: Buffer): string[] =>
  content
    .subarray(0, HEAD_BYTES)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/);

function isIndexed(note: NoteRecord, contentHash: string): boolean {
  return (
    note.status === 'indexed' && note.contentHash === contentHash && note.chunkerVersion === CHUNKER_VERSION
  );
}
