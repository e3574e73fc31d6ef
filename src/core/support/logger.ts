import { mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';

export type Logger = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'> & {
  child(bindings: Record<string, string>): Logger;
};

const MAX_LOG_BYTES = 5_000_000;

/**
 * Writes JSON lines to `dir/souvenir.log` (0600) and keeps one older file. Callers log ids, counts, durations and error codes,
 * never the text of notes or messages.
 */
export function createLogger(dir: string): Logger {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = join(dir, 'souvenir.log');
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_LOG_BYTES) renameSync(file, `${file}.1`);
  return pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: file, sync: true, mode: 0o600 }),
  );
}
