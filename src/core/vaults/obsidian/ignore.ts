import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import createIgnore from 'ignore';
import type { NoteReason } from '../../../shared/contract/notes.ts';
import type { Logger } from '../../support/logger.ts';

/** What is done with a path of a vault: `read` it, list it as set `aside` with a reason, or leave it `out`. */
export type Treatment = { kind: 'read' } | { kind: 'aside'; reason: NoteReason } | { kind: 'out' };

export interface IgnoreRules {
  file(path: string): Treatment;
  /** Is nothing under this folder wanted? */
  folderIsOut(path: string): boolean;
}

const NOTE = /\.(md|markdown|canvas)$/i;
/** Copies that sync tools leave beside a note when two devices changed it: Syncthing, Dropbox, iCloud, Obsidian Sync. */
const CONFLICT_COPY =
  /\.sync-conflict-\d{8}-\d{6}|\((?:.{1,80}['’]s )?conflicted copy\b|\(copie en conflit\b|\(Conflicted copy /i;
/** Files that editors and sync tools write on the way to an atomic save. */
const TEMPORARY = /^(?:~\$|\.#|\.syncthing\.|\.~)|\.(?:tmp|crswap|swp|partial)$|~$/i;

/**
 * Rules of one vault: hidden folders (`.obsidian`, `.trash`, `.git`), the vault's own `userIgnoreFilters`, and the
 * user's patterns, which read like those of a `.gitignore`.
 */
export function createIgnoreRules(root: string, patterns: readonly string[], log: Logger): IgnoreRules {
  const user = createIgnore({ ignorecase: true, allowRelativePaths: true }).add(
    patterns.filter((line) => line.trim() !== ''),
  );
  const obsidian = readObsidianFilters(root, log);
  const isOut = (path: string, folder: boolean) =>
    path.split('/').some((part) => part.startsWith('.')) ||
    path.split('/').includes('node_modules') ||
    user.ignores(folder ? `${path}/` : path) ||
    obsidian.some((filter) => filter(folder ? `${path}/` : path));
  return {
    file: (path) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      if (!NOTE.test(name) || TEMPORARY.test(name) || isOut(path, false)) return { kind: 'out' };
      if (CONFLICT_COPY.test(name)) return { kind: 'aside', reason: 'conflict-copy' };
      return { kind: 'read' };
    },
    folderIsOut: (path) => isOut(path, true),
  };
}

/** `userIgnoreFilters` of Obsidian's settings: path prefixes, or regular expressions between slashes. */
function readObsidianFilters(root: string, log: Logger): ((path: string) => boolean)[] {
  let settings: unknown;
  try {
    settings = JSON.parse(readFileSync(join(root, '.obsidian', 'app.json'), 'utf8'));
  } catch (error) {
    const missing = ['ENOENT', 'ENOTDIR'].includes((error as { code?: string }).code ?? '');
    if (!missing) log.warn({ err: (error as Error).name }, "Obsidian's settings could not be read");
    return [];
  }
  const filters = (settings as { userIgnoreFilters?: unknown } | null)?.userIgnoreFilters;
  if (!Array.isArray(filters)) return [];
  return filters
    .filter((filter): filter is string => typeof filter === 'string' && filter !== '')
    .flatMap((filter) => {
      const expression = /^\/(.{1,300})\/$/.exec(filter)?.[1];
      if (expression === undefined) {
        const prefix = filter.toLowerCase();
        return [(path: string) => path.toLowerCase().startsWith(prefix)];
      }
      try {
        const pattern = new RegExp(expression, 'i');
        return [(path: string) => pattern.test(path)];
      } catch (error) {
        log.warn({ err: (error as Error).name }, "an ignore filter of Obsidian's is not a valid expression");
        return [];
      }
    });
}
