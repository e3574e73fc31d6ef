import { expect, it } from 'vitest';
import { gainsOfConversations } from './conversations.ts';

it('a conversation adds a share of the mean of its best three turns; what it lacks counts as nothing', () => {
  const saturations = [0.2, 0.6, 0.1, 0.4, 0.3, 0];
  const rows = ['a', 'a', 'a', 'a', 'b', 'c'].map((conversationId, rowid) => ({ rowid, conversationId }));
  const gains = gainsOfConversations(rows, { saturation: (rowid) => saturations[rowid] ?? null }, 0.6);
  expect(gains.get('a')).toBeCloseTo(0.24);
  expect(gains.get('b')).toBeCloseTo(0.06);
  expect(gains.has('c')).toBe(false);
});
