import { afterEach, describe, expect, it } from 'vitest';
import type { ChatModel, ModelEvent, ModelRequest } from '../../src/core/models/chatModel.ts';
import { ChatModels } from '../../src/core/models/chatModels.ts';
import { systemClock } from '../../src/core/support/clock.ts';
import type { ModelStatus } from '../../src/shared/contract/models.ts';
import { defaultSettings, type Settings } from '../../src/shared/settings.ts';
import {
  type Behaviour,
  countPromptTokens,
  type OpenAiServer,
  type ServerOptions,
  startOpenAiServer,
} from '../fakes/openAiServer.ts';
import { until } from '../support/testApp.ts';

const servers: OpenAiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(options: ServerOptions = {}): Promise<OpenAiServer> {
  const server = await startOpenAiServer(options);
  servers.push(server);
  return server;
}

const models = (server: { baseUrl: string }, more: Partial<Settings> = {}) =>
  new ChatModels({
    settings: () => ({
      ...defaultSettings,
      'chat.baseUrl': server.baseUrl,
      'chat.model': 'small',
      ...more,
    }),
    keyOf: async () => null,
    removedKey: { wasRemoved: () => false, forget: () => undefined },
    clock: systemClock,
    onStatus: () => undefined,
  });

const BONJOUR: ModelRequest = { messages: [{ role: 'user', content: 'Bonjour' }], items: [] };

async function reply(
  model: ChatModel,
  request: ModelRequest = BONJOUR,
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.reply(request, signal)) events.push(event);
  return events;
}

const textOf = (events: readonly ModelEvent[], type: 'text' | 'reasoning' = 'text') =>
  events.flatMap((event) => (event.type === type ? [event.delta] : [])).join('');

async function behaving(behaviour: Behaviour, options: ServerOptions = {}) {
  const server = await serve(options);
  server.behave(behaviour);
  return { server, model: await models(server).current() };
}

const chunk = (choice: unknown, more: Record<string, unknown> = {}) =>
  JSON.stringify({ choices: [choice], ...more });
const words = (content: string) => chunk({ delta: { content } });
const END = chunk({ delta: {}, finish_reason: 'stop' });

