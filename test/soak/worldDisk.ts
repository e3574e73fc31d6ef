import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ModelNote } from './worldModel.ts';

/** A folder of notes, with what is in it and where it is. */
interface Root {
  path: string;
  /** Texts by path, as it is on the disk. */
  files: Map<string, string>;
  /** `userIgnoreFilters` of its Obsidian settings. */
  filters: string[];
  isAway: boolean;
}

/** Patterns that a run may exclude notes by, each with the paths that it means. */
export const PATTERNS: Readonly<Record<string, (path: string) => boolean>> = {
  'Archives/': (path) => path.normalize('NFC').toLowerCase().split('/').slice(0, -1).includes('archives'),
  '*.brouillon.md': (path) => path.normalize('NFC').toLowerCase().endsWith('.brouillon.md'),
  '/Projets/Été/': (path) => path.normalize('NFC').toLowerCase().startsWith('projets/été/'),
};

/** Filters of Obsidian's own settings. */
export const FILTERS: Readonly<Record<string, (path: string) => boolean>> = {
  'Modèles/': (path) => path.normalize('NFC').toLowerCase().startsWith('modèles/'),
  '/secret/': (path) => /secret/i.test(path),
};

/** Real folders of notes, and what a run did to them. */
export class WorldDisk {
  readonly roots: Root[];
  /** Every write has its own time, so that none looks like the one before. */
  #timeMs = Date.UTC(2024, 0, 1);

  /** @param folder a folder of the run's own */
  constructor(folder: string, count: number) {
    this.roots = Array.from({ length: count }, (_, number) => {
      const path = join(folder, `Coffre ${number}`);
      mkdirSync(path, { recursive: true });
      return { path, files: new Map<string, string>(), filters: [], isAway: false };
    });
  }

  root(number: number): Root {
    return this.roots[number] as Root;
  }

  write(number: number, path: string, text: string): void {
    const { path: root, files } = this.root(number);
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    this.touch(number, path);
    files.set(path, text);
  }

  /** Gives a file another time of change. */
  touch(number: number, path: string): void {
    this.#timeMs += 1_000;
    utimesSync(join(this.root(number).path, path), this.#timeMs / 1_000, this.#timeMs / 1_000);
  }

  remove(number: number, path: string): void {
    const { path: root, files } = this.root(number);
    rmSync(join(root, path));
    files.delete(path);
  }

  /** Renames a file or, if `from` and `to` end in a slash, a folder. A copy keeps the time of change too. */
  move(number: number, from: string, to: string): void {
    const { path: root, files } = this.root(number);
    mkdirSync(dirname(join(root, to)), { recursive: true });
    renameSync(join(root, from), join(root, to));
    for (const [path, text] of Array.from(files)) {
      if (path !== from && !(from.endsWith('/') && path.startsWith(from))) continue;
      files.delete(path);
      files.set(to + path.slice(from.length), text);
    }
  }

  copy(number: number, from: string, to: string): void {
    const { path: root, files } = this.root(number);
    mkdirSync(dirname(join(root, to)), { recursive: true });
    copyFileSync(join(root, from), join(root, to));
    this.touch(number, to);
    files.set(to, files.get(from) as string);
  }

  /** Folders that hold files, each with a slash at its end. */
  folders(number: number): string[] {
    const names = [...this.root(number).files.keys()].map((path) => path.slice(0, path.lastIndexOf('/') + 1));
    return [...new Set(names)].filter((name) => name !== '').sort();
  }

  setFilters(number: number, filters: string[]): void {
    const root = this.root(number);
    root.filters = filters;
    mkdirSync(join(root.path, '.obsidian'), { recursive: true });
    writeFileSync(join(root.path, '.obsidian', 'app.json'), JSON.stringify({ userIgnoreFilters: filters }));
  }

  /** Takes a whole folder away, as an unmounted disk, or brings it back. */
  setAway(number: number, isAway: boolean): void {
    const root = this.root(number);
    if (root.isAway === isAway) return;
    const hidden = `${root.path}.away`;
    if (isAway) renameSync(root.path, hidden);
    else renameSync(hidden, root.path);
    root.isAway = isAway;
  }

  /** What an index of a folder should hold, if these patterns exclude notes. */
  indexed(number: number, patterns: readonly string[]): Map<string, ModelNote> {
    const { files, filters } = this.root(number);
    const isOut = (path: string) =>
      patterns.some((pattern) => PATTERNS[pattern]?.(path)) ||
      filters.some((filter) => FILTERS[filter]?.(path));
    const notes = new Map<string, ModelNote>();
    for (const [path, text] of files) if (!isOut(path)) notes.set(path, noteOf(path, text));
    return notes;
  }

  has(number: number, path: string): boolean {
    return existsSync(join(this.root(number).path, path));
  }
}

function noteOf(path: string, text: string): ModelNote {
  if (text.includes('\0')) return { text, status: 'skipped', reason: 'not-text' };
  if (path.includes('(conflicted copy')) return { text, status: 'skipped', reason: 'conflict-copy' };
  const isBroken = text.startsWith('---\ntags: [a, b\n---');
  return { text, status: 'indexed', reason: isBroken ? 'front-matter-invalid' : null };
}
