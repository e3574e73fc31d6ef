import { afterEach, beforeEach, expect, it } from 'vitest';
import { SUMMARISE } from '../../src/core/memory/summaries/summaries.ts';
import type { ConversationId, MessageId, SummaryId } from '../../src/shared/ids.ts';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { ask, createTestApp, type TestApp, until } from '../support/testApp.ts';

const FINDING = 'La couleur zinzoline est choisie pour les volets.';
let test: TestApp;
let server: OpenAiServer;
beforeEach(async () => {
  server = await startOpenAiServer({ contextTokens: 16_384 });
  server.behave({ kind: 'reply', text: 'Entendu.' });
  test = createTestApp();
  const { client, services } = test.app;
  services.settings.change({
    'chat.baseUrl': server.baseUrl,
    'chat.model': 'small',
    learnWithModel: 'off',
    summariseWithModel: false,
  });
  const said = (id: string, author: string, content: string) => ({
    id: id as MessageId,
    role: 'user' as const,
    author,
    content,
    createdAt: Date.UTC(2026, 0, 5),
  });
  await client.chat.import({
    conversations: [
      {
        id: 'volets',
        channel: 'Maison',
        title: 'Volets',
        messages: [
          said('1', 'Marc', 'Il pleut sur la vallée.'),
          said('2', 'Léa', 'On repeint les volets de la grange au printemps.'),
          said('3', 'Marc', 'Je rentre demain soir.'),
        ],
      },
    ],
  });
  test.app.watch();
  services.jobs.reschedule();
  await until(() => !services.summaries.isDue() && !services.jobs.has(SUMMARISE, ''));
  await services.vectors.settled();
});
afterEach(async () => {
  await test.dispose();
  await server.close();
});

const summaryOfSecond = (): SummaryId => {
  const { services } = test.app;
  const turn = services.conversations.turns('volets' as ConversationId)[1];
  const summary = turn && services.summaries.ofTurn(turn.id);
  if (!summary) throw new Error('the turn has no summary');
  services.summaries.write(
    summary.id,
    { text: 'Les volets.', findings: [FINDING], files: ['Travaux/Volets'], tools: [], topics: [] },
    { madeBy: 'model', at: 1 },
  );
  return summary.id;
};
const lastPrompt = () => JSON.stringify(server.prompts.at(-1)?.messages);
const stored = () =>
  JSON.stringify(
    test.app.services.db.all('SELECT text FROM context_blocks UNION ALL SELECT text FROM tool_calls'),
  );

it('a quoted turn says where it stood, what it came to and who spoke, and its block is stored and counted with that', async () => {
  summaryOfSecond();
  const { turn } = await ask(test.app, 'Quand repeint-on les volets de la grange ?');
  expect(lastPrompt()).toContain('conversation, échange 2 sur 3, 5 janvier 2026');
  expect(lastPrompt()).toContain(`(points clés : ${FINDING})`);
  expect(lastPrompt()).toContain('(fichiers : Travaux/Volets)');
  expect(lastPrompt()).toContain('Léa: On repeint les volets de la grange au printemps.');
  expect(stored()).toContain(FINDING);
  // As it was sent, whatever becomes of the conversation that is quoted.
  await test.app.client.chat.import({
    conversations: [
      {
        id: 'volets',
        channel: 'Maison',
        title: 'Volets',
        messages: [{ id: '4', role: 'user', content: 'Bonne nuit.', createdAt: Date.UTC(2026, 0, 6) }],
      },
    ],
  });
  await ask(test.app, 'Merci.', turn.conversationId);
  expect(lastPrompt()).toContain('échange 2 sur 3');
});

it.each([
  ['removed', (id: SummaryId) => test.app.client.summaries.remove({ id })],
  [
    'corrected',
    (id: SummaryId) => test.app.client.summaries.correct({ id, text: 'Les volets seront repeints.' }),
  ],
  ['made anew', (id: SummaryId) => test.app.client.summaries.regenerate({ id })],
])('what a summary said leaves the labels of its turn once it is %s', async (_, act) => {
  const id = summaryOfSecond();
  const { turn } = await ask(test.app, 'Quand repeint-on les volets de la grange ?');
  expect(lastPrompt()).toContain(FINDING);
  await act(id);
  expect(stored()).not.toContain(FINDING);
  await ask(test.app, 'Merci.', turn.conversationId);
  expect(lastPrompt()).toContain('échange 2 sur 3');
  expect(lastPrompt()).not.toContain('zinzoline');
  expect(stored()).not.toContain('zinzoline');
});

it('messages with authors are found and exported with their names', async () => {
  const { client } = test.app;
  for (const text of ['volets', 'Léa']) {
    const { results } = await client.retrieval.search({ text, mode: 'text', kinds: ['turn'] });
    expect(results[0]?.excerpt).toBe('Léa: On repeint les volets de la grange au printemps.');
  }
  expect((await client.chat.export({ id: 'volets' })).markdown).toContain('Léa:\n\nOn repeint les volets');
  const { turns } = await client.chat.get({ id: 'volets' });
  expect(turns.flatMap(({ messages }) => messages.map(({ author }) => author))).toEqual([
    'Marc',
    'Léa',
    'Marc',
  ]);
});
