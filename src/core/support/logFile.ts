import { mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * A file (0600) that lines are appended to. One that is larger than `maxBytes` when it is opened becomes `<path>.1`. A log must never
 * stop what it tells of: a line that cannot be written, as on a full disk, is dropped and counted, and once lines can be written again,
 * one of them says how many were dropped and why.
 */
export class LogFile {
  readonly #path: string;
  readonly #maxBytes: number;
  #file: number | null = null;
  #dropped = 0;
  /** Code of the first failure since the last line that could be written. */
  #reason = '';
  /** The end of the last line is missing. */
  #isCut = false;

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  /** Appends a line, which ends with a line feed. Never throws. */
  write(line: string): void {
    try {
      if (this.#isCut) this.#append('\n');
      if (this.#dropped > 0) this.#append(describeDropped(this.#dropped, this.#reason));
      this.#dropped = 0;
      this.#append(line);
    } catch (error) {
      if (this.#dropped === 0) this.#reason = (error as { code?: string }).code ?? (error as Error).name;
      this.#dropped += 1;
    }
  }

  #append(text: string): void {
    const file = this.#file ?? this.#open();
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(file, bytes, at);
      this.#isCut = at < bytes.length;
    }
  }

  #open(): number {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const bytes = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes > this.#maxBytes) renameSync(this.#path, `${this.#path}.1`);
    this.#file = openSync(this.#path, 'a', 0o600);
    return this.#file;
  }
}

/** A line in the form of the others; 40 is pino's level of a warning. */
function describeDropped(lines: number, code: string): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 40, time, lines, code, msg: 'lines of the log could not be written' })}\n`;
}
