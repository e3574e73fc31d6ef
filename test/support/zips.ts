import { crc32, deflateRawSync } from 'node:zlib';

/** What a made-up zip file says of a file, where it is not the truth. */
export interface ZipLies {
  size?: number;
  crc?: number;
  flags?: number;
  method?: number;
  /** Sizes and places are written as those of large files are. */
  large?: boolean;
}

/** A zip file that holds these files. */
export function zipOf(files: Readonly<Record<string, string>>, lies: ZipLies = {}): Buffer {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text);
    const packed = lies.method === 0 ? content : deflateRawSync(content);
    const fields = {
      name: Buffer.from(name),
      flags: lies.flags ?? 0x800,
      method: lies.method ?? 8,
      crc: lies.crc ?? crc32(content),
      packed: packed.length,
      size: lies.size ?? content.length,
      at,
    };
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(fields.name.length, 26);
    parts.push(local, fields.name, packed);
    central.push(centralOf(fields, lies.large === true));
    at += local.length + fields.name.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  const count = central.length;
  end.writeUInt16LE(lies.large ? 0xffff : count, 10);
  end.writeUInt32LE(lies.large ? 0xffffffff : directory.length, 12);
  end.writeUInt32LE(lies.large ? 0xffffffff : at, 16);
  return Buffer.concat([
    ...parts,
    directory,
    ...(lies.large ? end64Of(at, directory.length, count) : []),
    end,
  ]);
}

function centralOf(
  fields: {
    name: Buffer;
    flags: number;
    method: number;
    crc: number;
    packed: number;
    size: number;
    at: number;
  },
  isLarge: boolean,
): Buffer {
  const { name, flags, method, crc, packed, size, at } = fields;
  const extra = Buffer.alloc(isLarge ? 28 : 0);
  if (isLarge) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(24, 2);
    for (const [index, value] of [size, packed, at].entries())
      extra.writeBigUInt64LE(BigInt(value), 4 + index * 8);
  }
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(flags, 8);
  header.writeUInt16LE(method, 10);
  header.writeUInt32LE(crc, 16);
  header.writeUInt32LE(isLarge ? 0xffffffff : packed, 20);
  header.writeUInt32LE(isLarge ? 0xffffffff : size, 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(isLarge ? 0xffffffff : at, 42);
  return Buffer.concat([header, name, extra]);
}

function end64Of(at: number, size: number, count: number): Buffer[] {
  const end = Buffer.alloc(56);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(size), 40);
  end.writeBigUInt64LE(BigInt(at), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(at + size), 8);
  return [end, locator];
}
