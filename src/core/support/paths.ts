import { sep } from 'node:path';

/** The lookup key of a path or name: Unicode NFC, lower case, `/` between folders. */
export function lookupKey(path: string): string {
  return path.replaceAll('\\', '/').normalize('NFC').toLowerCase();
}

/** Last part of a `/` path, without the note's extension. */
export function baseName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.replace(/\.(md|markdown|canvas)$/i, '');
}

/** The lookup key of a note by the last part of a wikilink. */
export function nameKey(path: string): string {
  return lookupKey(baseName(path));
}

/** Is `inner` the folder `outer`, or inside it? Both paths are absolute. */
export function isInside(inner: string, outer: string): boolean {
  return `${inner}${sep}`.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`);
}

/** Is one folder equal to the other, or inside it? Both paths are absolute. */
export function overlaps(one: string, other: string): boolean {
  return isInside(one, other) || isInside(other, one);
}
