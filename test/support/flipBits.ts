import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Flips one bit of a file within a text that it holds: wherever the text stands, or at its first place.
 * @throws if the file does not hold it
 */
export function flipWithin(file: string, text: string): void {
  const bytes = readFileSync(file);
  const wanted = Buffer.from(text);
  let found = 0;
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + wanted.length)) {
    const place = at + (wanted.length >> 1);
    bytes[place] = (bytes[place] as number) ^ 1;
    found += 1;
  }
  if (found === 0) throw new Error('the file does not hold this text');
  writeFileSync(file, bytes);
}
