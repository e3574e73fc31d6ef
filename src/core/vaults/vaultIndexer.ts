import { readdir } from 'node:fs/promises';
import type { IndexProgress, IndexReport } from '../../shared/contract/vaults.ts';
import type { NoteId } from '../../shared/ids.ts';
import { CHUNKER_VERSION } from '../items/chunkerVersion.ts';
import type { Db } from '../storage/database.ts';
import type { NoteRecord } from '../storage/notes/noteRows.ts';
import type { NoteStore } from '../storage/notes/noteStore.ts';
import type { VaultRecord } from '../storage/vaults.ts';
import type { Clock } from '../support/clock.ts';
import { newId } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { baseName } from '../support/paths.ts';
import { createBatchIndexer } from './batchIndexer.ts';
import { createIgnoreRules, type IgnoreRules } from './obsidian/ignore.ts';
import { existsExactly } from './obsidian/readNote.ts';
import { type FoundFile, walkVault } from './obsidian/walk.ts';
import { type VaultWatcher, watchVault } from './obsidian/watch.ts';
import type { Parser } from './parser.ts';

export interface VaultIndexer {
  /** Watches the vault, and walks it once at the start and again at intervals. */
  watch(): void;
  /** Walks the vault, indexes what differs, and tells what was done. */
  reconcile(): Promise<IndexReport>;
  progress(): IndexProgress;
  /** Is something known to be left to look at? */
  busy(): boolean;
  pause(): void;
  resume(): void;
  setIgnorePatterns(patterns: string[]): void;
  retry(notes: readonly NoteRecord[]): void;
  close(): Promise<void>;
}

export interface IndexerPorts {
  db: Db;
  notes: NoteStore;
  parser: Parser;
  clock: Clock;
  log: Logger;
  onProgress(progress: IndexProgress): void;
  /** Rows of notes changed. */
  onNotes(): void;
}

const BATCH = 32;
/** Changes are taken up once none came for this long: an atomic save or a rename is several events. */
const QUIET_MS = 150;
/** …but never later than this after the first. */
const LONGEST_WAIT_MS = 600;
const WALK_EVERY_MS = 5 * 60_000;
const RETRY_UNAVAILABLE_MS = 10_000;
const PROGRESS_EVERY_MS = 200;
/** After so many changes at once the watcher may have missed some. */
const BURST = 1_000;

interface Run {
  startedAt: number;
  looked: number;
  embedded: number;
}

/**
 * Keeps the rows of one vault equal to its files. Watcher events and walks only name paths that may have changed, the
 * latest of each; what a path is now is read from the disk. Deletions wait until everything else is done, so that a
 * rename finds the rows that it moves.
 */
