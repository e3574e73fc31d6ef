import { describe, expect, it } from 'vitest';
import type { ChatModel, ModelItem } from './chatModel.ts';
import { PassagesModel } from './passages.ts';

const items: ModelItem[] = [
  { number: 5, id: 'chk_1', score: 0.9 },
  { number: 6, id: 'fact_1', score: 0.2 },
  { number: 7, id: 'chk_2', score: 0.6 },
];

async function cited(model: ChatModel, stop: { after: number } = { after: Number.POSITIVE_INFINITY }) {
  const abort = new AbortController();
  const numbers: number[] = [];
  for await (const event of model.reply({ messages: [], items }, abort.signal)) {
    if (event.type === 'cite') numbers.push(event.number);
    if (numbers.length === stop.after) abort.abort();
  }
  return numbers;
}

describe('Passages', () => {
  it('cites the items that reach the minimum, by their numbers and in their order', async () => {
    expect(await cited(new PassagesModel(0.5))).toEqual([5, 7]);
  });

  it('stops between two items', async () => {
    expect(await cited(new PassagesModel(0.5), { after: 1 })).toEqual([5]);
  });

  it('reads no prompt, so that it has no window', async () => {
    const model: ChatModel = new PassagesModel(0.5);
    expect(model.readsPrompt).toBe(false);
    expect(await model.contextTokens()).toBe(Number.POSITIVE_INFINITY);
  });
});
