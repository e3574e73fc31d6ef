import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { listModels } from '../../src/core/models/modelServer.ts';
import { type Behaviour, type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { ask, createTestApp, type TestApp, until } from '../support/testApp.ts';

/** The longest reply that is kept. */
const MOST = 200_000;

let test: TestApp;
let server: OpenAiServer;

beforeAll(() => {
  test = createTestApp();
});
beforeEach(async () => {
  server = await startOpenAiServer();
  await test.app.client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
});
afterAll(() => test.dispose());

const chunk = (choice: unknown, more: Record<string, unknown> = {}) =>
  JSON.stringify({ choices: [choice], ...more });
const words = (content: unknown) => chunk({ delta: { content } });
const event = (data: string) => `data: ${data}\n\n`;
const END = chunk({ delta: {}, finish_reason: 'stop' });

async function replyTo(behaviour: Behaviour) {
  server.behave(behaviour);
  const { turn, reply } = await ask(test.app, 'Bonjour');
  // Whatever came, what is stored can be read again, and the message is there.
  const { turns } = await test.app.client.chat.get({ id: turn.conversationId });
  expect(turns[0]?.messages[0]?.content).toBe('Bonjour');
  expect(turns[0]?.replies[0]).toEqual(reply);
  return reply;
}

describe('a server that never ends', () => {
  it.each(['content', 'reasoning_content'])('its reply is cut, and the request ended: %s', async (field) => {
    const reply = await replyTo({
      kind: 'flood',
      piece: event(chunk({ delta: { [field]: 'é🌿 encore ' } })),
    });
    expect(reply).toMatchObject({
      state: 'failed',
      error: { code: 'REPLY_CUT', params: { characters: MOST } },
    });
    const text = field === 'content' ? reply.content : reply.reasoning;
    expect(text.length).toBeLessThanOrEqual(MOST);
    expect(text.length).toBeGreaterThan(MOST - 2);
    expect(text.isWellFormed()).toBe(true);
    await until(() => server.left() === 1);
    // It says nothing against the server.
    expect(await test.app.client.models.check()).toMatchObject({ problem: null });
  });

  it('its one line is read no further than an event may be long, and what came before is kept', async () => {
    const reply = await replyTo({
      kind: 'flood',
      first: event(words('Un début.')),
      piece: 'data: {"choices":[{"delta":{"content":"aaaaaaaaaaaaaa',
    });
    expect(reply).toMatchObject({ state: 'failed', content: 'Un début.', error: { code: 'MODEL_GARBAGE' } });
    await until(() => server.left() === 1);
  });

  it('its events without a word are read no further either', async () => {
    const reply = await replyTo({
      kind: 'flood',
      first: event(words('Un début.')),
      piece: event(chunk({ delta: { role: 'assistant', content: '', padding: 'x'.repeat(16_000) } })),
    });
    expect(reply).toMatchObject({ state: 'failed', content: 'Un début.', error: { code: 'MODEL_SLOW' } });
  });

  it('its calls of tools are read no further', async () => {
    const piece = { index: 0, function: { name: 'search', arguments: 'x'.repeat(500) } };
    const reply = await replyTo({ kind: 'flood', piece: event(chunk({ delta: { tool_calls: [piece] } })) });
    expect(reply).toMatchObject({ state: 'failed', error: { code: 'REPLY_CUT' } });
  });

  it('its list of models is read no further', async () => {
    const list = new ReadableStream<Uint8Array>({
      pull: (controller) =>
        controller.enqueue(new TextEncoder().encode('["aaaaaaaaaaaaaaaa",'.repeat(5_000))),
    });
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(list));
    await expect(listModels({ baseUrl: server.baseUrl, key: null })).rejects.toMatchObject({
      code: 'MODEL_GARBAGE',
    });
  });
});

