import { describe, expect, it } from 'vitest';
import { HELD_OUT, HELD_OUT_OTHERS } from '../../../../test/fixtures/talk/heldOut.ts';
import { TUNED, TUNED_OTHERS } from '../../../../test/fixtures/talk/tuned.ts';
import type { TalkWordings } from '../../../../test/fixtures/talk/wordings.ts';
import { readTalk } from './talk.ts';
import { readPastRange } from './timeRange.ts';

const NOW = new Date(2026, 10, 20, 10).getTime();
const bare = (text: string) => text.normalize('NFD').replace(/\p{M}+/gu, '');
const talkOf = (text: string) => readTalk(text, readPastRange(text, NOW)?.words ?? []);

const TOPICS: Record<string, RegExp | null> = { roof: /^(toit|roof)$/, atlas: /^atlas$/ };

/** Each wording as it is written and without its accents, with the question that it asks. */
const cases = (wordings: TalkWordings) =>
  Object.entries(wordings).flatMap(([question, all]) =>
    all.flatMap((text) => [...new Set([text, bare(text)])].map((form) => [form, question] as const)),
  );

describe('readTalk', () => {
  it.each([...cases(TUNED), ...cases(HELD_OUT)])(
    'takes « %s » for a question about the talk',
    (text, question) => {
      const talk = talkOf(text);
      expect(talk?.asks).toBe(question === 'me' ? 'about-user' : 'said');
      const topic = [...(talk?.topic ?? [])];
      const expected = TOPICS[question];
      expect(topic).toEqual(expected ? [expect.stringMatching(expected)] : []);
    },
  );

  it.each([...TUNED_OTHERS, ...HELD_OUT_OTHERS])('takes « %s » for no such question', (text) => {
    expect(talkOf(text)).toBeNull();
    expect(talkOf(bare(text))).toBeNull();
  });
});
