/** Paths of a vault that may have changed, each once. What became of a path is read from the disk when it is taken. */
export class DuePaths {
  readonly #changed = new Set<string>();
  readonly #gone = new Set<string>();

  /** How many paths are due. */
  get size(): number {
    return this.#changed.size + this.#gone.size;
  }

  /** A file that may be new or changed. */
  add(path: string): void {
    if (!this.#gone.has(path)) this.#changed.add(path);
  }

  /** A file that seems to be gone. It is taken before the others, so that a renamed note is known to be missing from its old path. */
  addGone(path: string): void {
    this.#changed.delete(path);
    this.#gone.add(path);
  }

  /** Takes up to `count` paths; a further change of one of them makes it due again. */
  take(count: number): string[] {
    const taken: string[] = [];
    for (const paths of [this.#gone, this.#changed]) {
      for (const path of paths) {
        if (taken.length === count) return taken;
        paths.delete(path);
        taken.push(path);
      }
    }
    return taken;
  }

  clear(): void {
    this.#changed.clear();
    this.#gone.clear();
  }
}
