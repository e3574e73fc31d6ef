import { sep } from 'node:path';

/** The key under which a path or a name is looked up: one Unicode form (NFC), case folded, `/` between folders. */
export function lookupKey(path: string): string {
  return path.replaceAll('\\', '/').normalize('NFC').toLowerCase();
}

/** Last part of a `/` path, without the note's extension. */
export function baseName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.replace(/\.(md|markdown|canvas)$/i, '');
}

/** The key under which a note is found by a wikilink's last part. */
export function nameKey(path: string): string {
  return lookupKey(baseName(path));
}

/** Is one folder the other, or within it? Absolute paths. */
export function overlaps(one: string, other: string): boolean {
  return `${one}${sep}`.startsWith(`${other}${sep}`) || `${other}${sep}`.startsWith(`${one}${sep}`);
}
