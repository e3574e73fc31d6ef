import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

export type RegularFile =
  | { kind: 'content'; content: Buffer; stat: Stats }
  | { kind: 'too-large'; stat: Stats }
  /** A folder, a FIFO, a socket or a device. */
  | { kind: 'special'; stat: Stats };

/** Darwin's O_NOFOLLOW_ANY (sys/fcntl.h), which Node does not name: no part of the path may be a link. */
const NO_LINK_ANYWHERE = process.platform === 'darwin' ? 0x2000_0000 : 0;
const NO_LINK = (constants.O_NOFOLLOW ?? 0) | NO_LINK_ANYWHERE;
/** With it, opening a FIFO that nobody writes to returns at once. */
const NO_WAIT = constants.O_NONBLOCK ?? 0;

/**
 * Opens a file without waiting for anybody and without following a link in its last part.
 * @throws the file system's error; its code is ELOOP for a link
 */
export function openWithoutLinks(path: string, flags = 0): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | NO_LINK | NO_WAIT | flags);
}

/**
 * Reads a small file of which nothing is known, through links. Null for anything else than a file, which is not read, and for one of
 * more than `maxBytes`.
 * @throws the file system's error
 */
export function readRegularFileSync(path: string, maxBytes: number): Buffer | null {
  return readOpenSync(openSync(path, constants.O_RDONLY | NO_WAIT), maxBytes);
}

/** As `readRegularFileSync`, but its path must not end in a link. @throws the file system's error; its code is ELOOP for a link */
export function readUnlinkedSync(path: string, maxBytes: number): Buffer | null {
  return readOpenSync(openSync(path, constants.O_RDONLY | NO_LINK | NO_WAIT), maxBytes);
}

function readOpenSync(file: number, maxBytes: number): Buffer | null {
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > maxBytes) return null;
    const buffer = Buffer.alloc(stat.size);
    return buffer.subarray(0, readSync(file, buffer, 0, stat.size, 0));
  } finally {
    closeSync(file);
  }
}

/** Reads an opened file as long as it was when it was looked at, so that one that grows without end is read to an end. */
export async function readOpened(handle: FileHandle, maxBytes: number): Promise<RegularFile> {
  const stat = await handle.stat();
  if (!stat.isFile()) return { kind: 'special', stat };
  if (stat.size > maxBytes) return { kind: 'too-large', stat };
  const buffer = Buffer.allocUnsafe(stat.size);
  let length = 0;
  while (length < stat.size) {
    const { bytesRead } = await handle.read(buffer, length, stat.size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return { kind: 'content', content: buffer.subarray(0, length), stat };
}
