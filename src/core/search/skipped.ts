import type { SkipReason } from '../../shared/contract/reasons.ts';
import { errorCode } from '../../shared/errorTrace.ts';

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