describe('a reply', () => {
  it.each(['tags', 'field'] as const)('is told apart from thoughts in %s', async (as) => {
    const { model } = await behaving({ kind: 'think', thoughts: 'Voyons voir.', text: 'Bonjour.', as });
    const events = await reply(model);
    expect(textOf(events)).toBe('Bonjour.');
    expect(textOf(events, 'reasoning').trim()).toBe('Voyons voir.');
  });

  it('begins after thoughts whose opening tag the chat template wrote', async () => {
    const { model } = await behaving({
      kind: 'think',
      thoughts: 'Voyons voir.',
      text: 'Bonjour.',
      as: 'lone-closing-tag',
    });
    const events = await reply(model);
    const turned = events.findIndex(({ type }) => type === 'text-was-reasoning');
    expect(textOf(events.slice(0, turned)).trim()).toBe('Voyons voir.');
    expect(textOf(events.slice(turned))).toBe('Bonjour.');
  });

  it('has no text where the thoughts never end', async () => {
    const { model } = await behaving({ kind: 'think', thoughts: 'Voyons…', text: '', as: 'unclosed' });
    const events = await reply(model);
    expect(textOf(events)).toBe('');
    expect(textOf(events, 'reasoning').trim()).toBe('Voyons…');
  });

  it.each(['pieces', 'whole'] as const)(
    'may call tools, in %s, and goes on with their results',
    async (as) => {
      const calls = [
        { name: 'search_notes', arguments: { query: 'tomates et "basilic"' } },
        { name: 'read_note', arguments: { path: 'Jardin.md' } },
      ];
      const { server, model } = await behaving({ kind: 'tools', calls, as, text: 'À la mi-mai.' });
      const tools = [{ name: 'search_notes', description: 'Searches notes', parameters: { type: 'object' } }];
      const called = (await reply(model, { ...BONJOUR, tools })).flatMap((event) =>
        event.type === 'tool-call' ? [event.call] : [],
      );
      expect(called.map(({ name, arguments: json }) => ({ name, arguments: JSON.parse(json) }))).toEqual(
        calls,
      );
      expect(new Set(called.map(({ id }) => id)).size).toBe(2);
      expect(server.prompts[0]?.tools).toEqual([{ type: 'function', function: tools[0] }]);
      const after = await reply(model, {
        messages: [
          ...BONJOUR.messages,
          { role: 'assistant', content: '', toolCalls: called },
          ...called.map(({ id }) => ({ role: 'tool' as const, toolCallId: id, content: 'Mi-mai.' })),
        ],
        items: [],
        tools,
      });
      expect(textOf(after)).toBe('À la mi-mai.');
      expect(server.prompts[1]?.messages.slice(1)).toEqual([
        {
          role: 'assistant',
          content: '',
          tool_calls: called.map(({ id, name, arguments: json }) => ({
            id,
            type: 'function',
            function: { name, arguments: json },
          })),
        },
        ...called.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'Mi-mai.' })),
      ]);
    },
  );

  it('is asked for with the parameters that are set, and no others', async () => {
    const { server, model } = await behaving({ kind: 'reply', text: 'Oui.' });
    const responseFormat = { name: 'facts', schema: { type: 'object' } };
    await reply(model);
    await reply(model, {
      ...BONJOUR,
      responseFormat,
      parameters: { temperature: 0, topP: 0.5, maxTokens: 9, stop: ['\n'], seed: 3 },
    });
    const [plain, full] = server.prompts;
    expect(Object.keys(plain ?? {}).sort()).toEqual(['messages', 'model', 'stream', 'stream_options']);
    expect(full).toMatchObject({
      temperature: 0,
      top_p: 0.5,
      max_tokens: 9,
      stop: ['\n'],
      seed: 3,
      response_format: { type: 'json_schema', json_schema: { ...responseFormat, strict: true } },
    });
  });

  it('comes without what the server refuses, which is said, and not asked for again', async () => {
    const { server, model } = await behaving(
      { kind: 'reply', text: '{}' },
      { refuses: ['response_format', 'tools'] },
    );
    const request: ModelRequest = {
      ...BONJOUR,
      responseFormat: { name: 'facts', schema: { type: 'object' } },
      tools: [{ name: 'one', description: '', parameters: { type: 'object' } }],
    };
    for (const prompts of [3, 4]) {
      const events = await reply(model, request);
      expect(events.filter(({ type }) => type === 'refused')).toEqual([
        { type: 'refused', part: 'response-format' },
        { type: 'refused', part: 'tools' },
      ]);
      expect(textOf(events)).toBe('{}');
      expect(server.prompts).toHaveLength(prompts);
    }
  });

  it('is refused for good where leaving parts out does not help', async () => {
    const { model } = await behaving({ kind: 'status', status: 400 });
    const request = { ...BONJOUR, responseFormat: { name: 'facts', schema: {} } };
    await expect(reply(model, request)).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      params: { status: 400 },
    });
  });

  it('that is refused because its prompt is too long is not asked for without tools', async () => {
    const { server, model } = await behaving({
      kind: 'status',
      status: 400,
      message: 'the request exceeds the available context size',
    });
    const tools = [{ name: 'one', description: '', parameters: { type: 'object' } }];
    await expect(reply(model, { ...BONJOUR, tools })).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    expect(server.prompts).toHaveLength(1);
  });

  it('is not lost to chunks of other shapes', async () => {
    const { model } = await behaving({
      kind: 'events',
      data: [
        'null',
        '[]',
        '"text"',
        '{',
        chunk(null),
        chunk({ delta: null }),
        chunk({ delta: { content: null, tool_calls: null } }),
        JSON.stringify({ choices: null }),
        JSON.stringify({ choices: {}, usage: [] }),
        words('Bonjour.'),
        END,
        '[DONE]',
      ],
    });
    expect(await reply(model)).toEqual([{ type: 'text', delta: 'Bonjour.' }]);
  });

  it('is read to its end without a line break after it', async () => {
    const { model } = await behaving({ kind: 'body', text: `data: ${words('Oui.')}\r\n\r\ndata: ${END}` });
    expect(textOf(await reply(model))).toBe('Oui.');
    const single = await behaving({
      kind: 'body',
      text: `data: ${chunk({ delta: { content: 'Non.' }, finish_reason: 'stop' })}`,
    });
    expect(textOf(await reply(single.model))).toBe('Non.');
  });

  it.each([
    [{ prompt_tokens: 12.4, completion_tokens: 3 }, 12, 3],
    [{ prompt_tokens: 12 }, 12, null],
    [{ prompt_tokens: -1, completion_tokens: '7' }, null, null],
    [{ prompt_tokens: null, completion_tokens: 3.6 }, null, 4],
  ])('keeps of the usage %j what is a count', async (usage, promptTokens, completionTokens) => {
    const { model } = await behaving({
      kind: 'events',
      data: [words('Oui.'), END, JSON.stringify({ usage })],
    });
    const told = (await reply(model)).find(({ type }) => type === 'usage');
    expect(told ?? { promptTokens: null, completionTokens: null }).toMatchObject({
      promptTokens,
      completionTokens,
    });
  });

  it('ends at [DONE], or soon after its last word, though the stream stays open', async () => {
    const done = await behaving({ kind: 'events', data: [words('Oui.'), '[DONE]'], stayOpen: true });
    expect(textOf(await reply(done.model))).toBe('Oui.');
    await until(() => done.server.left() === 1);
    const finished = await behaving({ kind: 'events', data: [words('Oui.'), END], stayOpen: true });
    expect(textOf(await reply(finished.model))).toBe('Oui.');
  });

  it('fails where the server reports an error in the stream, and keeps what came', async () => {
    const { model } = await behaving({
      kind: 'events',
      data: [words('Un début'), JSON.stringify({ error: { code: 500, message: 'out of memory' } })],
    });
    let text = '';
    const reading = async () => {
      for await (const event of model.reply(BONJOUR, new AbortController().signal))
        if (event.type === 'text') text += event.delta;
    };
    await expect(reading()).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    expect(text).toBe('Un début');
  });

  it('that is cut in the middle of a tool call calls nothing', async () => {
    const call = { index: 0, id: 'a', function: { name: 'forget', arguments: '{"topic":"' } };
    const { model } = await behaving({ kind: 'events', data: [chunk({ delta: { tool_calls: [call] } })] });
    await expect(reply(model)).rejects.toMatchObject({ code: 'MODEL_CUT' });
  });

  it('says that the server cut the prompt, and only then', async () => {
    const server = await serve({ cutsAbove: 1_000 });
    const model = await models(server).current();
    const ask = async (content: string) => {
      const events = await reply(model, { messages: [{ role: 'user', content }], items: [] });
      return events.find((event) => event.type === 'usage');
    };
    expect(await ask('mot '.repeat(900))).toMatchObject({ promptTokens: 900, promptCut: null });
    expect(await ask('mot '.repeat(2_000))).toMatchObject({
      promptTokens: 502,
      promptCut: { sent: model.countTokens('mot '.repeat(2_000)), reported: 502 },
    });
    expect(server.prompts.map(countPromptTokens)).toEqual([900, 2_000]);
  });

  it('waits its turn where the server writes one at a time', async () => {
    const { server, model } = await behaving({ kind: 'hang', text: 'Je commence' }, { slots: 1 });
    const first = new AbortController();
    const stopped = reply(model, BONJOUR, first.signal);
    await until(() => server.prompts.length === 1);
    const second = reply(model);
    await until(() => server.prompts.length === 2);
    server.behave({ kind: 'reply', text: 'À mon tour.' });
    first.abort();
    expect(textOf(await stopped)).toBe('Je commence');
    expect(textOf(await second)).toBe('À mon tour.');
  });
});

