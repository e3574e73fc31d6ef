import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import type { Logger } from '../support/logger.ts';

/**
 * What the first hundred bytes of every database of this program hold, whatever is in it: see “The Database Header” in
 * https://www.sqlite.org/fileformat2.html. All but the modes of the log (a copy has others), counts and the version of the schema.
 */
const FIXED: readonly [offset: number, bytes: Buffer][] = [
  [0, Buffer.from('SQLite format 3\0', 'latin1')],
  // Pages of 4,096 bytes.
  [16, Buffer.from([0x10, 0])],
  // No bytes of a page are reserved; shares of a page that a record may take.
  [20, Buffer.from([0, 64, 32, 32])],
  // The newest format of schemas.
  [44, Buffer.from([0, 0, 0, 4])],
  // Nothing is vacuumed by itself; UTF-8.
  [52, Buffer.from([0, 0, 0, 0, 0, 0, 0, 1])],
  [64, Buffer.alloc(4)],
  [72, Buffer.alloc(20)],
];

/** Whether the file is written and read with a log (2) or without (1). */
const MODES = 18;

/**
 * Puts one bit of the header right that flipped: SQLite would refuse the file, or read and write it as another format. A header that
 * differs in more than a bit is left as it is.
 */
export function mendHeader(path: string, log?: Logger): void {
  const file = openSync(path, 'r+');
  try {
    const header = Buffer.alloc(100);
    if (readSync(file, header, 0, header.length, 0) < header.length) return;
    const right = Buffer.from(header);
    for (const [offset, bytes] of FIXED) bytes.copy(right, offset);
    const [write, read] = [header[MODES], header[MODES + 1]];
    if (write !== read) right.fill([write, read].includes(1) ? 1 : 2, MODES, MODES + 2);
    if (bitsBetween(header, right) !== 1) return;
    writeSync(file, right, 0, right.length, 0);
    fsyncSync(file);
    log?.warn('a bit of the header of the database was put right');
  } finally {
    closeSync(file);
  }
}

function bitsBetween(one: Buffer, other: Buffer): number {
  let bits = 0;
  for (const [at, byte] of one.entries())
    for (let rest = byte ^ (other[at] as number); rest > 0; rest &= rest - 1) bits += 1;
  return bits;
}
