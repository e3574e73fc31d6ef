import { afterEach, expect, it } from 'vitest';
import { SUMMARISE } from '../../src/core/memory/summaries/summaries.ts';
import { startOpenAiServer } from '../fakes/openAiServer.ts';
import { ask, createTestApp, indexVault, type TestApp, until } from '../support/testApp.ts';

let test: TestApp;
afterEach(() => test.dispose());

it('tells tokens, time and searches of replies by day, conversation, model and memory', async () => {
  const server = await startOpenAiServer({ contextTokens: 16_384 });
  test = createTestApp({ 'Jardin.md': '# Jardin\n\nOn plante les tomates à la mi-mai.' });
  const { client } = test.app;
  await indexVault(test.app, test.vault);
  const empty = await client.usage.read({});
  expect(empty).toMatchObject({ total: { replies: 0, promptTokens: 0 }, byDay: [], byMemory: [] });
  expect(empty.timesMs).toEqual({ store: null, search: null, summarise: null, reply: null });
  expect(empty.lastIndexedAt).toBeGreaterThan(0);
  const { services } = test.app;
  services.settings.change({
    'chat.baseUrl': server.baseUrl,
    'chat.model': 'small',
    summariseWithModel: false,
  });
  const { turn, reply } = await ask(test.app, 'Quand plante-t-on les tomates ?');
  await ask(test.app, 'Xyzzy ?', turn.conversationId);
  test.app.watch();
  services.jobs.reschedule();
  await until(() => !services.summaries.isDue() && !services.jobs.has(SUMMARISE, ''));
  const { total, byDay, byConversation, byModel, byMemory, timesMs, searches, bytes } =
    await client.usage.read({ days: 1 });
  expect(total.replies).toBe(2);
  expect(total.promptTokens).toBeGreaterThanOrEqual(reply.promptTokens ?? 0);
  expect(total.retrievalTokens).toBeGreaterThan(0);
  expect(total.replyMs).toBeGreaterThan(0);
  expect(byDay).toEqual([{ ...total, day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string }]);
  expect(byConversation).toMatchObject([{ ...total, conversationId: turn.conversationId }]);
  expect(byModel).toMatchObject([{ ...total, model: 'small' }]);
  expect(byMemory).toMatchObject([{ kind: 'note', title: 'Jardin', heading: ['Jardin'], given: 1 }]);
  const twice = { count: 2 };
  expect(timesMs).toMatchObject({ store: twice, search: twice, summarise: twice, reply: twice });
  expect(searches).toEqual({ made: 2, found: 1 });
  expect(bytes.database).toBeGreaterThan(0);
  expect((await client.app.stats()).figures.searches).toEqual(searches);
  await client.chat.remove({ id: turn.conversationId });
  expect((await client.usage.read({})).total.replies).toBe(0);
  await server.close();
});
