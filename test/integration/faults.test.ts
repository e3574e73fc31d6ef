import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildFaultLibrary, FAULT_KINDS, type Fault } from '../faults/library.ts';
import { runPair } from '../faults/run.ts';
import { ACTS, type ActName, Templates } from '../faults/world.ts';
import { Dice } from '../support/seeded.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

/** Chooses the writes. `npm run soak -- faults` runs thousands of pairs of an act and a fault. */
const SEED = 1;
const PATIENCE_MS = 300_000;

const library = buildFaultLibrary();
if ('missing' in library) console.warn(`faults below the process: skipped, because ${library.missing}`);
const path = 'path' in library ? library.path : '';

describe.skipIf('missing' in library)('a write that fails, or is the last one before a power cut', () => {
  let root: string;
  let templates: Templates;
  beforeAll(async () => {
    root = temporaryFolder();
    templates = await Templates.make(root);
  }, PATIENCE_MS);
  afterAll(() => removeFolder(root));

  it.each(ACTS)(
    'leaves whatever was acknowledged, and nothing half there: %s',
    async (act) => {
      const none = { kind: 'EIO', at: 0, lasting: false } as const;
      const { wrongs, calls } = await runPair(path, templates, { act, fault: none, torn: null });
      expect(wrongs).toEqual([]);
      // Writes, and syncs of what was acknowledged, are seen; a stop would undo everything otherwise.
      expect(calls.write).toBeGreaterThan(0);
      expect(calls.sync).toBeGreaterThan(0);
      const total = Object.values(calls).reduce((sum, count) => sum + count, 0);
      const dice = new Dice(SEED + ACTS.indexOf(act));
      const errors = FAULT_KINDS.filter((kind) => kind !== 'stop');
      // One fault for each act, of both sorts in turn; `npm run soak -- faults` makes thousands.
      const kind = ACTS.indexOf(act) % 2 === 0 ? ('stop' as const) : dice.pick(errors);
      const fault = { kind, at: dice.between(1, total), lasting: kind !== 'stop' && dice.chance(0.5) };
      const outcome = await runPair(path, templates, { act, fault, torn: null });
      expect({ fault, wrongs: outcome.wrongs }).toEqual({ fault, wrongs: [] });
    },
    PATIENCE_MS,
  );

  it('says that the disk failed, whatever was to be written', async () => {
    for (const act of ['learn', 'chat', 'backup', 'restore'] as const) {
      const fault = { kind: 'EIO', at: 40, lasting: true } as const;
      const { codes } = await runPair(path, templates, { act, fault, torn: null });
      expect(codes).toContain('DISK_FAILED');
      // Of a file that it cannot open, SQLite does not say why.
      const others = codes.filter((code) => code !== 'DISK_FAILED' && code !== 'DATA_FOLDER_UNWRITABLE');
      expect({ act, others }).toEqual({ act, others: [] });
    }
  });

  /** Writes whose failure once left something wrong behind, or several in whose neighbourhood there was one. */
  it.each<[string, ActName, Fault['kind'], number[], boolean]>([
    ['a database that cannot be opened for writing at first', 'keep', 'EACCES', [2, 3, 4, 5], false],
    ['a name that cannot be synced', 'backup', 'EIO', [275], false],
    ['a restore that can be neither ended nor undone', 'restore', 'EIO', [263], true],
  ])(
    'leaves whatever was acknowledged: %s',
    async (_, act, kind, places, lasting) => {
      for (const at of places) {
        const { wrongs } = await runPair(path, templates, { act, fault: { kind, at, lasting }, torn: null });
        expect({ at, wrongs }).toEqual({ at, wrongs: [] });
      }
    },
    PATIENCE_MS,
  );
});
