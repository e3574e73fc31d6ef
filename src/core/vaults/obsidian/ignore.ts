import type { NoteReason } from '../../../shared/contract/notes.ts';
import type { VaultProblem } from '../../../shared/contract/vaults.ts';
import { lookupKey } from '../../support/paths.ts';
import { compileGlobs } from './globs.ts';
import { type ObsidianFilters, readObsidianFilters } from './obsidianFilters.ts';

/** What becomes of a file: it is read, listed as set `aside` with a reason, or left `out`. */
export type Treatment = { kind: 'read' } | { kind: 'aside'; reason: NoteReason } | { kind: 'out' };

export interface IgnoreRules {
  file(path: string): Treatment;
  /** Is everything in this folder left out? */
  folderIsOut(path: string): boolean;
  /** Is it the note that Souvenir writes? It is watched, and left out of everything else. */
  isOwn(path: string): boolean;
  /** What could not be read of the vault's own filters. */
  problems: readonly VaultProblem[];
}

/** The names of files that are read as notes. */
export const NOTE = /\.(md|markdown|canvas)$/i;
/** Copies that Syncthing, Dropbox, iCloud and Obsidian Sync leave beside a note that two devices changed. */
const CONFLICT_COPY =
  /\.sync-conflict-\d{8}-\d{6}|\((?:.{1,80}['’]s )?conflicted copy\b|\(copie en conflit\b|\(Conflicted copy /i;
/** Temporary files from which editors and sync tools make an atomic save. */
const TEMPORARY = /^(?:~\$|\.#|\.syncthing\.|\.~)|\.(?:tmp|crswap|swp|partial)$|~$/i;

/** The rules of one vault as its folder says them now, see `createIgnoreRules`. */
export async function readIgnoreRules(
  root: string,
  patterns: readonly string[],
  ownNote: string | null = null,
): Promise<IgnoreRules> {
  return createIgnoreRules(patterns, await readObsidianFilters(root), ownNote);
}

/**
 * Left out are files other than notes, everything hidden (`.obsidian`, `.trash`, `.git`), what the vault's own filters name, and what
 * `patterns` match, which have the syntax of a `.gitignore`. An accent may be written in either Unicode form, here and there.
 * @param ownNote path of the note that Souvenir writes, if it is in this vault
 */
export function createIgnoreRules(
  patterns: readonly string[],
  { leavesOut, problems }: ObsidianFilters = { leavesOut: () => false, problems: [] },
  ownNote: string | null = null,
): IgnoreRules {
  const ownKey = ownNote === null ? null : lookupKey(ownNote);
  const isOwn = (path: string) => ownKey !== null && lookupKey(path) === ownKey;
  const user = compileGlobs(patterns.map((pattern) => pattern.normalize('NFC')));
  const isOut = (onDisk: string, isFolder: boolean) => {
    const path = onDisk.normalize('NFC');
    return (
      path.split('/').some((part) => part.startsWith('.') || part === 'node_modules') ||
      user(path, isFolder) ||
      leavesOut(isFolder ? `${path}/` : path)
    );
  };
  return {
    file: (path) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      if (!NOTE.test(name) || TEMPORARY.test(name) || isOut(path, false) || isOwn(path))
        return { kind: 'out' };
      if (CONFLICT_COPY.test(name)) return { kind: 'aside', reason: 'conflict-copy' };
      return { kind: 'read' };
    },
    folderIsOut: (path) => isOut(path, true),
    isOwn,
    problems,
  };
}
