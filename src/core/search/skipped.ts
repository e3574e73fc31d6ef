import type { SkipReason } from '../../shared/contract/reasons.ts';
import { AppError } from '../../shared/errors.ts';
import type { ErrorTrace } from './findings.ts';

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
  return { code: 'failed', figures: { error: codeOf(error) ?? 'INTERNAL' } };
}

/** What may be logged of an error that was met while notes were read: not its message, which may quote them. */
export function traceOf(error: unknown): ErrorTrace {
  const { name = 'Error', stack = '' } = error instanceof Error ? error : {};
  const at = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return { name, code: codeOf(error), at: at.map((line) => line.trim()) };
}

function codeOf(error: unknown): string | null {
  const { code } = error instanceof AppError ? error : (error as { code?: unknown });
  return typeof code === 'string' ? code : null;
}
