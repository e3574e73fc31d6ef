import { afterAll, beforeAll, describe, it } from 'vitest';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { runWorld } from '../soak/worldSoak.ts';

/** Seeds that are run; more with `npm run soak -- world`. */
const SEEDS = [1, 2, 3, 4];
const ACTS = 200;

let server: OpenAiServer;
beforeAll(async () => {
  server = await startOpenAiServer();
});
afterAll(() => server.close());

describe('anything that a user does with notes, conversations, facts, settings and the data as a whole', () => {
  it.each(SEEDS)(
    'leaves what a plain model says (seed %i)',
    async (seed) => {
      await runWorld(seed, ACTS, server);
    },
    300_000,
  );
});
