import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIgnoreRules } from './ignore.ts';
import { readNote } from './readNote.ts';
import { walkVault } from './walk.ts';

const NOBODY = 65_534;

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'souvenir-')));
  chmodSync(root, 0o755);
  writeFileSync(join(root, 'a.md'), 'une note');
});
afterEach(() => rmSync(root, { recursive: true }));

const walk = () => walkVault(root, createIgnoreRules(['Ignoré/']));
const pathsOf = ({ files }: Awaited<ReturnType<typeof walk>>) => files.map(({ path }) => path).sort();

/** Permissions do not hold root up: its rights are laid down meanwhile. */
async function asNobody<T>(act: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return act();
  process.seteuid?.(NOBODY);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}

describe.runIf(process.platform !== 'win32')('walkVault', () => {
  it.each([
    ['listed but not entered', 0o444],
    ['neither listed nor entered', 0o000],
    ['entered but not listed', 0o111],
  ])('goes on where a folder can be %s, and tells of it', async (_, mode) => {
    mkdirSync(join(root, 'Privé', 'Sous'), { recursive: true });
    writeFileSync(join(root, 'Privé', 'b.md'), 'une note');
    mkdirSync(join(root, 'Ouvert'));
    writeFileSync(join(root, 'Ouvert', 'c.md'), 'une note');
    for (const open of ['Privé/Sous', 'Ouvert']) chmodSync(join(root, open), 0o755);
    chmodSync(join(root, 'Privé'), mode);
    const closed = await asNobody(walk);
    chmodSync(join(root, 'Privé'), 0o755);
    expect(pathsOf(closed)).toEqual(['Ouvert/c.md', 'a.md']);
    expect(closed.obstacles).toEqual([{ path: 'Privé', reason: 'folder-unreadable', detail: 'EACCES' }]);
    const open = await asNobody(walk);
    expect(pathsOf(open)).toEqual(['Ouvert/c.md', 'Privé/b.md', 'a.md']);
    expect(open.obstacles).toEqual([]);
  });

  it('tells of notes and folders whose names are not UTF-8, and of nothing else', async (context) => {
    const bytes = (name: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
    try {
      writeFileSync(bytes('caf\xe9.md'), 'x');
    } catch {
      context.skip('this file system takes only names in UTF-8');
    }
    writeFileSync(bytes('caf\xe9.png'), 'x');
    writeFileSync(bytes('.\xe9.md'), 'x');
    mkdirSync(bytes('\xe9t\xe9'));
    const { obstacles, files } = await walk();
    expect(files).toHaveLength(1);
    expect(obstacles.sort((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
      { path: '\\xE9t\\xE9', reason: 'name-invalid', detail: null },
      { path: 'caf\\xE9.md', reason: 'name-invalid', detail: null },
    ]);
  });

  it('lists links and special files, and opens none', async () => {
    symlinkSync('/etc/passwd', join(root, 'lien.md'));
    symlinkSync(root, join(root, 'boucle'));
    spawnSync('mkfifo', [join(root, 'file.md')]);
    mkdirSync(join(root, 'dossier.md'));
    expect(pathsOf(await walk())).toEqual(['a.md', 'file.md', 'lien.md']);
    expect(await readNote(root, 'lien.md')).toMatchObject({ kind: 'aside', reason: 'symlink' });
    expect(await readNote(root, 'file.md')).toMatchObject({ kind: 'aside', reason: 'special-file' });
    expect(await readNote(root, 'dossier.md')).toEqual({ kind: 'gone' });
    expect(await readNote(root, 'boucle/a.md')).toEqual({ kind: 'gone' });
  });

  it('tells of a folder that lies too deep to be opened', async () => {
    const chain = (first: string) => join(root, first, ...Array.from({ length: 11 }, () => 'd'.repeat(200)));
    mkdirSync(chain('un'), { recursive: true });
    mkdirSync(chain('deux'), { recursive: true });
    // A path of 4,096 bytes is the longest that Linux opens; a folder that is moved takes what is below it along.
    renameSync(join(root, 'deux'), join(chain('un'), 'deux'));
    const { obstacles, files } = await walk();
    expect(files).toHaveLength(1);
    expect(obstacles).toMatchObject([{ reason: 'folder-unreadable', detail: 'ENAMETOOLONG' }]);
    renameSync(join(chain('un'), 'deux'), join(root, 'deux'));
  });
});
