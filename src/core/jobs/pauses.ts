/** Kinds of jobs that are paused, by however many callers. */
export class Pauses {
  readonly #counts = new Map<string, number>();

  has(kind: string): boolean {
    return (this.#counts.get(kind) ?? 0) > 0;
  }

  /** @returns ends this pause; calling it again does nothing */
  begin(kinds: readonly string[]): () => void {
    this.#add(kinds, 1);
    let isOver = false;
    return () => {
      if (!isOver) this.#add(kinds, -1);
      isOver = true;
    };
  }

  #add(kinds: readonly string[], difference: number): void {
    for (const kind of kinds) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + difference);
  }
}
