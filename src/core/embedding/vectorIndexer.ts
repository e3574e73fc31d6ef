import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { VectorProgress } from '../../shared/contract/app.ts';
import { AppError, codeOf } from '../../shared/errors.ts';
import { CHUNKER_VERSION } from '../items/chunkerVersion.ts';
import { KINDS, type Kind } from '../items/index.ts';
import type { Clock } from '../support/clock.ts';
import { sha256 } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { BUILT_IN, type Embedder, startEmbedder } from './embedder.ts';
import { measureSimilarity, type Similarity, type SimilarityScale, similarityOn } from './similarity.ts';
import type { VectorRow } from './vectorMatrix.ts';
import type { VectorMirror } from './vectorMirror.ts';
import type { OutboxEntry, VectorOutbox } from './vectorOutbox.ts';
import { eraseVectors, VectorsDamaged, VectorTable } from './vectorTable.ts';

export interface VectorIndexerPorts {
  dataDir: string;
  outbox: VectorOutbox;
  /** The copy of the serving index that search reads. */
  mirror: VectorMirror;
  /** The `embedder` setting. */
  wanted(): string;
  clock: Clock;
  log: Logger;
  onProgress(progress: VectorProgress): void;
}

/** The index that answers: its vectors are those of the mirror. */
export interface Serving {
  fingerprint: string;
  embedder: Embedder;
  scale: SimilarityScale;
  similarity: Similarity;
}

interface Index extends Serving {
  table: VectorTable;
  dir: string;
}

export interface VectorDifference {
  kind: Kind;
  id: string;
  problem: 'missing' | 'stale' | 'orphan' | 'double';
}

export type VectorIndexer = ReturnType<typeof createVectorIndexer>;

/** Rows of one write to LanceDB: each makes a version and several files. */
const BATCH = 512;
/** Texts that the embedder is given at once, so that it can be stopped in between. */
const EMBEDDED_AT_ONCE = 64;
/** After so many writes queries of the table would begin to slow down (500 writes: seven times). */
const OPTIMISE_AFTER = 40;
const RETRY_MS = 5_000;
const GATHER_MS = 60;
const PROGRESS_EVERY_MS = 200;

/**
 * Keeps a vector of every row. SQLite is the truth: triggers write into an outbox which rows changed, in the transaction that
 * changes them, and one loop brings the index to what they say. At the start rows and index are compared, so that an index
 * that was damaged, deleted or restored from elsewhere comes right unaided. Another embedder means another index, built
 * beside the one that goes on answering.
 */
