import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Portion } from '../../src/shared/contract/data.ts';
import { CoreUnderFuzz } from './coreUnderFuzz.ts';
import { importPortion, importTarget, importText } from './imports.ts';
import { fuzz } from './target.ts';

/** `npm run soak -- fuzz` holds many more seeds; one that fails there is replayed here. */
it('imports that were changed at random are taken or refused, and leave a core that reads', async () => {
  await expect(fuzz(importTarget, 1, 3)).resolves.toBeUndefined();
});

it('so do those that once did not', async () => {
  const url = new URL('../fixtures/corpora/imports.json', import.meta.url);
  const core = await CoreUnderFuzz.open();
  for (const portion of JSON.parse(readFileSync(url, 'utf8')) as Portion[]) {
    await importPortion(core, portion);
    await core.readEverything();
  }
  for (const text of ['', '{', '[]', 'null', '{"conversations":[null]}', '\ufeff{}'])
    await importText(core, text);
  await core.checkHealth();
  await core.close();
});
