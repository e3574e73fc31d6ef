import { join } from 'node:path';
import { pino } from 'pino';
import { LogFile } from './logFile.ts';

export type Logger = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'> & {
  child(bindings: Record<string, string>): Logger;
};

const MAX_LOG_BYTES = 5_000_000;

/**
 * Writes JSON lines to `dir/souvenir.log` (0600) and keeps one older file. Callers log ids, counts, durations and error codes,
 * never the text of notes or messages. No call throws, even if the log cannot be written.
 */
export function createLogger(dir: string): Logger {
  return pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    new LogFile(join(dir, 'souvenir.log'), MAX_LOG_BYTES),
  );
}
