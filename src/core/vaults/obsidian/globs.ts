/** Does a path, of a folder or of a file, fit the patterns of a `.gitignore`? */
export type Globs = (path: string, isFolder: boolean) => boolean;

type Letter = { kind: 'star' } | { kind: 'any' } | { kind: 'one'; fits: (letter: string) => boolean };

/** `**`, which stands for any number of folders, or the letters of one part of a path. */
type Part = 'folders' | readonly Letter[];

interface Rule {
  /** It takes back what an earlier rule left out. */
  negated: boolean;
  foldersOnly: boolean;
  parts: readonly Part[];
}

/**
 * Compiles the patterns of a `.gitignore`, letter case ignored: the last one that fits decides, and what lies in a folder that is left
 * out stays out. The time to match grows with the length of the path times that of the pattern: the regular expressions that are
 * commonly made of such patterns take time without bound on `*a*a*a*b`.
 */
export function compileGlobs(patterns: readonly string[]): Globs {
  const rules = patterns.map(readRule).filter((rule) => rule !== null);
  /** The folder that was asked about last: a walk asks about the files of one folder together. */
  let known = { folder: '', isOut: false };
  const isOut = (parts: readonly string[], isFolder: boolean): boolean => {
    const parents = parts.slice(0, -1);
    if (parents.length > 0) {
      const folder = parents.join('/');
      if (folder !== known.folder) known = { folder, isOut: isOut(parents, true) };
      if (known.isOut) return true;
    }
    const last = rules.findLast((rule) => (isFolder || !rule.foldersOnly) && fits(rule.parts, parts, PARTS));
    return last !== undefined && !last.negated;
  };
  return (path, isFolder) => rules.length > 0 && isOut(path.toLowerCase().split('/'), isFolder);
}

function readRule(line: string): Rule | null {
  let pattern = line.replace(/(?<![\\ ]) +$/, '').toLowerCase();
  if (pattern === '' || pattern.startsWith('#')) return null;
  const negated = pattern.startsWith('!');
  if (negated) pattern = pattern.slice(1);
  const foldersOnly = pattern.endsWith('/');
  if (foldersOnly) pattern = pattern.slice(0, -1);
  if (pattern === '') return null;
  // Without a slash, other than at its end, it fits at any depth.
  const isAnchored = pattern.includes('/');
  const parts: Part[] = pattern
    .replace(/^\//, '')
    .split('/')
    .map((part) => (part === '**' ? 'folders' : readLetters(part)));
  if (!isAnchored) parts.unshift('folders');
  // At the end, `**` is what lies in the folder and not the folder itself.
  if (parts.at(-1) === 'folders') parts.push([{ kind: 'star' }]);
  return { negated, foldersOnly, parts };
}

function readLetters(part: string): Letter[] {
  const letters: Letter[] = [];
  for (let at = 0; at < part.length; at += 1) {
    const character = part[at] as string;
    const set = character === '[' ? /^\[([!^]?)((?:\\.|[^\]\\])+)\]/.exec(part.slice(at)) : null;
    if (set) {
      letters.push({ kind: 'one', fits: readSet(set[2] as string, set[1] !== '') });
      at += set[0].length - 1;
    } else if (character === '*') {
      if (letters.at(-1)?.kind !== 'star') letters.push({ kind: 'star' });
    } else if (character === '?') letters.push({ kind: 'any' });
    else {
      if (character === '\\' && at + 1 < part.length) at += 1;
      const literal = part[at] as string;
      letters.push({ kind: 'one', fits: (letter) => letter === literal });
    }
  }
  return letters;
}

function readSet(source: string, negated: boolean): (letter: string) => boolean {
  const ranges: [string, string][] = [];
  for (const [, from = '', to] of source.matchAll(/(\\.|[^\\])(?:-(\\.|[^\\]))?/gs)) {
    const first = from.slice(-1);
    ranges.push([first, to?.slice(-1) ?? first]);
  }
  return (letter) => ranges.some(([first, last]) => first <= letter && letter <= last) !== negated;
}

interface Matching<P, T> {
  /** Does this part of the pattern stand for any number of items? */
  isStar(part: P): boolean;
  fits(part: P, item: T): boolean;
}

const LETTERS: Matching<Letter, string> = {
  isStar: ({ kind }) => kind === 'star',
  fits: (letter, character) => letter.kind === 'any' || (letter.kind === 'one' && letter.fits(character)),
};

const PARTS: Matching<Part, string> = {
  isStar: (part) => part === 'folders',
  fits: (part, name) => part !== 'folders' && fits(part, name, LETTERS),
};

/** Each star takes as few items as it can, and only the last one is ever widened: what is before it fits already. */
function fits<P, T>(pattern: readonly P[], items: ArrayLike<T>, matching: Matching<P, T>): boolean {
  let at = 0;
  let item = 0;
  let star = -1;
  let starTakesTo = 0;
  while (item < items.length) {
    const part = pattern[at];
    if (part !== undefined && matching.isStar(part)) {
      star = at;
      starTakesTo = item;
      at += 1;
    } else if (part !== undefined && matching.fits(part, items[item] as T)) {
      at += 1;
      item += 1;
    } else if (star >= 0) {
      starTakesTo += 1;
      item = starTakesTo;
      at = star + 1;
    } else return false;
  }
  return pattern.slice(at).every(matching.isStar);
}
