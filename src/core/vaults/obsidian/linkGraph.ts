import { lookupKey } from '../../support/paths.ts';

/**
 * Which of the notes that bear a link's name it means, as Obsidian decides: the one whose path ends with the whole
 * target, else the one nearest to the vault's root; ties by path.
 * @param target the link's target as written, e.g. `Projets/Plan`, `../Plan.md` or `Plan`
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