describe('the context of a model', () => {
  it('is what the user set, before the server is asked', async () => {
    const server = await serve({ contextTokens: 2_048 });
    expect(await (await models(server, { 'chat.contextTokens': 999 }).current()).contextTokens()).toBe(999);
    expect(server.requests).not.toContain('GET /props');
  });

  it('is asked once a minute from the server', async () => {
    const server = await serve({ contextTokens: 2_048 });
    const chosen = models(server);
    for (const _ of [1, 2, 3]) expect(await (await chosen.current()).contextTokens()).toBe(2_048);
    expect(server.requests.filter((request) => request === 'GET /props')).toHaveLength(1);
  });

  it('is 4,096 tokens where the server does not tell, and asked again once Ollama has loaded the model', async () => {
    const server = await serve({ ollama: [{ name: 'small:latest', context_length: 32_768 }] });
    const model = await models(server).current();
    expect(await model.contextTokens()).toBe(4_096);
    server.behave({ kind: 'reply', text: 'Bonjour.' });
    const named = await models(server, { 'chat.model': 'small:latest' }).current();
    expect(await named.contextTokens()).toBe(4_096);
    await reply(named);
    expect(await named.contextTokens()).toBe(32_768);
  });
});

describe('where a model is', () => {
  const CLOUD = [
    { name: 'gpt-oss:120b-cloud', remote_host: 'https://ollama.com:443', remote_model: 'gpt-oss:120b' },
    { name: 'mine', remote_host: 'https://ollama.com:443', remote_model: 'gpt-oss:120b' },
    { name: 'small' },
  ];

  it('follows from its address', async () => {
    const isLocal = async (baseUrl: string) => (await models({ baseUrl }).current()).isLocal;
    expect(await isLocal('http://127.0.0.1:9/v1')).toBe(true);
    expect(await isLocal('http://192.0.2.1/v1')).toBe(false);
    expect(await isLocal('https://api.example.com/v1')).toBe(false);
    expect((await models({ baseUrl: '' }).current()).isLocal).toBe(true);
  });

  it.each([
    ['gpt-oss:120b-cloud', false],
    ['kimi-k2.5:cloud', false],
    ['mine', false],
    ['small', true],
  ])('is told by a server that may forward: %s', async (name, isLocal) => {
    const server = await serve({ ollama: CLOUD });
    expect((await models(server, { 'chat.model': name }).current()).isLocal).toBe(isLocal);
    expect(server.prompts).toEqual([]);
  });

  it('is asked before anything is sent, also where the server was away', async () => {
    const server = await serve({ ollama: CLOUD });
    const { port } = new URL(server.baseUrl);
    await server.close();
    const chosen = models(server, { 'chat.model': 'mine' });
    const model = await chosen.current();
    expect(model.isLocal).toBe(true);
    const back = await startOpenAiServer({ ollama: CLOUD, port: Number(port) });
    servers.push(back);
    await expect(reply(model)).rejects.toMatchObject({ code: 'MODEL_FORWARDS' });
    expect(back.prompts).toEqual([]);
    expect((await chosen.current()).isLocal).toBe(false);
  });
});

