import { Dice } from '../support/seeded.ts';

/**
 * What may become of a file or a folder: nothing, for comparison; cut to nothing, to half, by one byte; as many zeros; one bit turned;
 * gone; a folder in the place of a file, or the other way round; closed to its user; another user's alone.
 */
export const DAMAGES = [
  'none',
  'empty',
  'half',
  'byte short',
  'zeroed',
  'flipped',
  'missing',
  'other',
  'closed',
  'foreign',
] as const;
export type Damage = (typeof DAMAGES)[number];

/** How the data folder was left: by a core that closed, by one that was killed, or in the middle of erasing everything. */
export const STARTS = ['closed', 'killed', 'erasing'] as const;
export type Start = (typeof STARTS)[number];

/** What stands in a data folder. */
export interface Entry {
  /** From the data folder, with slashes. */
  path: string;
  isFolder: boolean;
  bytes: number;
}

export interface DamageCase {
  start: Start;
  /** Empty for the damage `none`. */
  path: string;
  damage: Damage;
  /** The bit that is turned, counted from the first of the file; 0 for any other damage. */
  bit: number;
}

const OF_FOLDERS: readonly Damage[] = ['missing', 'other', 'closed', 'foreign'];
/** What can become of a file that holds nothing. */
const OF_EMPTY_FILES: readonly Damage[] = OF_FOLDERS;
const OF_FILES: readonly Damage[] = DAMAGES.filter((damage) => damage !== 'none' && damage !== 'flipped');

/** The kind of what stands at a path: files of one kind differ in their names only. */
export function kindOf(path: string): string {
  if (path.startsWith('browser/')) return 'in the browser’s profile';
  if (path.startsWith('start/')) return 'start page';
  return path
    .replace(/^vectors\/[^/]+/, 'vectors/*')
    .replace(/^(vectors\/.*\/)[^/]+(\.\w+)$/, '$1*$2')
    .replace(/\d+(?=\.sqlite$)/, '*')
    .replace(/souvenir-[\dT-]+-\*/, 'souvenir-*');
}

/** Every case of one start whose damage is not random. */
export function fixedCases(start: Start, entries: readonly Entry[]): DamageCase[] {
  const none: DamageCase = { start, path: '', damage: 'none', bit: 0 };
  const cases = entries.flatMap(({ path, isFolder, bytes }) => {
    const damages = isFolder ? OF_FOLDERS : bytes === 0 ? OF_EMPTY_FILES : OF_FILES;
    return damages.map((damage): DamageCase => ({ start, path, damage, bit: 0 }));
  });
  return [none, ...cases];
}

/** How often a byte is looked for that is not zero: most of a database's file is room that nothing uses. */
const TRIES = 20;

/**
 * One bit of each file, chosen by a seed: another for each file, and mostly one that means something.
 * @param read what is in a file
 */
export function flips(
  start: Start,
  { entries, read }: { entries: readonly Entry[]; read(path: string): Buffer },
  seed: number,
): DamageCase[] {
  const dice = new Dice(seed);
  return entries
    .filter(({ isFolder, bytes }) => !isFolder && bytes > 0)
    .map(({ path, bytes }) => {
      const content = read(path);
      let byte = dice.between(0, bytes - 1);
      for (let left = TRIES; left > 0 && content[byte] === 0; left -= 1) byte = dice.between(0, bytes - 1);
      return { start, path, damage: 'flipped', bit: byte * 8 + dice.between(0, 7) };
    });
}

/** Is it about who may read? Then the core runs as a user whom modes bind. */
export function isOfRights({ damage }: DamageCase): boolean {
  return damage === 'closed' || damage === 'foreign';
}

/** Can something be damaged so where the process is not root, or is? */
export function isPossible(damage: Damage, isRoot: boolean): boolean {
  return damage !== 'foreign' || isRoot;
}

export function nameOf({ start, path, damage, bit }: DamageCase): string {
  return [start, path, damage, damage === 'flipped' ? `bit ${bit}` : ''].filter(Boolean).join(' · ');
}
