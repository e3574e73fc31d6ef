import { describe, expect, it } from 'vitest';
import { createChannel } from './events.ts';

describe('a channel', () => {
  it('keeps nothing for a reader that left', async () => {
    const channel = createChannel<number>();
    channel.push(1);
    channel.push(2);
    for await (const value of channel) {
      expect(value).toBe(1);
      break;
    }
    channel.push(3);
    const rest: number[] = [];
    for await (const value of channel) rest.push(value);
    expect(rest).toEqual([]);
  });
});
