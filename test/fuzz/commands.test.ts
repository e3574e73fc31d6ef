import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runRandom, Shell } from './commands.ts';

let shell: Shell;
beforeAll(async () => {
  shell = await Shell.open();
});
afterAll(() => shell.close());

/** `npm run soak -- fuzz` holds thousands; a seed that fails there is replayed here. */
it('random commands give a result or a plain message, and write nowhere but where they were told to', async () => {
  await expect(runRandom(shell, 1, 50)).resolves.toBeUndefined();
});

it('so do those that once did not', async () => {
  const url = new URL('../fixtures/corpora/commands.json', import.meta.url);
  const broken: string[] = [];
  for (const argv of JSON.parse(readFileSync(url, 'utf8')) as string[][]) {
    const given = argv.map((part) => part.replace('{data}', shell.core.test.dataDir));
    await shell.run(given).catch((error: Error) => broken.push(error.message));
  }
  expect(broken).toEqual([]);
  await shell.checkHealth();
});
