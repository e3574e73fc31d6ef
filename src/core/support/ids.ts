import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

function base32(bytes: Uint8Array): string {
  let out = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out += ALPHABET[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return out;
}

/** A new random id of 80 bits: `prefix_` and 16 characters. */
export function newId(prefix: string): string {
  return `${prefix}_${base32(randomBytes(10))}`;
}

/** An id derived from `parts`: the same parts give the same id (100 bits of SHA-256). */
export function derivedId(prefix: string, ...parts: string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return `${prefix}_${base32(hash.digest()).slice(0, 20)}`;
}

/** Hex SHA-256 of bytes or text. */
export function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Hexadecimal digits of a marker: 48 bits. */
export const MARKER_DIGITS = 12;

/** A marker drawn at random: quoted text that is fenced with it cannot close its fence. */
export function newMarker(): string {
  return randomBytes(MARKER_DIGITS / 2).toString('hex');
}
