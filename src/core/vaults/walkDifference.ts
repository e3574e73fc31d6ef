import { CHUNKER_VERSION } from '../items/chunkerVersion.ts';
import type { NoteRecord } from '../storage/notes/noteRows.ts';
import type { FoundFile, Walk } from './obsidian/walk.ts';

export interface WalkDifference {
  /** Files without a row. */
  added: FoundFile[];
  /** Files that must be read, the added ones included. */
  changed: string[];
  /** Paths of rows without a file. */
  gone: string[];
}

/** Compares what a walk found with the rows of the same vault, by path, size and time of change. */
export function compareWalk(walk: Walk, notes: readonly NoteRecord[]): WalkDifference {
  const rows = new Map(notes.map((note) => [note.path, note]));
  const difference: WalkDifference = { added: [], changed: [], gone: [] };
  for (const file of walk.files) {
    const note = rows.get(file.path);
    rows.delete(file.path);
    if (note && isUnchanged(note, file)) continue;
    difference.changed.push(file.path);
    if (!note) difference.added.push(file);
  }
  // Nothing is known about the files of a folder that could not be read.
  const isUnknown = (path: string) => walk.unreadable.some((folder) => path.startsWith(`${folder}/`));
  difference.gone = [...rows.keys()].filter((path) => !isUnknown(path));
  return difference;
}

function isUnchanged(note: NoteRecord, file: FoundFile): boolean {
  if (note.status === 'pending' || note.mtimeMs !== file.mtimeMs || note.bytes !== file.bytes) return false;
  return note.status !== 'indexed' || note.chunkerVersion === CHUNKER_VERSION;
}
