import { expect, it } from 'vitest';
import type { FindPart } from '../searchContract.ts';
import { Marks } from './marks.ts';

const QUESTION = 'Where is the spare key?';

it('lowers the score that a finding is placed by as much as its own, wherever the place comes from', async () => {
  const marks = new Marks({
    serving: () => null,
    differs: () => false,
    marks: {
      ofItems: () => [{ kind: 'turn', itemId: 'turn_1', mark: 'wrong', question: QUESTION } as never],
    },
  });
  const finding = {
    result: { kind: 'turn', id: 'turn_1', score: 0.6 },
    inFolder: { folder: '/house', placedAt: 0.7 },
    beside: { turn: 'turn_2', placedAt: 0.8 },
  };
  const part = { found: { items: [{ finding, score: 0.8, fused: 1 }] } } as unknown as FindPart;
  const [lowered] = await marks.lowerParts([part], { text: QUESTION, query: null });
  expect(lowered).toMatchObject({
    found: {
      items: [
        {
          score: 0.4,
          finding: { result: { score: 0.3 }, inFolder: { placedAt: 0.35 }, beside: { placedAt: 0.4 } },
        },
      ],
    },
  });
});
