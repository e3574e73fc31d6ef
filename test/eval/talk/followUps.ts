import { isFollowUp } from '../../../src/core/search/query/followUp.ts';
import { measure, ndcg10, recallAt } from '../metrics.ts';
import { askedOf, findMessages, messageId, onHalves } from './measure.ts';
import { readFollowUps, type TalkDialogue } from './talk.ts';

/**
 * Prints what is found for follow-ups, asked by themselves and behind the question that they follow; and what becomes of questions that
 * stand by themselves behind another one. The rules were written with these follow-ups in sight, so that the figures are those of both
 * halves together.
 */
export async function evaluateFollowUps(): Promise<void> {
  const tallies = { alone: new Tally(), behind: new Tally() };
  const others = { alone: new Tally(), behind: new Tally() };
  let taken = 0;
  let takenOthers = 0;
  let allOthers = 0;
  await onHalves(async ({ product, dialogues }) => {
    const find = async (
      { text, now, right }: { text: string; now: number; right: string[] },
      after: string,
      into: typeof tallies,
    ) => {
      into.alone.add(await findMessages(product, { text, now }), right);
      into.behind.add(await findMessages(product, { text, now, after }), right);
    };
    for (const dialogue of dialogues) {
      for (const { after, ...followUp } of followUpsOf(dialogue)) {
        if (isFollowUp(followUp.text)) taken += 1;
        await find(followUp, after, tallies);
      }
      const standing = askedOf([dialogue]).filter(({ kind }) => kind !== 'follow-up');
      allOthers += standing.length;
      for (const [place, question] of standing.entries()) {
        if (!isFollowUp(question.text)) continue;
        takenOthers += 1;
        await find(question, standing[(place + APART) % standing.length]?.text ?? '', others);
      }
    }
  });
  const print = (name: string, counts: object, { alone, behind }: typeof tallies) =>
    console.log(JSON.stringify({ name, ...counts, alone: alone.figures(), behind: behind.figures() }));
  print('follow-ups', { questions: tallies.alone.size, taken }, tallies);
  print(
    'questions that are none, taken for follow-ups',
    { questions: allOthers, taken: takenOthers },
    others,
  );
}

/** The question that is asked before is so many places further: about something else. */
const APART = 7;

const followUpsOf = (dialogue: TalkDialogue) =>
  (readFollowUps()[dialogue.id] ?? []).map(({ after, text, evidence }) => ({
    after,
    text,
    now: Date.parse(dialogue.askedAt),
    right: evidence.map((turn) => messageId(dialogue, turn)),
  }));

class Tally {
  readonly #recall: number[] = [];
  readonly #gain: number[] = [];

  get size(): number {
    return this.#recall.length;
  }

  add(found: string[], right: string[]): void {
    this.#recall.push(recallAt(10, found, right));
    this.#gain.push(ndcg10(found, right));
  }

  figures() {
    return { 'recall@10': measure(this.#recall), 'ndcg@10': measure(this.#gain) };
  }
}
