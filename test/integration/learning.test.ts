import { describe, expect, it } from 'vitest';
import { scoreConsolidation } from '../eval/facts/consolidation.ts';
import { scoreTruth } from '../eval/facts/currentTruth.ts';
import { readDialogues } from '../eval/facts/dialogues.ts';
import { type Outcome, play, precision, recall, scoreOf } from '../eval/facts/score.ts';

/** `npm run eval -- facts` prints the figures; these are floors under them, so that no change of a rule passes unseen. */
describe('the rules, on dialogues', () => {
  const nothing = (outcomes: readonly Outcome[]) =>
    scoreOf(outcomes.filter(({ dialogue }) => dialogue.about === 'nothing'));

  it('that they were fitted on, learn what is stated and little else', () => {
    // Pasted texts and voices of others, made to be hard, are a set apart, and so is what is said in passing.
    const apart = /voices|written|everyday|changes|asides|told|long|rough/;
    const outcomes = play(readDialogues('tune').filter(({ id }) => !apart.test(id)));
    const score = scoreOf(outcomes);
    expect(score.dialogues).toBeGreaterThan(100);
    expect(precision(score)).toBeGreaterThanOrEqual(0.975);
    expect(recall(score)).toBeGreaterThanOrEqual(0.83);
    const { learnt, dialogues } = nothing(outcomes);
    expect(learnt / dialogues).toBeLessThanOrEqual(4 / 762);
  }, 180_000);

  it('that they were not fitted on, learn most of what is stated', () => {
    const [older, fresh] = (['report', 'fresh'] as const).map((set) => play(readDialogues(set)));
    // Of one set alone a single statement is half a point.
    const score = scoreOf([...(older ?? []), ...(fresh ?? [])]);
    expect(score.dialogues).toBeGreaterThan(500);
    expect(precision(score)).toBeGreaterThanOrEqual(0.955);
    expect(recall(score)).toBeGreaterThanOrEqual(0.91);
    expect(recall(scoreOf(older ?? []))).toBeGreaterThanOrEqual(0.9);
    expect(nothing(older ?? []).learnt).toBeLessThanOrEqual(2);
    expect(nothing(fresh ?? []).learnt).toBeLessThanOrEqual(14);
  });

  it('of what people say in passing, learn two thirds and more', () => {
    const score = scoreOf(play(readDialogues('everyday')));
    expect(score.dialogues).toBeGreaterThan(900);
    expect(precision(score)).toBeGreaterThanOrEqual(0.9);
    expect(recall(score)).toBeGreaterThanOrEqual(0.75);
  }, 180_000);

  it('that they were not fitted on, leave what is true at their end, and what is left later', async () => {
    const { current, expiry } = await scoreTruth([...readDialogues('report'), ...readDialogues('fresh')]);
    expect(current).toBeGreaterThanOrEqual(0.78);
    expect(expiry).toBeGreaterThanOrEqual(0.85);
  }, 180_000);
});

describe('what becomes of the right statements', () => {
  it.each([
    // Half of what is to be told of changes in it was written to be told in other words than any rule knows.
    ['tune', 0.95],
    ['report', 0.955],
  ] as const)(
    'of dialogues to %s is right in %d of all cases at least',
    async (half, floor) => {
      const { outcome, statements } = await scoreConsolidation(readDialogues(half));
      expect(statements).toBeGreaterThan(200);
      expect(outcome).toBeGreaterThanOrEqual(floor);
    },
    300_000,
  );
});