describe('a long reply', () => {
  it('is kept while it comes by what is new alone', async () => {
    const { db } = test.app.services;
    // Every piece of it is due to be kept.
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 600;
      return now;
    });
    let written = 0;
    let times = 0;
    const run = db.run.bind(db);
    vi.spyOn(db, 'run').mockImplementation((sql, ...params) => {
      if (sql.includes('INTO reply_parts')) {
        times += 1;
        written += (params as readonly unknown[]).reduce<number>((sum, one) => sum + String(one).length, 0);
      }
      return run(sql, ...(params as Parameters<typeof run> extends [string, ...infer Rest] ? Rest : never));
    });
    const text = 'Une phrase de la réponse. '.repeat(4_000).trim();
    const bytes = new TextEncoder().encode(
      (text.match(/\S+\s*/g) ?? []).map((one) => event(words(one))).join('') + event(END),
    );
    const reply = await replyTo({ kind: 'pieces', bytes, lengths: [20_000] });
    expect(reply.content).toBe(text);
    expect(times).toBeGreaterThan(10);
    // The ids, too, are written each time.
    expect(written).toBeLessThan(text.length + times * 100);
    expect(db.all('SELECT * FROM reply_parts')).toEqual([]);
  });

  it('that a crash cuts short is what was kept of it, thoughts and all', async () => {
    const { conversations, db } = test.app.services;
    const { turn } = await ask(test.app, 'Bonjour');
    db.run("UPDATE messages SET state = 'pending', content = '' WHERE version = 1");
    conversations.keepPart(turn.id, 1, { content: 'oublié', reasoning: '', isWhole: true });
    conversations.keepPart(turn.id, 1, { content: 'Un ', reasoning: 'Hum', isWhole: true });
    conversations.keepPart(turn.id, 1, { content: 'début', reasoning: '', isWhole: false });
    const shown = async () => (await test.app.client.chat.turns({ ids: [turn.id] })).turns[0]?.replies[0];
    const kept = { content: 'Un début', reasoning: 'Hum' };
    expect(await shown()).toMatchObject({ ...kept, state: 'pending' });
    await test.reopen();
    expect(await shown()).toMatchObject({ ...kept, state: 'interrupted' });
    expect(test.app.services.db.all('SELECT * FROM reply_parts')).toEqual([]);
  });

  it('of nothing but citations takes time in proportion to its length', async () => {
    for (const piece of ['[1]', '[1,1,1', '[1,', ',1']) {
      const reply = await replyTo({
        kind: 'body',
        text: event(words(piece.repeat(MOST / piece.length))) + event(END),
      });
      expect(reply).toMatchObject({ state: 'complete', error: null });
    }
  });
});

describe('a server that sends what it should not', () => {
  it.each<[string, string[]]>([
    ['no objects', ['null', '[]', '5', '"x"', 'true', '', '{', '{}']],
    [
      'no choices',
      ['{"choices":null}', '{"choices":{}}', '{"choices":[]}', '{"choices":[null]}', '{"choices":[[]]}'],
    ],
    [
      'odd choices',
      [chunk({}), chunk({ delta: null }), chunk({ delta: 'x' }), words(5), words(['x']), words(null)],
    ],
    [
      'odd counts',
      [-1, 1.5, 1e300, '12', null, [], {}].map((n) =>
        JSON.stringify({ choices: [], usage: { prompt_tokens: n, completion_tokens: n } }),
      ),
    ],
    [
      'no counts',
      [
        '{"choices":[],"usage":null}',
        '{"choices":[],"usage":[]}',
        '{"choices":[],"usage":"x"}',
        '{"usage":{}}',
      ],
    ],
    [
      'odd tools',
      [-1, 1e300, 1.5, 'x', null].flatMap((index) =>
        [
          null,
          'x',
          [null],
          [{ index }],
          [{ index, function: 'x' }],
          [{ index, function: { name: 5, arguments: { a: 1 } } }],
        ].map((tool_calls) => chunk({ delta: { tool_calls } })),
      ),
    ],
    ['no error', ['{"error":null,"choices":[]}', '{"error":false}', '{"error":""}']],
  ])('among good events loses nothing: %s', async (_, odd) => {
    const data = [words('Bon'), ...odd, words('jour.'), ...odd, END, ...odd, '[DONE]', ...odd];
    const reply = await replyTo({ kind: 'events', data, stayOpen: true });
    expect(reply).toMatchObject({ state: 'complete', content: 'Bonjour.', error: null });
    for (const tokens of [reply.promptTokens, reply.completionTokens])
      expect(tokens === null || (Number.isInteger(tokens) && tokens >= 0)).toBe(true);
  });

  it.each([-1, 1.5, 1e300, '12', null, []])(
    'keeps the reply that %j tokens are counted for',
    async (tokens) => {
      const usage = { prompt_tokens: tokens, completion_tokens: tokens };
      const data = [words('Bonjour.'), chunk({ delta: {}, finish_reason: 'stop' }, { usage }), '[DONE]'];
      const reply = await replyTo({ kind: 'events', data });
      const counted = tokens === 1.5 ? 2 : null;
      expect(reply).toMatchObject({
        state: 'complete',
        content: 'Bonjour.',
        promptTokens: counted,
        completionTokens: counted,
      });
    },
  );

  it.each(['data: [DONE]\n', 'data: [DONE]', 'data:[DONE]\r\n', 'data: [DONE]\n\n'])(
    'ends at %j, though the connection stays open',
    async (end) => {
      const reply = await replyTo({ kind: 'body', text: event(words('Bonjour.')) + end, stayOpen: true });
      expect(reply).toMatchObject({ state: 'complete', content: 'Bonjour.' });
      await until(() => server.left() === 1);
    },
  );

  it.each([0, -1, 0.5, 1, 7, 1e300, '4096', null])('tells a context of %j tokens', async (contextTokens) => {
    await server.close();
    server = await startOpenAiServer({ contextTokens: contextTokens as number });
    await test.app.client.app.changeSettings({ 'chat.baseUrl': server.baseUrl });
    expect(await replyTo({ kind: 'reply', text: 'Bonjour.' })).toMatchObject({ state: 'complete' });
  });
});
