import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../support/logger.ts';
import { syncFile, writeWhole } from '../support/partialFile.ts';
import { LEDGER_COPY_FILE, LEDGER_FILE } from './folderNames.ts';
import { DELETABLE, type Deletable } from './recentlyDeleted.ts';

/** What is written down: rows that say themselves when they were deleted, and turns that were forgotten while their conversation goes on. */
export type Listed = Deletable | 'turns';
export const LISTED: readonly Listed[] = [...DELETABLE, 'turns'];

export interface Deletion {
  what: Listed;
  id: string;
  /** Which database it was deleted from, and how many commits that held then: a copy with fewer is from before. */
  lineage: string;
  commits: number;
  /** When it was deleted, in milliseconds since 1970. */
  at: number;
  /** The present database took the place of one that held it, and does not know it: it is in copies alone, and was never erased. */
  isAway: boolean;
}

/** Something that was deleted or went away, or that is in use again. */
export interface DeletionChange extends Deletion {
  isDeleted: boolean;
}

const LINE = /^([+~-]) (\w+) (\S+) (\S+) (\d+) (\d+)$/;

/**
 * The list stands in two files, line by line the same, because nothing else knows of what was erased for good: where the one is
 * damaged or gone, the other still tells.
 */
const filesIn = (dir: string): string[] => [LEDGER_FILE, LEDGER_COPY_FILE].map((name) => join(dir, name));

/** What is deleted, as either file of the list in a data folder says. Lines that are damaged are left out. */
export function readDeletions(dir: string, log?: Logger): Deletion[] {
  const entries = new Map<string, Deletion>();
  const [one = [], other = []] = filesIn(dir).map((file) => contentOf(file, log).split('\n'));
  for (let at = 0; at < Math.max(one.length, other.length); at += 1)
    for (const line of new Set([one[at], other[at]])) apply(line ?? '', entries);
  return [...entries.values()];
}

function apply(line: string, entries: Map<string, Deletion>): void {
  const [, sign, what, id, lineage, commits, at] = LINE.exec(line) ?? [];
  if (!isListed(what) || id === undefined || lineage === undefined) return;
  const key = `${what} ${id}`;
  if (sign === '-') entries.delete(key);
  else
    entries.set(key, { what, id, lineage, commits: Number(commits), at: Number(at), isAway: sign === '~' });
}

const isListed = (what: string | undefined): what is Listed => LISTED.some((one) => one === what);

/** Adds to both files, and waits until they are on the disk. @throws the file system's error; what was to be added may be added again */
export function appendDeletions(dir: string, changes: readonly DeletionChange[]): void {
  const lines = changes.map(lineOf).join('');
  for (const file of filesIn(dir)) {
    appendFileSync(file, lines, { mode: 0o600 });
    syncFile(file);
  }
}

/** Writes both files again from what either says, where they differ. @throws the file system's error; both are as they were then */
export function mendDeletions(dir: string, log: Logger): void {
  const [one, other] = filesIn(dir).map((file) => contentOf(file, log));
  if (one === other) return;
  const deletions = readDeletions(dir, log);
  const lines = deletions.map((deletion) => lineOf({ ...deletion, isDeleted: true })).join('');
  for (const file of filesIn(dir)) writeWhole(file, (path) => writeFileSync(path, lines));
  log.warn({ deletions: deletions.length }, 'the list of what was deleted is mended');
}

const lineOf = ({ isDeleted, isAway, what, id, lineage, commits, at }: DeletionChange): string =>
  `${isDeleted ? (isAway ? '~' : '+') : '-'} ${what} ${id} ${lineage} ${commits} ${at}\n`;

/** Empty if there is no such file, or it cannot be read. */
function contentOf(file: string, log?: Logger): string {
  if (!existsSync(file)) return '';
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    const code = (error as { code?: string }).code ?? 'UNKNOWN';
    log?.warn({ code }, 'the list of what was deleted cannot be read');
    return '';
  }
}