export function createVaultIndexer(vault: VaultRecord, ports: IndexerPorts): VaultIndexer {
  const { db, notes } = ports;
  const log = ports.log.child({ vaultId: vault.id });
  const hints = new Set<string>();
  const gone = new Set<string>();
  const waiting: { resolve: (report: IndexReport) => void; reject: (error: unknown) => void }[] = [];
  const closing = new AbortController();
  let patterns = vault.ignorePatterns;
  let rules: IgnoreRules = createIgnoreRules(vault.path, patterns, log);
  const batches = createBatchIndexer(vault, { ...ports, log, rules: () => rules });
  let state: IndexProgress['state'] = vault.paused ? 'paused' : 'idle';
  let paused = vault.paused;
  let walkWanted = false;
  let working: Promise<void> | null = null;
  let watcher: VaultWatcher | null = null;
  let quietTimer: NodeJS.Timeout | undefined;
  let firstHintAt = 0;
  let walkTimer: NodeJS.Timeout | undefined;
  let lastProgressAt = 0;
  let since = performance.now();
  let run: Run = { startedAt: performance.now(), looked: 0, embedded: 0 };

  const progress = (): IndexProgress => {
    const counts = notes.counts(vault.id);
    const seconds = (performance.now() - run.startedAt) / 1000;
    const left = state === 'indexing' ? Math.max(counts.pending, hints.size) : 0;
    const rate = state === 'indexing' && run.looked > 0 && seconds > 0.2 ? run.looked / seconds : null;
    return {
      vaultId: vault.id,
      since,
      state,
      total: counts.pending + counts.indexed + counts.skipped + counts.failed,
      indexed: counts.indexed,
      skipped: counts.skipped,
      failed: counts.failed,
      pending: counts.pending,
      chunks: counts.chunks,
      notesPerSecond: rate,
      secondsLeft: rate === null ? null : left / rate,
    };
  };

  const tell = (next: IndexProgress['state'] = state) => {
    const changed = next !== state;
    state = next;
    const now = performance.now();
    since = now;
    if (!changed && now - lastProgressAt < PROGRESS_EVERY_MS) return;
    lastProgressAt = now;
    ports.onProgress(progress());
  };

  const report = (): IndexReport => {
    const counts = notes.counts(vault.id);
    const failed = notes
      .inVault(vault.id)
      .filter((note) => note.status === 'failed')
      .map((note) => ({ path: note.path, reason: [note.reason, note.detail].filter(Boolean).join(': ') }));
    return {
      notes: counts.indexed,
      chunks: counts.chunks,
      embedded: run.embedded,
      unchanged: counts.chunks - run.embedded,
      failed,
      seconds: (performance.now() - run.startedAt) / 1000,
    };
  };

  // --- what is due -----------------------------------------------------------------------------------------------

  const wake = () => {
    if (working || paused || closing.signal.aborted) return;
    working = work()
      .catch((error: unknown) => {
        if (closing.signal.aborted) return;
        log.error({ err: error }, 'indexing stopped');
        for (const waiter of waiting.splice(0)) waiter.reject(error);
        tell('idle');
      })
      .finally(() => {
        working = null;
        if (!paused && !closing.signal.aborted && state !== 'unavailable' && (walkWanted || hints.size > 0))
          wake();
      });
  };

  const hint = (path: string) => {
    hints.add(path);
    const now = performance.now();
    if (quietTimer === undefined) firstHintAt = now;
    clearTimeout(quietTimer);
    quietTimer = setTimeout(
      () => {
        quietTimer = undefined;
        if (hints.size >= BURST) walkWanted = true;
        wake();
      },
      Math.max(0, Math.min(QUIET_MS, firstHintAt + LONGEST_WAIT_MS - now)),
    );
  };

  const walkSoon = () => {
    walkWanted = true;
    wake();
  };

  /** A folder that appears, moves or goes may carry notes whose own events never come. */
  const hintFolder = () => {
    clearTimeout(walkTimer);
    walkTimer = setTimeout(walkSoon, LONGEST_WAIT_MS).unref();
  };

  const work = async (): Promise<void> => {
    // Whatever wakes it while the vault is away, only a walk tells whether it is back.
    if (state === 'unavailable') walkWanted = true;
    if (run.looked > 0 || state === 'idle') run = { startedAt: performance.now(), looked: 0, embedded: 0 };
    while ((walkWanted || hints.size > 0 || gone.size > 0) && !paused && !closing.signal.aborted) {
      if (walkWanted) {
        walkWanted = false;
        if (!(await walk())) return;
      } else if (hints.size > 0) {
        tell('indexing');
        await indexBatch([...hints].slice(0, BATCH));
        tell();
      } else {
        if (!(await eraseGone())) return;
      }
    }
    if (paused || closing.signal.aborted) return;
    tell('idle');
    for (const waiter of waiting.splice(0)) waiter.resolve(report());
  };

  const indexBatch = async (paths: readonly string[]): Promise<void> => {
    // From here on a further change of these paths is a new hint.
    for (const path of paths) hints.delete(path);
    const done = await batches.index(paths);
    for (const path of done.gone) gone.add(path);
    run.looked += paths.length;
    run.embedded += done.embedded;
    if (done.written) ports.onNotes();
  };

  // --- the walk --------------------------------------------------------------------------------------------------

  const unavailable = (reason: string) => {
    log.warn({ reason }, 'vault unavailable; its index is kept');
    hints.clear();
    gone.clear();
    tell('unavailable');
    for (const waiter of waiting.splice(0)) waiter.reject(new VaultUnavailable());
    clearTimeout(walkTimer);
    if (watcher) walkTimer = setTimeout(walkSoon, RETRY_UNAVAILABLE_MS).unref();
  };

  /** An empty folder where notes were is a disk that is not mounted, not a vault whose notes were all deleted. */
  const missing = async (): Promise<string | null> => {
    try {
      const entries = await readdir(vault.path);
      const counts = notes.counts(vault.id);
      return entries.length === 0 && counts.indexed > 1 ? 'EMPTY' : null;
    } catch (error) {
      return (error as { code?: string }).code ?? 'UNKNOWN';
    }
  };

  const walk = async (): Promise<boolean> => {
    const reason = await missing();
    if (reason !== null) {
      unavailable(reason);
      return false;
    }
    tell('scanning');
    rules = createIgnoreRules(vault.path, patterns, log);
    const found = await walkVault(vault.path, rules, { signal: closing.signal });
    const known = new Map(notes.inVault(vault.id).map((note) => [note.path, note]));
    const isNew: FoundFile[] = [];
    for (const file of found.files) {
      const note = known.get(file.path);
      known.delete(file.path);
      if (note && isAsSeen(note, file)) continue;
      hints.add(file.path);
      if (!note) isNew.push(file);
    }
    for (const path of known.keys()) {
      if (!found.unreadable.some((folder) => path.startsWith(`${folder}/`))) hints.add(path);
    }
    db.transaction(() => {
      for (const file of isNew) {
        notes.insertPending({
          id: newId('note') as NoteId,
          vaultId: vault.id,
          path: file.path,
          title: baseName(file.path),
          bytes: file.bytes,
          mtimeMs: -1,
        });
      }
    });
    log.info({ files: found.files.length, changed: hints.size }, 'vault walked');
    if (isNew.length > 0) ports.onNotes();
    if (watcher) {
      clearTimeout(walkTimer);
      walkTimer = setTimeout(walkSoon, WALK_EVERY_MS).unref();
    }
    return true;
  };

  const isAsSeen = (note: NoteRecord, file: FoundFile): boolean => {
    if (note.status === 'pending' || note.mtimeMs !== file.mtimeMs || note.bytes !== file.bytes) return false;
    return note.status !== 'indexed' || note.chunkerVersion === CHUNKER_VERSION;
  };

  const eraseGone = async (): Promise<boolean> => {
    const reason = await missing();
    if (reason !== null) {
      unavailable(reason);
      return false;
    }
    const paths = [...gone];
    gone.clear();
    for (let at = 0; at < paths.length; at += BATCH) {
      const some = paths.slice(at, at + BATCH);
      const back = await Promise.all(
        some.map(async (path) => rules.file(path).kind !== 'out' && (await existsExactly(vault.path, path))),
      );
      db.transaction(() => {
        for (const [index, path] of some.entries()) {
          const note = notes.byPath(vault.id, path);
          if (back[index]) hints.add(path);
          else if (note) notes.erase(note.id);
        }
      });
    }
    ports.onNotes();
    return true;
  };

  const startWatching = () => {
    watcher ??= watchVault(vault.path, rules, { onHint: hint, onFolder: hintFolder, onLost: walkSoon, log });
    walkSoon();
  };

  return {
    watch: startWatching,
    reconcile: () =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        if (paused) {
          paused = false;
          state = 'idle';
        }
        walkSoon();
      }),
    progress,
    busy: () => walkWanted || hints.size > 0 || state === 'scanning' || state === 'indexing',
    pause: () => {
      paused = true;
      tell('paused');
    },
    resume: () => {
      paused = false;
      if (state === 'paused') state = 'idle';
      walkSoon();
    },
    setIgnorePatterns: (next) => {
      patterns = next;
      rules = createIgnoreRules(vault.path, patterns, log);
      if (!watcher) return walkSoon();
      // Folders that were left out are not watched yet.
      void watcher.close();
      watcher = null;
      startWatching();
    },
    retry: (failed) => {
      notes.setPending(failed.map((note) => note.id));
      for (const note of failed) hints.add(note.path);
      ports.onNotes();
      wake();
    },
    close: async () => {
      closing.abort();
      clearTimeout(quietTimer);
      clearTimeout(walkTimer);
      await watcher?.close();
      await working;
      for (const waiter of waiting.splice(0)) waiter.reject(closing.signal.reason);
    },
  };
}

/** The vault's folder cannot be reached; what was indexed of it is kept. */
export class VaultUnavailable extends Error {}
