import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Damage, flips, isPossible, kindOf, nameOf, type Start } from '../damage/cases.ts';
import { judge } from '../damage/oracle.ts';
import { Scenes } from '../damage/scene.ts';
import { isRoot } from '../support/asUser.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

/** Chooses the bits that are turned. */
const SEED = 1;
const PATIENCE_MS = 300_000;

/** Damage after which something was wrong once, and some of the rest. `npm run soak -- damage` runs every case. */
const CHOSEN: readonly [Start, string, Damage][] = [
  ['closed', 'souvenir.sqlite', 'half'],
  ['closed', 'souvenir.sqlite', 'flipped'],
  ['closed', 'souvenir.deleted', 'zeroed'],
  ['closed', 'keys.json', 'other'],
  ['closed', 'backups', 'foreign'],
  ['closed', 'vectors/*/vectors.lance/data/*.lance', 'flipped'],
  ['closed', 'vectors/*/vectors.lance/_versions', 'foreign'],
  ['killed', 'souvenir.sqlite-wal', 'byte short'],
  ['killed', 'souvenir.sqlite-wal', 'flipped'],
  ['killed', 'owner.lock-journal', 'other'],
  ['killed', 'souvenir.log', 'closed'],
  ['erasing', 'souvenir.erasing', 'closed'],
];

describe('a data folder of which something is damaged', () => {
  let root: string;
  let scenes: Scenes;
  beforeAll(async () => {
    root = temporaryFolder();
    scenes = await Scenes.make(root);
  }, PATIENCE_MS);
  afterAll(() => removeFolder(root));

  it.each(CHOSEN.filter(([, , damage]) => isPossible(damage, isRoot())))(
    'is as before, is repaired, or tells what to do, and loses nothing without a word: %s · %s · %s',
    async (start, kind, damage) => {
      const entries = scenes.entries(start).filter(({ path }) => kindOf(path) === kind);
      const there = { entries, read: (path: string) => scenes.read(start, path) };
      const [first] = entries;
      const [one] =
        damage === 'flipped'
          ? flips(start, there, SEED)
          : first
            ? [{ start, path: first.path, damage, bit: 0 }]
            : [];
      if (!one) throw new Error('there is no such file');
      const { wrongs } = await judge(scenes, one, join(root, nameOf(one).replaceAll('/', ' ')));
      expect(wrongs).toEqual([]);
    },
    PATIENCE_MS,
  );
});
