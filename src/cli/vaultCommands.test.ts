import { afterEach, expect, it, vi } from 'vitest';
import type { CommandContext } from './session.ts';
import { listVaults } from './vaultCommands.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('a vault is told of in one line, whatever its folder and what its path leads to are called', async () => {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const vault = {
    id: 'vault_1',
    name: 'a\nvault_2',
    path: '/a\nvault_3',
    progress: { state: 'unavailable', total: 3, obstacle: { reason: 'moved', target: '/b\nvault_4' } },
  };
  const client = { vaults: { list: () => Promise.resolve([vault]) } };
  await listVaults({ client, json: false } as unknown as CommandContext);
  expect(written.join('').match(/\n/g)).toHaveLength(1);
});
