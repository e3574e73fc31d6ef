import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readObsidianFilters } from './obsidianFilters.ts';

let root: string;
let settings: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'souvenir-')));
  mkdirSync(join(root, '.obsidian'));
  settings = join(root, '.obsidian', 'app.json');
});
afterEach(() => rmSync(root, { recursive: true }));

const read = async (userIgnoreFilters: unknown) => {
  writeFileSync(settings, JSON.stringify({ userIgnoreFilters }));
  return readObsidianFilters(root);
};

describe("a vault's own filters", () => {
  it('are beginnings of paths and regular expressions, in any letter case', async () => {
    const { leavesOut, problems } = await read([
      'Archives/',
      '/\\.draft\\.md$/',
      '/^(?:été|\\d{4})\\//',
      7,
      '',
    ]);
    expect(problems).toEqual([]);
    for (const path of ['archives/x.md', 'a/B.DRAFT.md', 'Été/a.md', '2024/a.md'])
      expect(leavesOut(path)).toBe(true);
    for (const path of ['Mes archives/x.md', 'a.md', 'hiver/a.md']) expect(leavesOut(path)).toBe(false);
  });

  it('take time that grows only with the length of the path', async () => {
    const { leavesOut, problems } = await read(['/(a+)+$/', '/(a|a)*b/', '/(.*,){20}x/']);
    expect(problems).toEqual([]);
    expect(leavesOut(`${'a'.repeat(4_000)}!`)).toBe(false);
  });

  it('are told when they cannot be read, and the others hold', async () => {
    const { leavesOut, problems } = await read(['/(?=x)y/', '/(a)\\1/', '/(/', '/.*(a{1000})/', 'Privé/']);
    expect(problems).toEqual([
      { code: 'filter-unsupported', what: '/(?=x)y/' },
      { code: 'filter-unsupported', what: '/(a)\\1/' },
      { code: 'filter-invalid', what: '/(/' },
      { code: 'filter-too-large', what: '/.*(a{1000})/' },
    ]);
    expect(leavesOut('privé/a.md')).toBe(true);
  });

  it('are told when there are too many', async () => {
    const { problems } = await read(Array.from({ length: 600 }, (_, index) => `Dossier ${index}/`));
    expect(problems).toEqual([{ code: 'filter-too-large', what: '600' }]);
  });

  it.each([
    ['a link', 'link', () => symlinkSync('/dev/zero', settings)],
    ['a queue', 'special', () => spawnSync('mkfifo', [settings])],
    ['a huge file', 'too-large', () => writeFileSync(settings, ' '.repeat(1_000_001))],
    ['not JSON', 'JSON', () => writeFileSync(settings, '{')],
    ['a list', 'JSON', () => writeFileSync(settings, '[]')],
  ])('are none, and that is told, when the settings are %s', async (_, what, make) => {
    make();
    const { leavesOut, problems } = await readObsidianFilters(root);
    expect(problems).toEqual([{ code: 'settings-unreadable', what }]);
    expect(leavesOut('a.md')).toBe(false);
  });

  it('are none when the folder of the settings is a link out of the vault', async () => {
    rmSync(join(root, '.obsidian'), { recursive: true });
    symlinkSync(tmpdir(), join(root, '.obsidian'));
    expect((await readObsidianFilters(root)).problems).toEqual([
      { code: 'settings-unreadable', what: 'link' },
    ]);
  });

  it('are none when there are no settings', async () => {
    expect((await readObsidianFilters(root)).problems).toEqual([]);
  });
});
