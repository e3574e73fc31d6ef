import type { NoteRecord } from '../storage/notes/noteRows.ts';
import { nameKey } from '../support/paths.ts';
import type { IgnoreRules } from './obsidian/ignore.ts';
import type { WalkDifference } from './walkDifference.ts';

/** How many of the notes that a vault had are no longer in its folder. */
export interface Loss {
  lost: number;
  known: number;
}

/** People delete notes; a vault that is nearly empty all at once is rather a disk that is not mounted or a sync that went wrong. */
const SHARE = 0.9;
const MOST_UNASKED = 20;

/**
 * Is so much lost that the user is asked first? In the folder that was known, 20 notes may go unasked; if another folder stands in its
 * place, none.
 */
export function isGrave({ lost, known }: Loss, isSameFolder: boolean): boolean {
  return lost > (isSameFolder ? MOST_UNASKED : 0) && lost >= SHARE * known;
}

/**
 * What a walk did not find again. A note that is now left out is not lost, nor one that was moved: a new file has its name, or its
 * size and time of change.
 */
export function measureLoss(
  { gone, added }: WalkDifference,
  notes: readonly NoteRecord[],
  rules: IgnoreRules,
): Loss {
  const rows = new Map(notes.map((note) => [note.path, note]));
  const missing = gone.filter((path) => rules.file(path).kind !== 'out');
  const traces = new Set(added.flatMap((file) => [nameKey(file.path), stampOf(file)]));
  const isMoved = (path: string) => {
    const note = rows.get(path);
    return traces.has(nameKey(path)) || (note !== undefined && traces.has(stampOf(note)));
  };
  return {
    lost: missing.filter((path) => !isMoved(path)).length,
    known: notes.length - (gone.length - missing.length),
  };
}

const stampOf = ({ bytes, mtimeMs }: { bytes: number; mtimeMs: number }) => `${bytes} ${mtimeMs}`;
