import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import type { App } from '../../src/core/app.ts';
import { LEARN } from '../../src/core/memory/learning/learning.ts';
import { ROLL_UP, SUMMARISE_TURN } from '../../src/core/memory/summaries/summaries.ts';
import type { ConversationId, MessageId, TurnId } from '../../src/shared/ids.ts';
import { type OpenAiServer, type ReceivedPrompt, startOpenAiServer } from '../fakes/openAiServer.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { createTestApp, openTestCore, until } from '../support/testApp.ts';

const ENTRY = fileURLToPath(new URL('../support/summariesProcess.ts', import.meta.url));
const ROAD = 'Le camion passe par le pont, et la route est étroite. ';
const SITES = ['Foix', 'Pau', 'Auch'];
const CONVERSATIONS = SITES.length;
const TURNS = 24;
const HOUR_MS = 3_600_000;
const PATIENCE_MS = 60_000;
const GENEROUS_MS = 120_000;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) removeFolder(folder);
});

/** A data folder with turns that nothing has summarised; with a server, its model is to sum each of them up and to learn from it. */
async function unsummarised(
  say: (turn: number, conversation: number) => string,
  server?: OpenAiServer,
): Promise<string> {
  const test = createTestApp();
  const { db, conversations, jobs } = test.app.services;
  if (server)
    await test.app.client.app.changeSettings({
      'chat.baseUrl': server.baseUrl,
      'chat.model': 'small',
      learnWithModel: 'after',
    });
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
      for (let turn = 0; turn < TURNS; turn += 1) {
        if (server) for (const kind of [SUMMARISE_TURN, LEARN]) jobs.enqueue(kind, `turn_${one}_${turn}`);
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
              content: say(turn, one),
              createdAt: turn,
            },
          ],
        });
      }
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

/**
 * What all summaries of turns and facts say, and which turns stand behind the higher summaries, once nothing is due any more. What rules
 * say in these depends on whether the model has written what is below them.
 */
async function remembered(dataDir: string): Promise<{ level: number; madeBy: string; text: string }[]> {
  // What a crash interrupted is tried again after a while.
  const app: App = openTestCore(dataDir, { clock: { now: () => Date.now() + HOUR_MS } });
  app.watch();
  const { summaries, jobs, facts } = app.services;
  const isDone = () => [LEARN, SUMMARISE_TURN, ROLL_UP].every((kind) => !isQueued(kind));
  const isQueued = (kind: string) => jobs.summaries().some((job) => job.kind === kind);
  await until(() => !summaries.isDue() && isDone(), PATIENCE_MS);
  const all: { level: number; madeBy: string; text: string }[] = [];
  for (let one = 0; one < CONVERSATIONS; one += 1)
    for (const { level, madeBy, text, turns } of summaries.list(`conv_${one}` as ConversationId))
      all.push({ level, madeBy, text: `${level === 1 ? text : ''} ${turns.map(({ id }) => id).join()}` });
  const learnt = facts.list().map(({ content }) => ({ level: 0, madeBy: 'facts', text: content }));
  expect((await app.client.app.doctor({ repair: false })).findings).toEqual([]);
  await app.close();
  return [...all, ...learnt.sort((one, other) => (one.text < other.text ? -1 : 1))];
}

/** Kills a core at some counts of what it has made, and compares what comes of it with what comes of one that was left alone. */
async function killAndCompare(dataDir: string, kills: readonly number[]) {
  const alone = temporaryFolder();
  folders.push(alone);
  cpSync(dataDir, alone, { recursive: true });
  for (const made of kills) await killAt(dataDir, made);
  const after = await remembered(dataDir);
  expect(after.filter(({ level }) => level === 1)).toHaveLength(CONVERSATIONS * TURNS);
  expect(after).toEqual(await remembered(alone));
  return after;
}

it(
  'a core that is killed while it summarises doubles and loses nothing',
  async () => {
    const dataDir = await unsummarised(
      (turn, conversation) =>
        `On a décidé de livrer le lot ${turn} du chantier de ${SITES[conversation]} à Tarbes.`,
    );
    await killAndCompare(dataDir, [1, 25, 60]);
  },
  GENEROUS_MS,
);

it(
  'nor does one that is killed while a model sums up, rolls up and learns',
  async () => {
    const server = await startOpenAiServer();
    try {
      server.behave({ kind: 'reply', text: modelAnswer });
      const dataDir = await unsummarised(
        (turn, conversation) =>
          `On a décidé de livrer le lot ${turn} du chantier de ${SITES[conversation]} à Tarbes. ${ROAD.repeat(12)}`,
        server,
      );
      const after = await killAndCompare(dataDir, [CONVERSATIONS * TURNS + 10, CONVERSATIONS * TURNS * 2]);
      expect(after.filter(({ madeBy }) => madeBy === 'facts')).toHaveLength(CONVERSATIONS * TURNS);
      expect(after.filter(({ level, madeBy }) => level === 1 && madeBy !== 'model')).toEqual([]);
      expect(after.some(({ level, madeBy }) => level > 1 && madeBy === 'model')).toBe(true);
    } finally {
      await server.close();
    }
  },
  GENEROUS_MS,
);

/** A model that says in a sentence what it was given, and remembers it. */
function modelAnswer({ messages: [system, ...rest] }: ReceivedPrompt): string {
  const told = rest.map(({ content }) => content).join('\n');
  const said = [
    ...new Set(told.match(/On a décidé de livrer le lot \d+ du chantier de \S+ à Tarbes\./g) ?? []),
  ];
  if ((system?.content ?? '').includes('"findings"'))
    return JSON.stringify({ summary: `${said.join(' ')} ${ROAD.repeat(4)}`, findings: [], topics: [] });
  const memories = said.slice(-1).map((content) => ({
    content,
    subjects: ['chantier'],
    ttl: null,
    kind: 'decision',
    importance: 0.6,
  }));
  return JSON.stringify({ memories });
}
