import { z } from 'zod';
import type { VaultId } from './ids.ts';

/** Characters that Obsidian or a file system forbids in names, and parts that would lead elsewhere or be hidden. */
const FORBIDDEN = /[\p{Cc}\\:*?"<>|#^[\]]/u;

/** Can a note have this path in a vault: relative, `/` between folders, nothing hidden, and a name that ends in `.md`? */
export function isNotePath(path: string): boolean {
  const parts = path.split('/');
  return (
    /[^.]\.md$/i.test(path) &&
    !FORBIDDEN.test(path) &&
    parts.every((part) => part.trim() === part && part !== '' && !part.startsWith('.') && part.length <= 200)
  );
}

/** Where the facts note is: the id of a vault, `/`, and the note's path in it; empty for no such note. */
export const FactsNotePlace = z
  .string()
  .max(1_000)
  .refine((place) => place === '' || placeOf(place) !== null);

/** The vault and path of the setting `factsNote`; null if there is to be no such note. */
export function placeOf(setting: string): { vaultId: VaultId; path: string } | null {
  const [, vaultId, path] = /^([^/]+)\/(.+)$/s.exec(setting) ?? [];
  return vaultId !== undefined && path !== undefined && isNotePath(path)
    ? { vaultId: vaultId as VaultId, path }
    : null;
}

/** The path of the facts note if it is in this vault. */
export function factsNoteIn(setting: string, vaultId: VaultId): string | null {
  const place = placeOf(setting);
  return place?.vaultId === vaultId ? place.path : null;
}
