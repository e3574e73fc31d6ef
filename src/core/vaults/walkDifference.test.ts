import { describe, expect, it } from 'vitest';
import type { NoteId, VaultId } from '../../shared/ids.ts';
import { CHUNKER_VERSION } from '../items/chunkerVersion.ts';
import type { NoteRecord } from '../storage/notes/noteRows.ts';
import type { Obstacle, Walk } from './obsidian/walk.ts';
import { compareWalk } from './walkDifference.ts';

const row = (path: string, differs: Partial<NoteRecord> = {}): NoteRecord => ({
  id: `note_${path}` as NoteId,
  vaultId: 'vault_1' as VaultId,
  path,
  title: path,
  status: 'indexed',
  reason: null,
  detail: null,
  contentHash: 'hash',
  chunkerVersion: CHUNKER_VERSION,
  bytes: 10,
  mtimeMs: 1_000,
  chunkCount: 1,
  ...differs,
});

const walk = (paths: readonly string[], obstacles: Obstacle[] = []): Walk => ({
  files: paths.map((path) => ({ path, bytes: 10, mtimeMs: 1_000 })),
  folders: 0,
  otherFiles: 0,
  ignored: 0,
  cut: false,
  obstacles,
});

const closed: Obstacle = { path: 'Privé', reason: 'folder-unreadable', detail: 'EACCES' };

describe('compareWalk', () => {
  it('finds new, changed and missing files', () => {
    const rows = [
      row('same.md'),
      row('edited.md', { mtimeMs: 900 }),
      row('grown.md', { bytes: 9 }),
      row('gone.md'),
    ];
    const { added, changed, gone } = compareWalk(walk(['same.md', 'edited.md', 'grown.md', 'new.md']), rows);
    expect(added.map(({ path }) => path)).toEqual(['new.md']);
    expect(changed).toEqual(['edited.md', 'grown.md', 'new.md']);
    expect(gone).toEqual(['gone.md']);
  });

  it('has notes read again that are pending or were cut by another chunker, and none that were set aside', () => {
    const rows = [
      row('pending.md', { status: 'pending' }),
      row('old.md', { chunkerVersion: CHUNKER_VERSION - 1 }),
      row('skipped.md', { status: 'skipped', chunkerVersion: 0 }),
    ];
    expect(compareWalk(walk(['pending.md', 'old.md', 'skipped.md']), rows).changed).toEqual([
      'pending.md',
      'old.md',
    ]);
  });

  it('does not take files for missing whose folder could not be read', () => {
    const rows = [row('Privé/a.md'), row('Privé/Sous/b.md'), row('Privés.md')];
    expect(compareWalk(walk([], [closed]), rows)).toMatchObject({ gone: ['Privés.md'], obstacles: [closed] });
  });

  it('tells of an obstacle once, and of it again when it is another one', () => {
    const told = row('Privé', { status: 'failed', reason: 'folder-unreadable', detail: 'EACCES' });
    expect(compareWalk(walk([], [closed]), [told])).toMatchObject({ gone: [], obstacles: [] });
    const other = { ...closed, detail: 'EIO' };
    expect(compareWalk(walk([], [other]), [told]).obstacles).toEqual([other]);
    expect(compareWalk(walk([]), [told]).gone).toEqual(['Privé']);
  });
});
