import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { knownObsidianVaults } from './obsidian.ts';

let home: string;
let list: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'souvenir-'));
  vi.stubEnv('XDG_CONFIG_HOME', home);
  vi.stubEnv('HOME', home);
  mkdirSync(join(home, 'obsidian'));
  list = join(home, 'obsidian', 'obsidian.json');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

describe.runIf(process.platform === 'linux')("Obsidian's own list of vaults", () => {
  it('is read, last opened first, and what is no vault is left out', () => {
    const vaults = { a: { path: '/x/A', ts: 1 }, b: { path: '/x/B', ts: 2 }, c: { path: 7 }, d: null };
    writeFileSync(list, JSON.stringify({ vaults }));
    expect(knownObsidianVaults().map(({ id, name }) => [id, name])).toEqual([
      ['b', 'B'],
      ['a', 'A'],
    ]);
  });

  it('is read through a link, as tools that keep settings elsewhere make it', () => {
    writeFileSync(join(home, 'kept.json'), '{"vaults":{"a":{"path":"/x/A"}}}');
    symlinkSync(join(home, 'kept.json'), list);
    expect(knownObsidianVaults()).toMatchObject([{ path: '/x/A', lastOpened: null }]);
  });

  it.each([
    ['a device', () => symlinkSync('/dev/zero', list)],
    ['a queue', () => spawnSync('mkfifo', [list])],
    ['a folder', () => mkdirSync(list)],
    ['a huge file', () => writeFileSync(list, ' '.repeat(1_000_001))],
    ['not JSON', () => writeFileSync(list, '{')],
    ['missing', () => undefined],
  ])('counts as empty when it is %s', (_, make) => {
    make();
    expect(knownObsidianVaults()).toEqual([]);
  });
});
