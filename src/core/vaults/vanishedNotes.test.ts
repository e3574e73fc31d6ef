import { describe, expect, it } from 'vitest';
import type { NoteId, VaultId } from '../../shared/ids.ts';
import type { NoteRecord } from '../storage/notes/noteRows.ts';
import { VanishedNotes } from './vanishedNotes.ts';

const note = (path: string, contentHash: string | null): NoteRecord => ({
  id: `note_${path}` as NoteId,
  vaultId: 'vault_1' as VaultId,
  path,
  title: path,
  status: 'indexed',
  reason: null,
  detail: null,
  contentHash,
  chunkerVersion: 1,
  bytes: 1,
  mtimeMs: 1,
  chunkCount: 1,
});

describe('VanishedNotes', () => {
  it('gives each note of a content once', () => {
    const vanished = new VanishedNotes();
    vanished.add(note('a.md', 'same'));
    vanished.add(note('b.md', 'same'));
    vanished.add(note('c.md', 'other'));
    const taken = [vanished.takeByContent('same')?.path, vanished.takeByContent('same')?.path];
    expect(new Set(taken)).toEqual(new Set(['a.md', 'b.md']));
    expect(vanished.takeByContent('same')).toBeUndefined();
    expect(vanished.takeAll().map(({ path }) => path)).toEqual(['c.md']);
    expect(vanished.size).toBe(0);
  });

  it('does not give a note whose file is back, nor one that must be parsed again', () => {
    const vanished = new VanishedNotes();
    vanished.add(note('a.md', 'same'));
    vanished.delete('a.md');
    vanished.add(note('b.md', null));
    expect(vanished.takeByContent('same')).toBeUndefined();
    expect(vanished.takeAll().map(({ path }) => path)).toEqual(['b.md']);
  });

  it('knows a note that vanished again by its latest content', () => {
    const vanished = new VanishedNotes();
    vanished.add(note('a.md', 'before'));
    vanished.add(note('a.md', 'after'));
    expect(vanished.takeByContent('before')).toBeUndefined();
    expect(vanished.takeByContent('after')?.path).toBe('a.md');
    expect(vanished.size).toBe(0);
  });
});
