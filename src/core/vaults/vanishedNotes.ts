import type { NoteRecord } from '../storage/notes/noteRows.ts';

/**
 * Notes whose file is gone and whose rows are still there, until it is known whether they were renamed or deleted. Looked up by
 * content in constant time, however many notes have the same text.
 */
export class VanishedNotes {
  readonly #byPath = new Map<string, NoteRecord>();
  readonly #pathsByContent = new Map<string, Set<string>>();

  get size(): number {
    return this.#byPath.size;
  }

  paths(): Iterable<string> {
    return this.#byPath.keys();
  }

  add(note: NoteRecord): void {
    this.delete(note.path);
    this.#byPath.set(note.path, note);
    if (note.contentHash === null) return;
    const paths = this.#pathsByContent.get(note.contentHash);
    if (paths) paths.add(note.path);
    else this.#pathsByContent.set(note.contentHash, new Set([note.path]));
  }

  /** The file is back, or its row was moved or erased. */
  delete(path: string): void {
    const note = this.#byPath.get(path);
    if (!note) return;
    this.#byPath.delete(path);
    if (note.contentHash === null) return;
    const paths = this.#pathsByContent.get(note.contentHash);
    paths?.delete(path);
    if (paths?.size === 0) this.#pathsByContent.delete(note.contentHash);
  }

  /** Takes a note that had this content; undefined if there is none. */
  takeByContent(contentHash: string): NoteRecord | undefined {
    const path = this.#pathsByContent.get(contentHash)?.values().next().value;
    const note = path === undefined ? undefined : this.#byPath.get(path);
    if (note) this.delete(note.path);
    return note;
  }

  /** Takes every note. */
  takeAll(): NoteRecord[] {
    const notes = [...this.#byPath.values()];
    this.clear();
    return notes;
  }

  clear(): void {
    this.#byPath.clear();
    this.#pathsByContent.clear();
  }
}
