import { createApp } from '../../../src/core/app.ts';
import type { MessageId } from '../../../src/shared/ids.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary.ts';
import type { Dialogue, Expected } from './dialogues.ts';
import { interval95 } from './interval.ts';
import { says, sentBefore } from './score.ts';

export interface TruthScore {
  /** Of all dialogues that teach something, the share at whose end exactly the right facts are current, also once some expired. */
  current: number;
  current95: [low: number, high: number];
  dialogues: number;
  /** Of the dialogues of which something expires, the share of which the right facts are left. */
  expiry: number;
  expiring: number;
  /** Each miss in one line: dialogue, what lacks, what is current and should not be. */
  misses: string[];
}

/** Plays dialogues through the rules and the record, each on an empty one, and compares what is current at their end. */
export async function scoreTruth(dialogues: readonly Dialogue[]): Promise<TruthScore> {
  const dataDir = temporaryFolder();
  let now = 0;
  const app = createApp({ dataDir, version: 'eval' }, { clock: { now: () => now } });
  const { db, facts } = app.services;
  const taught = dialogues.filter(({ turns }) => turns.some(({ learn }) => learn.length > 0));
  const misses: string[] = [];
  const ends: boolean[] = [];
  let rightLater = 0;
  try {
    for (const dialogue of taught) {
      db.run('DELETE FROM facts');
      db.run("INSERT INTO fact_fts (fact_fts) VALUES ('delete-all')");
      for (const [turn, { at, user }] of dialogue.turns.entries()) {
        now = new Date(at).getTime();
        const origin = { turnId: null, messageId: 'msg_eval' as MessageId, channel: 'chat' };
        facts.learnFrom(user, origin, sentBefore(dialogue.turns, turn));
      }
      const compare = (labels: readonly string[]) =>
        difference(
          labels.map((label) => wordings(dialogue, label)),
          facts.list().map(({ content }) => content),
        );
      const atEnd = compare(dialogue.current);
      if (dialogue.later) now = new Date(dialogue.later.at).getTime();
      const left = dialogue.later ? compare(dialogue.later.current) : null;
      ends.push(atEnd === null && left === null);
      if (dialogue.later && left === null) rightLater += 1;
      if (atEnd !== null) misses.push(`${dialogue.id}: ${atEnd}`);
      else if (left !== null) misses.push(`${dialogue.id} later: ${left}`);
    }
  } finally {
    await app.close();
    removeFolder(dataDir);
  }
  const expiring = taught.filter(({ later }) => later !== undefined).length;
  return {
    current: ends.filter(Boolean).length / taught.length,
    current95: interval95(ends.map((isRight) => ({ part: Number(isRight), whole: 1 }))),
    dialogues: taught.length,
    expiry: rightLater / expiring,
    expiring,
    misses,
  };
}

/** A statement, and those that say the same again: any of their wordings is right. */
function wordings({ turns }: Dialogue, label: string): Expected[] {
  return turns
    .flatMap(({ learn }) => learn)
    .filter(
      ({ as, becomes }) =>
        as === label || (typeof becomes === 'object' && 'same' in becomes && becomes.same === label),
    );
}

/** What lacks and what is too much; null if each expected fact is there, and none else. */
function difference(expected: readonly Expected[][], current: readonly string[]): string | null {
  const left = [...current];
  const lacking = expected.filter((some) => {
    const index = left.findIndex((content) => some.some((one) => says(content, one)));
    if (index !== -1) left.splice(index, 1);
    return index === -1;
  });
  if (lacking.length === 0 && left.length === 0) return null;
  return `${lacking.map(([one]) => `lacks “${one?.content}”`).join(', ')} ${left.map((one) => `too much “${one}”`).join(', ')}`;
}
