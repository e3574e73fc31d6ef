import { expect, it } from 'vitest';
import { historyTarget } from './histories.ts';
import { fuzz } from './target.ts';

/** `npm run soak -- fuzz` holds many more seeds; one that fails there is replayed here. */
it('histories that were changed at random are read to their end, and spoil nothing beside them', async () => {
  await expect(fuzz(historyTarget, 1, 20)).resolves.toBeUndefined();
});
