import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { ModelEvent } from '../../src/core/models/chatModel.ts';
import { ReplyReader } from '../../src/core/models/replyStream.ts';
import { checkStream, openStreams, streamTarget } from './streams.ts';
import { fuzz } from './target.ts';

/** `npm run soak -- fuzz` holds many more seeds; one that fails there is replayed here. */
it('whatever a server streams, the message and what was understood of the reply are kept', async () => {
  await expect(fuzz(streamTarget, 1, 20)).resolves.toBeUndefined();
});

it('so they are of what once lost them', async () => {
  const url = new URL('../fixtures/corpora/streams.json', import.meta.url);
  const streams = await openStreams();
  for (const text of JSON.parse(readFileSync(url, 'utf8')) as string[]) {
    for (const length of [1, 100_000]) await checkStream(streams, Buffer.from(text), [length]);
  }
  await streams.close();
});

it('a stream reads the same wherever it is cut', () => {
  const data = [
    { choices: [{ delta: { content: '<think>Été 👩‍🌾</think>' } }] },
    { choices: [{ delta: { reasoning_content: 'œuf' } }] },
    { choices: [{ delta: { content: ' À la mi-mai [1] `</think>` ' } }] },
    {
      choices: [
        { delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"é":1}' } }] } },
      ],
    },
    { choices: [{ delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 12, completion_tokens: 3 } },
  ].map((one) => JSON.stringify(one));
  const text = `\ufeff: ping\r\n\r\n${data.map((one, n) => `data: ${one}${n % 2 === 0 ? '\r\n\r\n' : '\n\n'}`).join('')}data: [DONE]\n\n`;
  const bytes = Buffer.from(text);
  const whole = read([bytes]);
  expect(whole.text).toBe('À la mi-mai [1] `</think>` ');
  for (let at = 1; at < bytes.length; at += 1)
    expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
  expect(read(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(whole);
});

function read(pieces: readonly Uint8Array[]) {
  const reader = new ReplyReader('http://127.0.0.1');
  const events: ModelEvent[] = [...pieces.flatMap((piece) => reader.feed(piece)), ...reader.end()];
  const said = (type: 'text' | 'reasoning') =>
    events.flatMap((event) => (event.type === type ? [event.delta] : [])).join('');
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []));
  const { usage, done, failure } = reader;
  return { text: said('text'), reasoning: said('reasoning'), calls, usage, done, failure };
}
