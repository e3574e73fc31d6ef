import { expect, it } from 'vitest';
import { ofOneSitting } from './pretence.ts';

const MINUTE = 60_000;

it('a sitting goes back to the last long pause', () => {
  const sent = [0, 120, 130, 150].map((minute) => ({ content: `at ${minute}`, createdAt: minute * MINUTE }));
  expect(ofOneSitting(sent, 180 * MINUTE)).toEqual(['at 120', 'at 130', 'at 150']);
  expect(ofOneSitting(sent, 300 * MINUTE)).toEqual([]);
  expect(ofOneSitting([], 0)).toEqual([]);
});