export function createVectorIndexer(ports: VectorIndexerPorts) {
  const { outbox, log, clock } = ports;
  const root = join(ports.dataDir, 'vectors');
  let stopping = new AbortController();
  let serving: Index | null = null;
  let building: Index | null = null;
  let problem: VectorProgress['problem'] = null;
  let started: Promise<void> | null = null;
  let working: Promise<void> | null = null;
  let retryTimer: NodeJS.Timeout | undefined;
  let wakeTimer: NodeJS.Timeout | undefined;
  let closed = false;
  let toldAt = 0;

  const progress = (): VectorProgress => {
    const index = building ?? serving;
    return {
      state: problem
        ? 'failed'
        : !index
          ? 'starting'
          : building
            ? 'rebuilding'
            : working
              ? 'working'
              : 'ready',
      embedder: serving?.embedder.id ?? null,
      vectors: index?.table.size ?? 0,
      pending: outbox.count(),
      problem,
    };
  };
  const tell = (now = false) => {
    if (!now && performance.now() - toldAt < PROGRESS_EVERY_MS) return;
    toldAt = performance.now();
    ports.onProgress(progress());
  };

  const fingerprintOf = ({ id, dimensions }: Embedder): string =>
    sha256(`${CHUNKER_VERSION} ${id} ${dimensions}`).slice(0, 16);

  const open = async (embedder: Embedder): Promise<{ index: Index; rows: VectorRow[] }> => {
    const fingerprint = fingerprintOf(embedder);
    const dir = join(root, fingerprint);
    const { dimensions } = embedder;
    const scale = await measureSimilarity(embedder);
    const similarity = similarityOn(scale);
    const { table, rows } = await VectorTable.open(dir, dimensions).catch((error: unknown) => {
      if (!(error instanceof VectorsDamaged)) throw error;
      log.warn({ fingerprint, err: error.message }, 'index of vectors is damaged; it is built again');
      eraseVectors(dir);
      return VectorTable.open(dir, dimensions);
    });
    return { index: { fingerprint, embedder, scale, similarity, table, dir }, rows };
  };

  /** From now on `index` answers, and the mirror holds its vectors: both change in the same tick. */
  const serve = (index: Index, rows: readonly VectorRow[]): Index => {
    const { fingerprint, scale, table } = index;
    serving = index;
    ports.mirror.replace({ fingerprint, dimensions: table.dimensions, scale }, rows);
    return index;
  };

  /** What rows and index disagree about, into the outbox. */
  const reconcile = (index: Index): number => {
    let different = 0;
    for (const kind of KINDS) {
      const wanted = outbox.expected(kind);
      const held = index.table.hashes(kind);
      const ids = [
        ...[...wanted].filter(([id, hash]) => held.get(id) !== hash).map(([id]) => id),
        ...[...held.keys()].filter((id) => !wanted.has(id)),
      ];
      different += ids.length;
      if (ids.length > 0) outbox.add(kind, ids);
    }
    return different;
  };

  /** Brings an index to what the rows of some entries say now. */
  const bring = async (index: Index, entries: readonly OutboxEntry[]): Promise<void> => {
    const { table, embedder } = index;
    const texts: { kind: Kind; id: string; hash: string; text: string }[] = [];
    const gone = new Map<Kind, string[]>();
    for (const entry of entries) {
      const row = outbox.read(entry);
      const { kind, id } = entry;
      if (!row) gone.set(kind, [...(gone.get(kind) ?? []), id]);
      else if (table.hashes(kind).get(id) !== row.hash) texts.push({ kind, id, ...row });
    }
    const rows: VectorRow[] = [];
    for (let at = 0; at < texts.length; at += EMBEDDED_AT_ONCE) {
      const some = texts.slice(at, at + EMBEDDED_AT_ONCE);
      const vectors = await embedder.embedPassages(
        some.map(({ text }) => text),
        stopping.signal,
      );
      for (const [place, { kind, id, hash }] of some.entries()) {
        rows.push({ kind, id, hash, vector: vectors[place] as Float32Array });
      }
    }
    for (const [kind, ids] of gone) {
      await table.remove(kind, ids);
      if (index === serving) ports.mirror.remove(kind, ids);
    }
    await table.put(rows);
    if (index === serving) ports.mirror.put(rows);
    if (table.writes >= OPTIMISE_AFTER) await table.optimise();
  };

  const drain = async (): Promise<void> => {
    let wrote = false;
    for (let entries = outbox.next(BATCH); entries.length > 0; entries = outbox.next(BATCH)) {
      if (stopping.signal.aborted || !serving) return;
      try {
        await bring(serving, entries);
        if (building) await bring(building, entries);
        outbox.done(entries);
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (!serving.embedder.alive()) throw error;
        await isolate(entries, error);
      }
      wrote = true;
      tell();
    }
    if (building && !stopping.signal.aborted) {
      // Entries that fail for good stay in the outbox, and do not keep the rest waiting.
      if (reconcile(building) > 0 && outbox.count() > 0) return drain();
      await switchOver(building);
    }
    if (wrote && serving) await serving.table.optimise();
    problem = null;
  };

  /** One text that the embedder chokes on must not hold the others up. */
  const isolate = async (entries: readonly OutboxEntry[], cause: unknown): Promise<void> => {
    log.warn({ entries: entries.length, err: cause }, 'vectors could not be written; one by one now');
    let failures = 0;
    for (const entry of entries) {
      if (stopping.signal.aborted || !serving) return;
      try {
        await bring(serving, [entry]);
        if (building) await bring(building, [entry]);
        outbox.done([entry]);
      } catch (error) {
        failures += 1;
        outbox.failed([entry]);
        log.error({ kind: entry.kind, id: entry.id, err: error }, 'vector could not be written');
        // Nothing works: the embedder or the disk is ill, not the text.
        if (failures >= 3) throw error;
      }
    }
  };

  /** Writes down that `index` is the one that answers, so that the next start knows it. */
  const appoint = (index: Index, embedder: string): Index => {
    const { fingerprint } = index;
    outbox.setIndex({ fingerprint, embedder, state: 'serving', at: clock.now() });
    return index;
  };

  /** The new index holds everything: it answers from now on, and the old one goes. */
  const switchOver = async (next: Index): Promise<void> => {
    const old = serving;
    const rows = await next.table.readAll();
    serve(appoint(next, ports.wanted()), rows);
    building = null;
    log.info(
      { embedder: next.embedder.id, vectors: next.table.size },
      'another index of vectors answers now',
    );
    if (!old) return;
    old.table.close();
    eraseVectors(old.dir);
    await old.embedder.close();
  };

  const wake = () => {
    if (working || stopping.signal.aborted || !serving) return;
    working = drain()
      .catch((error: unknown) => {
        problem = codeOf(error);
        log.error({ err: error }, 'vectors are behind; tried again later');
        clearTimeout(retryTimer);
        retryTimer = setTimeout(restart, RETRY_MS).unref();
      })
      .finally(() => {
        working = null;
        tell(true);
        if (!problem && outbox.count() > 0) wake();
      });
  };

  /** Rows change many at a time: they are taken up together. */
  const wakeSoon = () => {
    clearTimeout(wakeTimer);
    if (serving) wakeTimer = setTimeout(wake, GATHER_MS).unref();
  };

  /** A dead embedder thread is started again; the index stays open. */
  const restart = () => {
    const index = serving;
    if (!index || stopping.signal.aborted) return;
    const setting = outbox.indexes().find(({ state }) => state === 'serving')?.embedder ?? ports.wanted();
    startEmbedder(setting, log)
      .then(async (embedder) => {
        if (fingerprintOf(embedder) !== index.fingerprint)
          throw new AppError('EMBEDDER_FAILED', { reason: 'it changed' });
        const old = index.embedder;
        index.embedder = embedder;
        problem = null;
        outbox.retry();
        wake();
        await old.close();
      })
      .catch((error: unknown) => {
        log.error({ err: error }, 'embedder could not be started again');
        retryTimer = setTimeout(restart, RETRY_MS * 6).unref();
      });
  };

  const eraseStrangers = () => {
    const kept = new Set([serving?.fingerprint, building?.fingerprint]);
    if (!existsSync(root)) return;
    for (const name of readdirSync(root)) if (!kept.has(name)) eraseVectors(join(root, name));
  };

  /**
   * The embedder of the index that answered before, where it can still be asked: not one whose folder is gone, nor one that changed
   * under its name (a new version of Souvenir, another file).
   */
  const startPredecessor = async (
    setting: string,
    known: { fingerprint: string; embedder: string } | undefined,
  ): Promise<Embedder | null> => {
    if (!known || known.embedder === setting || !existsSync(join(root, known.fingerprint))) return null;
    try {
      const old = await startEmbedder(known.embedder, log);
      if (fingerprintOf(old) === known.fingerprint) return old;
      await old.close();
    } catch (error) {
      log.warn({ err: error }, 'the former embedder cannot be used; its index goes');
    }
    return null;
  };

  const begin = async (): Promise<void> => {
    const setting = ports.wanted();
    const known = outbox.indexes().find(({ state }) => state === 'serving');
    let wanted: Embedder | null = null;
    try {
      wanted = await startEmbedder(setting, log);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      problem = codeOf(error);
      log.error({ err: error }, 'the chosen embedder cannot be used');
    }
    if (!wanted) {
      const fallback = known?.embedder ?? BUILT_IN;
      const embedder = await startEmbedder(fallback, log).catch(() => startEmbedder(BUILT_IN, log));
      const { index, rows } = await open(embedder);
      serve(index, rows);
    } else if (known?.fingerprint === fingerprintOf(wanted)) {
      const { index, rows } = await open(wanted);
      serve(index, rows);
    } else {
      const old = await startPredecessor(setting, known);
      if (old) {
        // What there is answers while its successor is built.
        const { index, rows } = await open(old);
        serve(index, rows);
        building = (await open(wanted)).index;
      } else {
        const { index, rows } = await open(wanted);
        serve(appoint(index, setting), rows);
      }
    }
    outbox.retry();
    eraseStrangers();
    if (serving) reconcile(serving);
    if (building) reconcile(building);
    tell(true);
  };

  const start = (): Promise<void> => {
    if (closed) return Promise.resolve();
    started ??= begin()
      .catch((error: unknown) => {
        problem ??= codeOf(error);
        log.error({ err: error }, 'there are no vectors; text answers alone');
      })
      .finally(() => {
        wake();
        tell(true);
      });
    return started;
  };

  /** Stops everything that runs; the index can be opened again. */
  const shut = async (): Promise<void> => {
    stopping.abort();
    clearTimeout(retryTimer);
    clearTimeout(wakeTimer);
    await started;
    await working;
    for (const index of [serving, building]) {
      index?.table.close();
      await index?.embedder.close();
    }
    serving = null;
    building = null;
    ports.mirror.clear();
    started = null;
    if (!closed) stopping = new AbortController();
  };

  return {
    /** Opens the index, or makes one. Never throws: without vectors, text answers alone. */
    start,
    /** What answers now; null before `start`, or where there are no vectors. */
    serving: (): Serving | null => serving,
    progress,
    /** Rows changed: the outbox may hold something. */
    wakeSoon,
    /** Waits until every row has its vector, or it is known that some cannot have one. */
    settled: async (): Promise<void> => {
      await start();
      while (serving && !problem && (working || outbox.count() > 0)) {
        wake();
        await working;
      }
    },
    /** Is `setting` an embedder that can be used? @throws AppError EMBEDDER_UNUSABLE */
    check: async (setting: string): Promise<void> => {
      if (setting !== BUILT_IN) await (await startEmbedder(setting, log)).close();
    },
    /** Takes the embedder that the setting names now. The old index answers until the new one is complete. */
    change: async (): Promise<void> => {
      if (!started) return;
      await shut();
      problem = null;
      await start();
    },
    /** Rows against the index as it is on the disk. */
    compare: async (): Promise<VectorDifference[]> => {
      const index = serving;
      if (!index)
        return KINDS.flatMap((kind) =>
          [...outbox.expected(kind).keys()].map((id) => ({ kind, id, problem: 'missing' as const })),
        );
      const differences: VectorDifference[] = [];
      const seen = new Set<string>();
      const wanted = new Map(KINDS.map((kind) => [kind, outbox.expected(kind)]));
      for (const { kind, id, hash } of await index.table.onDisk()) {
        const rows = wanted.get(kind) as Map<string, string>;
        if (seen.has(`${kind} ${id}`)) differences.push({ kind, id, problem: 'double' });
        else if (!rows.has(id)) differences.push({ kind, id, problem: 'orphan' });
        else if (rows.get(id) !== hash) differences.push({ kind, id, problem: 'stale' });
        seen.add(`${kind} ${id}`);
      }
      for (const [kind, rows] of wanted) {
        for (const id of rows.keys()) {
          if (!seen.has(`${kind} ${id}`)) differences.push({ kind, id, problem: 'missing' });
        }
      }
      return differences;
    },
    /** Throws the index away and builds it from the rows. */
    rebuild: async (): Promise<void> => {
      await shut();
      eraseVectors(root);
      await start();
    },
    close: async (): Promise<void> => {
      closed = true;
      await shut();
    },
  };
}