describe('how the chosen model is', () => {
  /** Models of one server whose status is gathered as it changes. */
  function watch(settings: () => Partial<Settings>) {
    const told: (string | undefined)[] = [];
    const chosen = new ChatModels({
      settings: () => ({ ...defaultSettings, ...settings() }),
      keyOf: async () => null,
      removedKey: { wasRemoved: () => false, forget: () => undefined },
      clock: { now: () => 1_000 },
      onStatus: (status: ModelStatus | null) =>
        told.push(status ? (status.problem?.code ?? status.state) : undefined),
    });
    return { chosen, told };
  }
  const named = (server: { baseUrl: string }, model = 'small') => ({
    'chat.baseUrl': server.baseUrl,
    'chat.model': model,
  });

  it('is unknown until it replied or its server was asked, and Passages has none', async () => {
    const server = await serve();
    let settings: Partial<Settings> = named(server);
    const { chosen, told } = watch(() => settings);
    await chosen.current();
    expect(told).toEqual(['unknown']);
    expect(await chosen.check()).toEqual({ model: 'small', state: 'ready', problem: null, at: 1_000 });
    settings = {};
    expect(await chosen.check()).toBeNull();
    expect(told).toEqual(['unknown', 'ready', undefined]);
  });

  it('is what its last reply was, told once for each change', async () => {
    const server = await serve();
    const { chosen, told } = watch(() => named(server));
    const model = await chosen.current();
    await reply(model);
    await reply(model);
    server.behave({ kind: 'cut', text: 'Bon' });
    await expect(reply(model)).rejects.toMatchObject({ code: 'MODEL_CUT' });
    server.behave({ kind: 'status', status: 500 });
    await expect(reply(model)).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    // The server answers questions, and still cannot reply.
    await chosen.check();
    server.behave({ kind: 'reply', text: 'Bonjour.' });
    await reply(model);
    expect(told).toEqual(['unknown', 'ready', 'MODEL_CUT', 'MODEL_FAILED', 'ready']);
  });

  it('is failed while its server is away, and ready once it is back', async () => {
    const server = await startOpenAiServer();
    const { chosen, told } = watch(() => named(server));
    await server.close();
    expect(await chosen.check()).toMatchObject({ state: 'failed', problem: { code: 'MODEL_REFUSED' } });
    await serve({ port: Number(new URL(server.baseUrl).port) });
    expect(await chosen.check()).toMatchObject({ state: 'ready' });
    expect(told).toEqual(['unknown', 'MODEL_REFUSED', 'ready']);
  });

  it('is not told of by a reply of the model that was chosen before', async () => {
    const server = await serve();
    let settings = named(server);
    const { chosen, told } = watch(() => settings);
    const before = await chosen.current();
    settings = named(server, 'large');
    await chosen.current();
    server.behave({ kind: 'status', status: 500 });
    await expect(reply(before)).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    expect(told).toEqual(['unknown', 'unknown']);
  });

  it('stays as it was when a reply is stopped before it began', async () => {
    const server = await serve();
    const { chosen, told } = watch(() => named(server));
    const stop = new AbortController();
    stop.abort();
    await reply(await chosen.current(), BONJOUR, stop.signal);
    expect(told).toEqual(['unknown']);
  });
});
