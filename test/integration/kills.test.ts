import { afterAll, beforeAll, describe, it } from 'vitest';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { runImport } from '../soak/importSoak.ts';
import { ForgettingKills } from '../soak/killedForgetting.ts';
import { MigrationKills } from '../soak/killedMigration.ts';
import { ReplacementKills } from '../soak/killedReplacement.ts';
import { runKills } from '../soak/killSoak.ts';

/** More with `npm run soak -- kills`. */
const KILLS = 4;
const GENEROUS_MS = 300_000;

let server: OpenAiServer;
beforeAll(async () => {
  server = await startOpenAiServer();
});
afterAll(() => server.close());

describe('a core that is killed', () => {
  it(
    'in the midst of anything holds what it acknowledged, nothing by half, and a vector of every item',
    async () => {
      await runKills({ seed: 1, kills: KILLS }, server);
    },
    GENEROUS_MS,
  );

  it(
    'during a migration holds the same afterwards as one that was left alone',
    async () => {
      const migrations = new MigrationKills();
      try {
        await migrations.begin();
        await migrations.kill(0.6);
      } finally {
        migrations.end();
      }
    },
    GENEROUS_MS,
  );

  it(
    'while much is forgotten, brought back or erased, from backups too, has done all of it or nothing',
    async () => {
      const forgettings = new ForgettingKills({ conversations: 28 });
      try {
        await forgettings.begin();
        for (const what of ['forget', 'bring back', 'erase from backups'] as const)
          await forgettings.kill(what, 0.5);
      } finally {
        forgettings.end();
      }
    },
    GENEROUS_MS,
  );

  it(
    'while a history is imported goes on where it was, and stores every message once',
    async () => {
      await runImport({ messages: 1_000, kills: [0.1, 0.6] });
    },
    GENEROUS_MS,
  );

  it(
    'while its data is erased or imported holds all of the old or all of the new',
    async () => {
      const replacements = new ReplacementKills({ conversations: 8 });
      const killed = ['erase', 'import'] as const;
      try {
        await replacements.begin(killed);
        for (const what of killed) await replacements.kill(what, 0.6);
      } finally {
        replacements.end();
      }
    },
    GENEROUS_MS,
  );
});
