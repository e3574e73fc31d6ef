import type { SkipReason } from '../../shared/contract/reasons.ts';
import { type ErrorTrace, errorCode, traceOf } from '../../shared/errorTrace.ts';

/** What sources are searched by: FTS5, the terms in memory, the vectors, and what notes are called, carry and link to. */
export type SearchPart = 'text' | 'terms' | 'vectors' | 'names';

/** A part that failed, and what may be logged of it. Plain data. */
export interface PartFailure {
  source: SearchPart | 'phrase';
  reason: SkipReason;
  error: ErrorTrace | null;
}

/** A source did not answer in time, or would have started too late. */
export class Late extends Error {
  readonly elapsedMs: number;
  readonly limitMs: number;

  constructor(elapsedMs: number, limitMs: number) {
    super(`${Math.round(elapsedMs)} ms of ${limitMs}`);
    this.elapsedMs = elapsedMs;
    this.limitMs = limitMs;
  }
}

/** Why a source was left out; never its content. */
export function skipReason(error: unknown): SkipReason {
  if (error instanceof Late) {
    return { code: 'late', figures: { elapsedMs: Math.round(error.elapsedMs), limitMs: error.limitMs } };
  }
  return { code: 'failed', figures: { error: errorCode(error) ?? 'INTERNAL' } };
}

/** Goes on without a part that fails, and keeps what is to be told of it. */
export class Attempts {
  readonly #failed = new Map<SearchPart, unknown>();

  /** What `work` gives; `without` if it fails. */
  run<T>(part: SearchPart, work: () => T, without: T): T {
    try {
      return work();
    } catch (error) {
      this.note(part, error);
      return without;
    }
  }

  note(part: SearchPart, error: unknown): void {
    this.#failed.set(part, error);
  }

  /** The parts that failed since this was asked last. */
  take(): PartFailure[] {
    const failures = [...this.#failed].map(
      ([source, error]): PartFailure => ({ source, reason: skipReason(error), error: traceOf(error) }),
    );
    this.#failed.clear();
    return failures;
  }

  /** For whoever cannot go without: throws what failed since `take`. The terms in memory have a substitute. */
  rethrow(): void {
    const failed = [...this.#failed].find(([part]) => part !== 'terms');
    this.#failed.clear();
    if (failed) throw failed[1];
  }
}
