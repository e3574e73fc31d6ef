import { lookupKey } from '../../support/paths.ts';

/**
 * The note that a link means, as Obsidian decides: of those whose path ends with the whole target, the one with the fewest folders
 * above it, and of several the first by path. Null if there is none.
 * @param target the link's target as written, for example `Projets/Plan`, `../Plan.md` or `Plan`
 * @param named the notes whose file name is the last part of the target
 */
export function resolveLink<T extends { path: string }>(target: string, named: readonly T[]): T | null {
  const key = lookupKey(target)
    .replace(/^(?:\.{1,2}\/)+|^\/+/, '')
    .replace(/\.(md|markdown|canvas)$/, '');
  const depth = (path: string) => path.split('/').length;
  const ranked = named
    .map((note) => ({ note, path: lookupKey(note.path).replace(/\.(md|markdown|canvas)$/, '') }))
    .filter(({ path }) => path === key || path.endsWith(`/${key}`))
    .sort((one, other) => depth(one.path) - depth(other.path) || (one.path < other.path ? -1 : 1));
  return ranked[0]?.note ?? null;
}
