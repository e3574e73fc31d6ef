import { type ErrorTrace, traceOf } from '../shared/errorTrace.ts';

/**
 * Says what becomes of an error that nothing caught. The last one to be told decides. `handle` may end the process; if it returns, the
 * process goes on.
 */
export function onUncaught(handle: (error: unknown) => void): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.removeAllListeners(event);
    process.on(event, handle);
  }
}

/** Has errors that nothing caught reported without their messages, which may quote a note. The process goes on. */
export function reportUncaught(report: (trace: ErrorTrace) => void): void {
  onUncaught((error) => report(traceOf(error)));
}
