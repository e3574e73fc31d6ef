import { CHUNKER_VERSION } from '../items/chunkerVersion.ts';
import type { NoteRecord } from '../storage/notes/noteRows.ts';
import type { FoundFile, Obstacle, Walk } from './obsidian/walk.ts';

export interface WalkDifference {
  /** Files without a row. */
  added: FoundFile[];
  /** Files that must be read, the added ones included. */
  changed: string[];
  /** Paths of rows without a file. */
  gone: string[];
  /** Places that no row tells of yet. */
  obstacles: Obstacle[];
}

/** Compares what a walk found with the rows of the same vault, by path, size and time of change. */
export function compareWalk(walk: Walk, notes: readonly NoteRecord[]): WalkDifference {
  const rows = new Map(notes.map((note) => [note.path, note]));
  const difference: WalkDifference = { added: [], changed: [], gone: [], obstacles: [] };
  for (const file of walk.files) {
    const note = rows.get(file.path);
    rows.delete(file.path);
    if (note && isUnchanged(note, file)) continue;
    difference.changed.push(file.path);
    if (!note) difference.added.push(file);
  }
  for (const obstacle of walk.obstacles) {
    const note = rows.get(obstacle.path);
    rows.delete(obstacle.path);
    if (note?.reason !== obstacle.reason || note.detail !== obstacle.detail)
      difference.obstacles.push(obstacle);
  }
  difference.gone = [...rows.keys()].filter((path) => !isUnknown(path, walk));
  return difference;
}

/** Does the path lie in a folder that could not be read? Nothing is known about it then. */
export function isUnknown(path: string, { obstacles }: Pick<Walk, 'obstacles'>): boolean {
  return obstacles.some(
    (obstacle) => obstacle.reason === 'folder-unreadable' && path.startsWith(`${obstacle.path}/`),
  );
}

function isUnchanged(note: NoteRecord, file: FoundFile): boolean {
  if (note.status === 'pending' || note.mtimeMs !== file.mtimeMs || note.bytes !== file.bytes) return false;
  return note.status !== 'indexed' || note.chunkerVersion === CHUNKER_VERSION;
}
