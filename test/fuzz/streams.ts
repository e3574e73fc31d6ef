import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { ask, createTestApp, type TestApp } from '../support/testApp.ts';
import { Random } from './random.ts';
import type { FuzzTarget } from './target.ts';

const CODES = ['MODEL_FAILED', 'MODEL_CUT', 'MODEL_GARBAGE', 'MODEL_SLOW', 'MODEL_ONLY_CALLS', 'REPLY_CUT'];

/** A core whose chosen model is on a server of the test. */
export interface Streams {
  test: TestApp;
  server: OpenAiServer;
  close(): Promise<void>;
}

export async function openStreams(): Promise<Streams> {
  const test = createTestApp();
  const server = await startOpenAiServer();
  await test.app.client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
  const close = async () => {
    await test.dispose();
    await server.close();
  };
  return { test, server, close };
}

/** Asks, has the server send these bytes in pieces of these lengths, and reads again what is stored. */
export async function checkStream(
  { test, server }: Streams,
  bytes: Uint8Array,
  lengths: readonly number[],
): Promise<void> {
  server.behave({ kind: 'pieces', bytes, lengths });
  const { turn, reply } = await ask(test.app, 'Une question');
  const said = () => `after ${JSON.stringify(Buffer.from(bytes).toString('latin1'))} in ${lengths.join()}`;
  const isTold = reply.state === 'failed' && CODES.includes(reply.error?.code ?? '');
  if (reply.state !== 'complete' && !isTold)
    throw new Error(`${reply.state} ${JSON.stringify(reply.error)} ${said()}`);
  const { turns } = await test.app.client.chat.get({ id: turn.conversationId });
  if (turns[0]?.messages[0]?.content !== 'Une question' || turns[0]?.replies[0]?.content !== reply.content)
    throw new Error(`not kept ${said()}`);
}

/** Has a server send random bytes in random pieces as a reply: whatever comes, the message and what was understood are kept. */
export const streamTarget: FuzzTarget = {
  name: 'streams',
  open: async () => {
    const streams = await openStreams();
    return {
      run: async (seed) => {
        const random = new Random(seed);
        const bytes = randomStream(random);
        const lengths = Array.from({ length: 5 }, () => random.pick([1, 2, 3, 7, 64, 1_000, 100_000]));
        await checkStream(streams, bytes, lengths);
      },
      close: streams.close,
    };
  },
};

/** The beginning, the middle and perhaps the end of a reply, as servers and what goes wrong with them write it. */
function randomStream(random: Random): Uint8Array {
  const parts = Array.from({ length: random.between(0, 12) }, () => randomPart(random));
  if (random.chance(0.6)) parts.push(Buffer.from('data: [DONE]\n\n'));
  const whole = Buffer.concat(parts);
  if (random.chance(0.2)) return whole.subarray(0, random.between(0, whole.length));
  if (random.chance(0.2) && whole.length > 0)
    whole[random.between(0, whole.length - 1)] = random.between(0, 255);
  return whole;
}

function randomPart(random: Random): Buffer {
  if (random.chance(0.1))
    return Buffer.from(Array.from({ length: random.between(1, 30) }, () => random.between(0, 255)));
  if (random.chance(0.1))
    return Buffer.from(
      random.pick([
        ': ping\n\n',
        '\n',
        '\r',
        '\r\n\r\n',
        'event: error\n',
        'id: 1\n',
        'retry: x\n',
        '\ufeff',
        'data',
        'data:\n\n',
      ]),
    );
  const content = random.pick([random.text(), 'Bonjour ', '<think>', '</think>', '`', '[1]']);
  const choice = random.pick<unknown>([
    { delta: { content } },
    { delta: { reasoning_content: content } },
    {
      delta: {
        tool_calls: [
          { index: random.json(), id: random.json(), function: { name: content, arguments: content } },
        ],
      },
    },
    { delta: {}, finish_reason: 'stop' },
    random.json(),
  ]);
  const event = random.chance(0.1)
    ? random.json()
    : {
        choices: [choice],
        ...(random.chance(0.2)
          ? { usage: { prompt_tokens: random.json(), completion_tokens: random.json() } }
          : {}),
      };
  const json = JSON.stringify(random.mutate(event, 0.03));
  return Buffer.from(`data: ${json}${random.pick(['\n\n', '\n\n', '\n\n', '\r\n\r\n', '\r\r', '\n'])}`);
}
