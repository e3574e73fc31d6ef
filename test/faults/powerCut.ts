import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** What a write replaced, see `struct entry` in faults.c. */
interface Replaced {
  offset: number;
  /** Of the file, before the write. */
  size: number;
  bytes: Buffer;
}

const HEADER_BYTES = 40;

/**
 * Undoes what a power cut would have lost: the writes since a file was last synced, all of them, or each with a chance of one half, since
 * a disk writes in any order. Names are left as they are.
 * @param loses whether the next write is lost
 */
export function undoUnsynced(journal: string, under: string, loses: () => boolean): void {
  if (!existsSync(journal)) return;
  const unsynced = readUnsynced(readFileSync(journal));
  for (const path of filesIn(under)) {
    const replaced = unsynced.get(statSync(path, { bigint: true }).ino) ?? [];
    if (replaced.length === 0) continue;
    const file = openSync(path, 'r+');
    for (const { offset, size, bytes } of replaced.reverse()) {
      if (!loses()) continue;
      if (bytes.length > 0) writeSync(file, bytes, 0, bytes.length, offset);
      ftruncateSync(file, size);
    }
    closeSync(file);
  }
}

/** The writes to each file, by its number, since it was made or last synced. The last entry may be cut: its write was never made. */
function readUnsynced(journal: Buffer): Map<bigint, Replaced[]> {
  const unsynced = new Map<bigint, Replaced[]>();
  for (let at = 0; at + HEADER_BYTES <= journal.length; ) {
    const type = String.fromCharCode(journal.readUInt8(at));
    const [inode, ...numbers] = [8, 16, 24, 32].map((place) => journal.readBigUInt64LE(at + place)) as [
      bigint,
      ...bigint[],
    ];
    const [offset, size, length] = numbers.map(Number) as [number, number, number];
    at += HEADER_BYTES;
    if (at + length > journal.length) break;
    const bytes = journal.subarray(at, at + length);
    at += length;
    if (type === 'W') unsynced.set(inode, [...(unsynced.get(inode) ?? []), { offset, size, bytes }]);
    else unsynced.delete(inode);
  }
  return unsynced;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
