import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { ask, createTestApp, lastReply, type TestApp } from '../support/testApp.ts';

let test: TestApp;
let server: OpenAiServer;

beforeEach(async () => {
  server = await startOpenAiServer();
  test = createTestApp();
  await change({
    'chat.baseUrl': server.baseUrl,
    'chat.model': 'small',
    learnWithModel: 'off',
    summariseWithModel: false,
    tools: false,
  });
});
afterEach(async () => {
  await test.dispose();
  await server.close();
});

const change = (patch: Parameters<TestApp['app']['client']['app']['changeSettings']>[0]) =>
  test.app.client.app.changeSettings(patch);
const begin = async (text: string, channel = 'chat') =>
  lastReply(await test.app.client.chat.runTurn({ text, channel }));
const sent = () => {
  const prompt = server.prompts.at(-1);
  return { model: prompt?.model, system: prompt?.messages[0]?.content ?? '' };
};

it('a conversation’s own model and instructions hold before those of its channel, and these before the settings', async () => {
  await change({
    'chat.systemPrompt': 'Always answer in one sentence.',
    channelChoices: { Travail: { model: 'large', systemPrompt: 'Réponds comme une cheffe de projet.' } },
  });
  const { reply: elsewhere } = await begin('Bonjour.');
  expect(sent().system).toContain('Always answer in one sentence.');
  expect([sent().model, elsewhere.model, elsewhere.wantedModel]).toEqual(['small', 'small', null]);

  const { turn, reply } = await begin('Bonjour.', 'Travail');
  expect(sent().system).toContain('Réponds comme une cheffe de projet.');
  expect(sent().system).not.toContain('in one sentence');
  expect([sent().model, reply.model]).toEqual(['large', 'large']);

  const choices = { model: 'small', systemPrompt: 'Réponds en vers.' };
  const row = await test.app.client.chat.change({ id: turn.conversationId, choices });
  expect(row.choices).toEqual(choices);
  await ask(test.app, 'Et ensuite ?', turn.conversationId);
  expect(sent()).toMatchObject({ model: 'small', system: expect.stringContaining('Réponds en vers.') });

  await test.app.client.chat.change({ id: turn.conversationId, choices: {} });
  await ask(test.app, 'Et puis ?', turn.conversationId);
  expect(sent()).toMatchObject({ model: 'large', system: expect.stringContaining('cheffe de projet') });
});

it('a conversation that moves to another channel takes what that one has', async () => {
  await change({ channelChoices: { Travail: { model: 'large' } } });
  const { turn } = await begin('Bonjour.');
  await test.app.client.chat.change({ id: turn.conversationId, channel: 'Travail' });
  await ask(test.app, 'Et ensuite ?', turn.conversationId);
  expect(sent().model).toBe('large');
});

it('a model that the server no longer has gives way to that of the settings, and the reply says so', async () => {
  await change({ channelChoices: { Travail: { model: 'nobody' } } });
  const { turn, reply } = await begin('Bonjour.', 'Travail');

  expect(reply).toMatchObject({
    state: 'complete',
    model: 'small',
    wantedModel: 'nobody',
    content: 'Understood.',
  });
  expect(server.prompts.map(({ model }) => model)).toEqual(['nobody', 'small']);
  // Once asked for, once given.
  const { db } = test.app.services;
  expect(db.get('SELECT count(*) AS n FROM memory_retrievals WHERE turn_id = ?', turn.id)).toEqual({ n: 1 });

  const again = await lastReply(await test.app.client.chat.regenerate({ turnId: turn.id }));
  expect(again.reply).toMatchObject({ version: 2, model: 'small', wantedModel: 'nobody' });
});

it('where that is the model of the settings too, the reply fails plainly', async () => {
  await change({ 'chat.model': 'nobody', channelChoices: { Travail: { model: 'nobody' } } });
  const { reply } = await begin('Bonjour.', 'Travail');
  expect(reply).toMatchObject({ state: 'failed', error: { code: 'MODEL_UNKNOWN' } });
  expect(server.prompts).toHaveLength(1);
});

it('without a server, a channel that wants a model is answered with passages, and told so', async () => {
  await change({ 'chat.baseUrl': '', 'chat.model': '', channelChoices: { Travail: { model: 'large' } } });
  const { reply } = await begin('Bonjour.', 'Travail');
  expect(reply).toMatchObject({ model: 'passages', wantedModel: 'large' });
});

it('a channel can be answered with passages where a model answers elsewhere', async () => {
  await change({ channelChoices: { Travail: { model: 'passages' } } });
  const { reply } = await begin('Bonjour.', 'Travail');
  expect(reply).toMatchObject({ model: 'passages', wantedModel: null });
  expect(server.prompts).toEqual([]);
});

it('choices come through an export and its import', async () => {
  await change({ channelChoices: { Travail: { model: 'large', scope: 'channel' } } });
  const { turn } = await begin('Bonjour.');
  const choices = { systemPrompt: 'Réponds en vers.', scope: 'conversation' as const };
  await test.app.client.chat.change({ id: turn.conversationId, choices });
  const other = createTestApp();
  try {
    for await (const portion of await test.app.client.data.export())
      await other.app.client.data.import(portion);
    expect((await other.app.client.app.settings()).channelChoices).toEqual({
      Travail: { model: 'large', scope: 'channel' },
    });
    expect((await other.app.client.chat.list({}))[0]?.choices).toEqual(choices);
  } finally {
    await other.dispose();
  }
});
