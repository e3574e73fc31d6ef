import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../src/core/storage/database.ts';
import { runLongConversation, runPromptConversation } from '../soak/promptConversation.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

let dir: string;
let db: Db;

beforeAll(() => {
  dir = temporaryFolder();
  db = openDatabase(dir);
});
afterAll(() => {
  db.close();
  removeFolder(dir);
});

/** `npm run soak` holds ten thousand of these; a seed that fails there is replayed here. */
describe('the plan of a prompt keeps its promises in random conversations', () => {
  it.each([1, 9, 17])('from seed %i on', async (first) => {
    const held = { told: 0, prompts: 0, injected: 0, heldBack: 0, withheld: 0, steps: 0 };
    for (let seed = first; seed < first + 8; seed += 1) {
      const counts = await runPromptConversation(db, seed);
      held.told += counts.told;
      held.prompts += counts.prompts;
      held.injected += counts.injected;
      held.heldBack += counts.heldBack;
      held.withheld += counts.withheld;
      held.steps += Object.values(counts.steps).reduce((sum, times) => sum + times, 0);
    }
    // Conversations in which nothing happens would keep every promise.
    for (const [what, count] of Object.entries(held)) expect([what, count > 0]).toEqual([what, true]);
  });
});

it('three hundred turns are told of once each, in their order and within the budget of every prompt', async () => {
  const counts = await runLongConversation(db, 7, 300);
  expect(counts.prompts).toBe(300);
  expect(counts.told).toBeGreaterThan(30_000);
  expect(Object.values(counts.steps).reduce((sum, times) => sum + times, 0)).toBeGreaterThan(10);
});
