import { describe, expect, it } from 'vitest';
import { readDialogues } from '../eval/facts/dialogues.ts';
import { type Outcome, play, precision, recall, scoreOf } from '../eval/facts/score.ts';

/** `npm run eval -- facts` prints the figures; these are floors under them, so that no change of a rule passes unseen. */
describe('the rules, on dialogues', () => {
  const nothing = (outcomes: readonly Outcome[]) =>
    scoreOf(outcomes.filter(({ dialogue }) => dialogue.about === 'nothing')).learnt;

  it('that they were fitted on, learn what is stated and little else', () => {
    const outcomes = play(readDialogues('tune'));
    const score = scoreOf(outcomes);
    expect(score.dialogues).toBeGreaterThan(100);
    expect(precision(score)).toBeGreaterThanOrEqual(0.93);
    expect(recall(score)).toBeGreaterThanOrEqual(0.74);
    expect(nothing(outcomes)).toBeLessThanOrEqual(18);
  });

  it('that they were not fitted on, learn most of what is stated', () => {
    const outcomes = play(readDialogues('report'));
    const score = scoreOf(outcomes);
    expect(score.dialogues).toBeGreaterThan(100);
    expect(precision(score)).toBeGreaterThanOrEqual(0.92);
    expect(recall(score)).toBeGreaterThanOrEqual(0.77);
    expect(nothing(outcomes)).toBeLessThanOrEqual(5);
  });
});
