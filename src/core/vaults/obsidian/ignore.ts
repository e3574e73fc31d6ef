import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import createIgnore from 'ignore';
import type { NoteReason } from '../../../shared/contract/notes.ts';
import type { Logger } from '../../support/logger.ts';

/** What becomes of a file: it is read, listed as set `aside` with a reason, or left `out`. */
export type Treatment = { kind: 'read' } | { kind: 'aside'; reason: NoteReason } | { kind: 'out' };

export interface IgnoreRules {
  file(path: string): Treatment;
  /** Is everything in this folder left out? */
  folderIsOut(path: string): boolean;
}

const NOTE = /\.(md|markdown|canvas)$/i;
/** Copies that Syncthing, Dropbox, iCloud and Obsidian Sync leave beside a note that two devices changed. */
const CONFLICT_COPY =
  /\.sync-conflict-\d{8}-\d{6}|\((?:.{1,80}['’]s )?conflicted copy\b|\(copie en conflit\b|\(Conflicted copy /i;
/** Temporary files from which editors and sync tools make an atomic save. */
const TEMPORARY = /^(?:~\$|\.#|\.syncthing\.|\.~)|\.(?:tmp|crswap|swp|partial)$|~$/i;

/**
 * The rules of one vault. Left out are files other than notes, everything hidden (`.obsidian`, `.trash`, `.git`), what the vault's
 * `userIgnoreFilters` name, and what `patterns` match, which have the syntax of a `.gitignore`.
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

/** `userIgnoreFilters` in Obsidian's settings: each is the beginning of a path, or a regular expression between slashes. */
function readObsidianFilters(root: string, log: Logger): ((path: string) => boolean)[] {
  let settings: unknown;
  try {
    settings = JSON.parse(readFileSync(join(root, '.obsidian', 'app.json'), 'utf8'));
  } catch (error) {
    const missing = ['ENOENT', 'ENOTDIR'].includes((error as { code?: string }).code ?? '');
    if (!missing)
      log.warn({ err: (error as Error).name }, "Obsidian's settings of the vault could not be read");
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
        log.warn({ err: (error as Error).name }, 'a filter in userIgnoreFilters is not a valid expression');
        return [];
      }
    });
}
