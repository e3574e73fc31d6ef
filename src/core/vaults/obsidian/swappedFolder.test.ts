import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { IgnoreRules } from './ignore.ts';
import { checkPresence, readNote } from './readNote.ts';
import { walkVault } from './walk.ts';

/** Is told before each call of the file system that the code under test makes. */
const { watcher } = vi.hoisted(() => ({ watcher: { beforeCall: () => {} } }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const watched =
    <T extends unknown[], R>(call: (...args: T) => R) =>
    (...args: T): R => {
      watcher.beforeCall();
      return call(...args);
    };
  return {
    ...real,
    lstat: watched(real.lstat),
    open: watched(real.open),
    readdir: watched(real.readdir),
    readlink: watched(real.readlink),
    realpath: watched(real.realpath),
  };
});

const everything: IgnoreRules = {
  file: () => ({ kind: 'read' }),
  folderIsOut: () => false,
  isOwn: () => false,
  problems: [],
};
const MOST_CALLS = 40;

let top: string;
let root: string;
beforeEach(async () => {
  top = await realpath(mkdtempSync(join(tmpdir(), 'souvenir-')));
  root = join(top, 'vault');
  await mkdir(join(root, 'a', 'b'), { recursive: true });
  await mkdir(join(top, 'outside', 'b'), { recursive: true });
  for (const folder of ['a', 'a/b']) writeFileSync(join(root, folder, 'note.md'), 'du coffre');
  for (const folder of ['outside', 'outside/b']) {
    writeFileSync(join(top, folder, 'note.md'), 'du dehors');
    writeFileSync(join(top, folder, 'secret.md'), 'du dehors');
  }
});
afterEach(() => {
  watcher.beforeCall = () => {};
  rmSync(top, { recursive: true });
});

/**
 * Runs `act` once for every call that it makes, and exchanges the folder `a` for a link to the outside just before that call. With
 * `back`, the folder is put back before the next one.
 */
async function atEveryCall(back: boolean, act: () => Promise<void>): Promise<number> {
  for (let at = 1; at <= MOST_CALLS; at += 1) {
    let calls = 0;
    let isSwapped = false;
    const putBack = () => {
      rmSync(join(root, 'a'));
      renameSync(join(top, 'kept'), join(root, 'a'));
      isSwapped = false;
    };
    watcher.beforeCall = () => {
      calls += 1;
      if (calls === at) {
        renameSync(join(root, 'a'), join(top, 'kept'));
        symlinkSync(join(top, 'outside'), join(root, 'a'));
        isSwapped = true;
      } else if (isSwapped && back) putBack();
    };
    await act();
    watcher.beforeCall = () => {};
    if (isSwapped) putBack();
    if (calls < at) return at - 1;
  }
  throw new Error(`more than ${MOST_CALLS} calls`);
}

describe.each([
  ['stays a link', false],
  ['is put back at once', true],
])('a folder that is exchanged for a link, at whatever point, and %s', (_, back) => {
  it.each(['a/note.md', 'a/b/note.md', 'a/secret.md', 'a/b/secret.md'])(
    'gives nothing of the outside for %s',
    async (path) => {
      const tried = await atEveryCall(back, async () => {
        const result = await readNote(root, path);
        if (result.kind === 'content') expect(result.content.toString()).toBe('du coffre');
        if (path.endsWith('secret.md')) expect(result.kind).toBe('gone');
      });
      expect(tried).toBeGreaterThan(1);
    },
  );

  it('is not walked into', async () => {
    const tried = await atEveryCall(back, async () => {
      const { files } = await walkVault(root, everything);
      for (const { path } of files) expect(['a/note.md', 'a/b/note.md', 'a']).toContain(path);
    });
    expect(tried).toBeGreaterThan(3);
  });

  it('tells nothing of what lies outside', async () => {
    await atEveryCall(back, async () => {
      const presence = await checkPresence(root, ['a/secret.md', 'a/b/secret.md']);
      expect([...presence.values()]).not.toContain(true);
    });
  });
});
