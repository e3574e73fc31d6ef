import { AppError } from '../errors.ts';
import type { Blob, ByteStream } from './blob.ts';

declare const DecompressionStream: new (format: 'deflate-raw') => { readable: AsyncIterable<Uint8Array> };
declare const TextDecoder: new () => { decode(bytes: Uint8Array): string };

/** A file in a zip file. */
export interface ZipEntry {
  name: string;
  /** Bytes of its content, as the zip file says. */
  size: number;
  /** Its content. @throws AppError ZIP_UNREADABLE if it is not what the zip file says, as soon as it is larger */
  content(): AsyncIterable<Uint8Array>;
}

// Sizes and signatures: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
const END64_BYTES = 56;
const LOCATOR64_BYTES = 20;
const LONGEST_COMMENT = 0xffff;
const SIGNATURE = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50, end64: 0x06064b50 };
const UNSET_16 = 0xffff;
const UNSET_32 = 0xffffffff;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
/** More names than the photographs of a lifetime. */
const LARGEST_DIRECTORY = 256 << 20;

/**
 * Lists the files of a zip file, of which only the directory is read.
 * @param name of the zip file, for the message
 * @throws AppError ZIP_UNREADABLE
 */
export async function readZip(name: string, zip: Blob): Promise<ZipEntry[]> {
  const refuse = (reason: string) => new AppError('ZIP_UNREADABLE', { path: name, reason });
  const { at, size, count } = await findDirectory(zip, refuse);
  if (size > LARGEST_DIRECTORY || at + size > zip.size) throw refuse('directory');
  const view = await viewOf(zip, at, at + size);
  const entries: ZipEntry[] = [];
  for (let from = 0; entries.length < count; ) {
    if (from + CENTRAL_BYTES > size || view.getUint32(from, true) !== SIGNATURE.central)
      throw refuse('directory');
    const next = endOfCentral(view, from);
    if (next > size) throw refuse('directory');
    const entry = readCentral(view, from);
    from = next;
    entries.push({ name: entry.name, size: entry.size, content: () => contentOf(zip, entry, refuse) });
  }
  return entries;
}

/** Begins it as a zip file does? */
export async function isZip(blob: Blob): Promise<boolean> {
  if (blob.size < END_BYTES) return false;
  const signature = (await viewOf(blob, 0, 4)).getUint32(0, true);
  return signature === SIGNATURE.local || signature === SIGNATURE.end;
}

type Refuse = (reason: string) => AppError;

interface Central {
  name: string;
  flags: number;
  method: number;
  crc: number;
  packed: number;
  size: number;
  at: number;
}

async function findDirectory(
  zip: Blob,
  refuse: Refuse,
): Promise<{ at: number; size: number; count: number }> {
  const from = Math.max(0, zip.size - END_BYTES - LONGEST_COMMENT);
  const view = await viewOf(zip, from, zip.size);
  let end = view.byteLength - END_BYTES;
  while (end >= 0 && view.getUint32(end, true) !== SIGNATURE.end) end -= 1;
  if (end < 0) throw refuse('cut off');
  const found = {
    count: view.getUint16(end + 10, true),
    size: view.getUint32(end + 12, true),
    at: view.getUint32(end + 16, true),
  };
  if (found.count !== UNSET_16 && found.size !== UNSET_32 && found.at !== UNSET_32) return found;
  const locator = end - LOCATOR64_BYTES;
  if (locator < 0) throw refuse('directory');
  const at64 = Number(view.getBigUint64(locator + 8, true));
  if (at64 + END64_BYTES > zip.size) throw refuse('directory');
  const end64 = await viewOf(zip, at64, at64 + END64_BYTES);
  if (end64.getUint32(0, true) !== SIGNATURE.end64) throw refuse('directory');
  return {
    count: Number(end64.getBigUint64(32, true)),
    size: Number(end64.getBigUint64(40, true)),
    at: Number(end64.getBigUint64(48, true)),
  };
}

function endOfCentral(view: DataView, from: number): number {
  const lengths = [28, 30, 32].map((at) => view.getUint16(from + at, true));
  return lengths.reduce((end, length) => end + length, from + CENTRAL_BYTES);
}

/** @param from of a header that lies in `view` up to its end */
function readCentral(view: DataView, from: number): Central {
  const nameBytes = view.getUint16(from + 28, true);
  const extraBytes = view.getUint16(from + 30, true);
  const nameAt = from + CENTRAL_BYTES;
  const entry = {
    name: textIn(view, nameAt, nameBytes),
    flags: view.getUint16(from + 8, true),
    method: view.getUint16(from + 10, true),
    crc: view.getUint32(from + 16, true),
    packed: view.getUint32(from + 20, true),
    size: view.getUint32(from + 24, true),
    at: view.getUint32(from + 42, true),
  };
  for (let at = nameAt + nameBytes; at + 4 <= nameAt + nameBytes + extraBytes; ) {
    const end = at + 4 + view.getUint16(at + 2, true);
    if (view.getUint16(at, true) === 1 && end <= view.byteLength)
      readExtra64(view, { at: at + 4, end }, entry);
    at = end;
  }
  return entry;
}

/** Sizes that 32 bits do not hold stand here, in this order, those that are unset alone. */
function readExtra64(view: DataView, { at, end }: { at: number; end: number }, entry: Central): void {
  let next = at;
  for (const field of ['size', 'packed', 'at'] as const) {
    if (entry[field] !== UNSET_32 || next + 8 > end) continue;
    entry[field] = Number(view.getBigUint64(next, true));
    next += 8;
  }
}

async function* contentOf(zip: Blob, entry: Central, refuse: Refuse): AsyncGenerator<Uint8Array> {
  if ((entry.flags & ENCRYPTED) !== 0) throw refuse('encrypted');
  if (entry.at + LOCAL_BYTES > zip.size) throw refuse('cut off');
  const local = await viewOf(zip, entry.at, entry.at + LOCAL_BYTES);
  if (local.getUint32(0, true) !== SIGNATURE.local) throw refuse('directory');
  const at = entry.at + LOCAL_BYTES + local.getUint16(26, true) + local.getUint16(28, true);
  if (at + entry.packed > zip.size) throw refuse('cut off');
  let size = 0;
  let crc = 0;
  try {
    for await (const bytes of unpacked(zip.slice(at, at + entry.packed).stream(), entry.method)) {
      size += bytes.length;
      if (size > entry.size) throw refuse('larger than it says');
      crc = addToCrc(crc, bytes);
      yield bytes;
    }
  } catch (error) {
    // What cannot be inflated is a TypeError in browsers, and in Node an error with zlib's code.
    throw error instanceof AppError ? error : refuse('damaged');
  }
  if (size !== entry.size || crc !== entry.crc) throw refuse('damaged');
}

function unpacked(packed: ByteStream, method: number): AsyncIterable<Uint8Array> {
  if (method === STORED) return packed;
  if (method === DEFLATED) return packed.pipeThrough(new DecompressionStream('deflate-raw'));
  throw new TypeError(`method ${method}`);
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function addToCrc(crc: number, bytes: Uint8Array): number {
  let value = ~crc;
  for (const byte of bytes) value = (value >>> 8) ^ (CRC_TABLE[(value ^ byte) & 0xff] as number);
  return ~value >>> 0;
}

async function viewOf(blob: Blob, from: number, to: number): Promise<DataView> {
  return new DataView(await blob.slice(from, to).arrayBuffer());
}

function textIn(view: DataView, at: number, bytes: number): string {
  return new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at, bytes));
}
