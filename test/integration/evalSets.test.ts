import { describe, expect, it } from 'vitest';
import { measure, ndcg10, recallAt } from '../eval/metrics.ts';
import { readSmallTalk, readTalk, readUnanswerable } from '../eval/talk/talk.ts';

const halves = readTalk();
const dialogues = halves.flat();

describe('the dialogues that retrieval is measured on', () => {
  it('are whole in one half, each of which has both languages', () => {
    expect(halves.map(({ length }) => length)).toEqual([3, 3]);
    expect(new Set(dialogues.map(({ id }) => id)).size).toBe(6);
    for (const half of halves) expect(new Set(half.map(({ language }) => language)).size).toBe(2);
  });

  it('hold at least 200 questions, of every kind', () => {
    const questions = dialogues.flatMap((one) => one.questions);
    expect(questions.length).toBeGreaterThanOrEqual(200);
    for (const { kind } of questions) expect(KINDS).toContain(kind);
    for (const half of halves) {
      const kinds = half.flatMap((one) => one.questions.map(({ kind }) => kind));
      expect(new Set(kinds)).toEqual(new Set(KINDS));
    }
  });

  it.each(dialogues.map((one) => [one.id, one] as const))(
    '%s has turns of its people, in order of time, and evidence for each question',
    (_, dialogue) => {
      const turns = dialogue.sessions.flatMap((session) => session.turns);
      const ids = turns.map(({ id }) => id);
      expect(turns.length).toBeGreaterThanOrEqual(120);
      expect(turns.length).toBeLessThanOrEqual(200);
      expect(new Set(ids).size).toBe(ids.length);
      expect(new Set(turns.map(({ author }) => author))).toEqual(new Set(dialogue.people));
      expect(turns.every(({ text }) => text.trim() !== '')).toBe(true);
      const times = [...dialogue.sessions.map(({ at }) => at), dialogue.askedAt].map((at) => Date.parse(at));
      expect(times).toEqual([...times].sort((one, other) => one - other));
      expect(dialogue.questions.length).toBeGreaterThanOrEqual(35);
      expect(new Set(dialogue.questions.map(({ id }) => id)).size).toBe(dialogue.questions.length);
      for (const { kind, text, after, evidence } of dialogue.questions) {
        expect(evidence.length).toBeGreaterThan(0);
        expect(new Set(evidence).size).toBe(evidence.length);
        expect(ids).toEqual(expect.arrayContaining(evidence));
        expect(turns.map((turn) => turn.text)).not.toContain(text);
        expect(after !== undefined).toBe(kind === 'follow-up');
      }
    },
  );
});

const KINDS = [
  'single fact',
  'several turns',
  'when',
  'follow-up',
  'name',
  'paraphrase',
  'dated',
  'across languages',
];

it('small talk has at least 80 different messages in each language', () => {
  const { tune, report } = readSmallTalk();
  for (const language of ['fr', 'en'] as const) {
    const messages = [...tune[language], ...report[language]];
    expect(new Set(messages).size).toBe(messages.length);
    expect(tune[language].length).toBeGreaterThanOrEqual(80);
    expect(report[language].length).toBeGreaterThanOrEqual(50);
  }
});

it('questions without an answer name a vault or a dialogue, at least 100 in all', () => {
  const questions = readUnanswerable();
  const known = ['etalab-guides', 'foam-docs', ...dialogues.map(({ id }) => id)];
  expect(questions.length).toBeGreaterThanOrEqual(100);
  expect(new Set(questions.map(({ text }) => text)).size).toBe(questions.length);
  for (const { of } of questions) expect(known).toContain(of);
});

describe('what retrieval is measured by', () => {
  it('counts every piece of evidence', () => {
    expect(recallAt(5, ['a', 'x', 'b'], ['a', 'b', 'c', 'd'])).toBe(0.5);
    expect(recallAt(2, ['a', 'x', 'b'], ['a', 'b'])).toBe(0.5);
    expect(ndcg10(['a', 'b', 'x'], ['b', 'a'])).toBe(1);
    expect(ndcg10(['x', 'a'], ['a'])).toBeCloseTo(1 / Math.log2(3));
  });

  it('has the mean within its interval, which is the mean itself where all values are the same', () => {
    expect(measure([1, 1, 1])).toEqual({ mean: 1, interval95: [1, 1] });
    const { mean, interval95 } = measure([0, 1, 0, 1, 1, 0, 1, 0]);
    expect(mean).toBe(0.5);
    expect(interval95[0]).toBeGreaterThan(0);
    expect(interval95[0]).toBeLessThan(mean);
    expect(interval95[1]).toBeGreaterThan(mean);
    expect(interval95[1]).toBeLessThan(1);
  });
});
