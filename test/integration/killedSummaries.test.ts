import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import type { App } from '../../src/core/app.ts';
import type { ConversationId, MessageId, TurnId } from '../../src/shared/ids.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { createTestApp, openTestCore, until } from '../support/testApp.ts';

const ENTRY = fileURLToPath(new URL('../support/summariesProcess.ts', import.meta.url));
const CONVERSATIONS = 3;
const TURNS = 40;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) removeFolder(folder);
});

/** A data folder with turns that nothing has summarised. */
async function unsummarised(): Promise<string> {
  const test = createTestApp();
  const { db, conversations } = test.app.services;
  db.transaction(() => {
    for (let one = 0; one < CONVERSATIONS; one += 1) {
      const conversationId = `conv_${one}` as ConversationId;
      conversations.insert({
        id: conversationId,
        channel: 'chat',
        title: `Lot ${one}`,
        titleTerms: '',
        createdAt: 1,
      });
      for (let turn = 0; turn < TURNS; turn += 1)
        conversations.insertTurn({
          id: `turn_${one}_${turn}` as TurnId,
          conversationId,
          createdAt: 1_000 * turn + one,
          bodyTerms: '',
          messages: [
            {
              id: `msg_${one}_${turn}` as MessageId,
              role: 'user',
              author: null,
              content: `On a décidé de livrer le lot ${turn} du chantier ${one} à Tarbes.`,
              createdAt: turn,
            },
          ],
        });
    }
  });
  await test.app.close();
  const copy = temporaryFolder();
  folders.push(copy);
  cpSync(test.dataDir, copy, { recursive: true });
  await test.dispose();
  return copy;
}

/** Summarises until there are so many summaries, and is killed there. */
async function killAt(dataDir: string, summaries: number): Promise<void> {
  const child = fork(ENTRY, [dataDir], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  child.on('message', (count) => {
    if (Number(count) >= summaries) child.kill('SIGKILL');
  });
  await ended;
}

/** What all summaries say, once nothing is due any more. */
async function summariesOf(dataDir: string): Promise<unknown[]> {
  const app: App = openTestCore(dataDir);
  app.watch();
  await until(() => !app.services.summaries.isDue());
  const all = [];
  for (let one = 0; one < CONVERSATIONS; one += 1)
    for (const { level, text, turns } of app.services.summaries.list(`conv_${one}` as ConversationId))
      all.push({ level, text, turns: turns.map(({ id }) => id) });
  expect((await app.client.app.doctor({ repair: false })).findings).toEqual([]);
  await app.close();
  return all;
}

it('a core that is killed while it summarises doubles and loses nothing', async () => {
  const dataDir = await unsummarised();
  const alone = temporaryFolder();
  folders.push(alone);
  cpSync(dataDir, alone, { recursive: true });
  for (const summaries of [1, 35, 90]) await killAt(dataDir, summaries);
  const after = await summariesOf(dataDir);
  expect(after.filter((one) => (one as { level: number }).level === 1)).toHaveLength(CONVERSATIONS * TURNS);
  expect(after).toEqual(await summariesOf(alone));
});
