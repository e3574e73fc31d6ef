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
