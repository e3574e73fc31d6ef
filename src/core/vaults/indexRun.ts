import type { IndexProgress, IndexReport } from '../../shared/contract/vaults.ts';
import type { NoteCounts } from '../storage/notes/noteList.ts';
import type { NoteRecord } from '../storage/notes/noteRows.ts';

/** Below this the rate says nothing yet. */
const SHORTEST_MEASURE_S = 0.2;

/** What was done from the moment when work came up until none was left. */
export class IndexRun {
  /** Chunks that were written anew. */
  newChunks = 0;
  readonly #startedAt = performance.now();
  /** The rate is measured since then, so that a pause does not count. */
  #measuredFrom = this.#startedAt;
  #looked = 0;

  /** Counts a batch of files that were looked at, and the chunks that are new in them. */
  count({ files, newChunks }: { files: number; newChunks: number }): void {
    this.#looked += files;
    this.newChunks += newChunks;
  }

  /** Work goes on after a pause. */
  resume(): void {
    this.#measuredFrom = performance.now();
    this.#looked = 0;
  }

  seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /** Files a second; null while too few were looked at. */
  rate(): number | null {
    const seconds = (performance.now() - this.#measuredFrom) / 1000;
    return this.#looked > 0 && seconds > SHORTEST_MEASURE_S ? this.#looked / seconds : null;
  }
}

/** The counts and the speed of a vault's index. `due` is the number of paths that are known to need a look. */
export function describeProgress(
  { pending, indexed, skipped, failed, chunks }: NoteCounts,
  run: IndexRun | null,
  due: number,
): Omit<IndexProgress, 'vaultId' | 'since' | 'state' | 'obstacle' | 'problem'> {
  const rate = run?.rate() ?? null;
  return {
    total: pending + indexed + skipped + failed,
    indexed,
    skipped,
    failed,
    pending,
    chunks,
    notesPerSecond: rate,
    secondsLeft: rate === null ? null : Math.max(pending, due) / rate,
  };
}

/** A finished run, before its chunks are embedded. */
export type RunReport = Omit<IndexReport, 'embedded'>;

export function reportRun(run: IndexRun, counts: NoteCounts, failed: readonly NoteRecord[]): RunReport {
  return {
    notes: counts.indexed,
    chunks: counts.chunks,
    unchanged: counts.chunks - run.newChunks,
    failed: failed.map(({ path, reason, detail }) => ({
      path,
      reason: [reason, detail].filter(Boolean).join(': '),
    })),
    seconds: run.seconds(),
  };
}
