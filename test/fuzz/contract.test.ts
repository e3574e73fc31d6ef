import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { call, contractTarget, PROCEDURES } from './contract.ts';
import { CoreUnderFuzz } from './coreUnderFuzz.ts';
import { fuzz } from './target.ts';

/** `npm run soak -- fuzz` holds many more seeds; one that fails there is replayed here. */
it('random input of every procedure is answered, or refused with a code', async () => {
  await expect(fuzz(contractTarget, 1, 2)).resolves.toBeUndefined();
});

it('so is what once was not', async () => {
  const url = new URL('../fixtures/corpora/contract.json', import.meta.url);
  const inputs = JSON.parse(readFileSync(url, 'utf8')) as { procedure: string; input: unknown }[];
  const core = await CoreUnderFuzz.open();
  for (const { procedure, input } of inputs) {
    const known = PROCEDURES.find(({ domain, name }) => `${domain}.${name}` === procedure);
    if (!known) throw new Error(`there is no procedure ${procedure}`);
    await call(core, known, input);
  }
  await core.checkHealth();
  await core.close();
});
