import type { Weigh } from '../../../src/core/memory/extraction/clauseNets.ts';
import { findStatements } from '../../../src/core/memory/extraction/findStatements.ts';
import { ofOneSitting, type Sent } from '../../../src/core/memory/extraction/pretence.ts';
import type { Mention, Statement } from '../../../src/core/memory/extraction/statement.ts';
import { fold, foldedWords } from '../../../src/core/support/text/tokenise.ts';
import type { Dialogue, Expected } from './dialogues.ts';

/** What was learnt from some dialogues, in counts of statements. */
export interface Score {
  dialogues: number;
  expected: number;
  learnt: number;
  matched: number;
  /** Matched statements whose key is the expected one, or that have none where none is expected. */
  keys: number;
}

/** One turn, with what was and was not found in it. */
export interface Outcome {
  dialogue: Dialogue;
  user: string;
  learnt: Statement[];
  missed: Expected[];
  wrong: Statement[];
  pairs: [Expected, Statement][];
}

/** Reads every turn by the rules alone, and pairs what is learnt with what is expected: each with one other at most. */
export function play(dialogues: readonly Dialogue[], weigh?: Weigh): Outcome[] {
  return dialogues.flatMap((dialogue) => {
    const known = new Set<string>();
    return dialogue.turns.map(({ at, user, learn }, turn): Outcome => {
      const learnt = findStatements(user, new Date(at).getTime(), {
        isKnownName: (name) => known.has(foldedWords(name)),
        before: sittingBefore(dialogue, turn),
        weigh,
      });
      for (const name of learnt.flatMap(namesIn)) known.add(foldedWords(name));
      const pairs = pair(learn, learnt);
      return {
        dialogue,
        user,
        learnt,
        pairs,
        missed: learn.filter((one) => !pairs.some(([expected]) => expected === one)),
        wrong: learnt.filter((one) => !pairs.some(([, statement]) => statement === one)),
      };
    });
  });
}

/** What the user sent before a turn. */
export const sentBefore = (turns: Dialogue['turns'], turn: number): Sent[] =>
  turns.slice(0, turn).map(({ at, user }) => ({ content: user, createdAt: new Date(at).getTime() }));

/** What the user wrote before a turn, in one sitting with it. */
export const sittingBefore = ({ turns }: Dialogue, turn: number): string[] =>
  ofOneSitting(sentBefore(turns, turn), new Date(turns[turn]?.at ?? '').getTime());

/** Names of people that a statement makes known. */
const namesIn = ({ mentions, alias }: Statement): string[] => [
  ...mentions.flatMap((one) => (one.entity === 'person' && one.name !== null ? [one.name] : [])),
  ...(alias ? [alias.name, alias.of] : []),
];

export function scoreOf(outcomes: readonly Outcome[]): Score {
  const sum = (count: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + count(outcome), 0);
  return {
    dialogues: new Set(outcomes.map(({ dialogue }) => dialogue.id)).size,
    expected: sum(({ pairs, missed }) => pairs.length + missed.length),
    learnt: sum(({ learnt }) => learnt.length),
    matched: sum(({ pairs }) => pairs.length),
    keys: sum(({ pairs }) => pairs.filter(([expected, found]) => keyOf(found) === expected.key).length),
  };
}

/** Share of what is learnt that is expected; 1 where nothing is learnt. */
export const precision = ({ matched, learnt }: Score) => (learnt === 0 ? 1 : matched / learnt);
/** Share of what is expected that is learnt; 1 where nothing is expected. */
export const recall = ({ matched, expected }: Score) => (expected === 0 ? 1 : matched / expected);

/** The key that a statement gives a value, as dialogues name it. */
export function keyOf({ states }: Statement): string | null {
  const entity = states && entityOf(states.of);
  return states && entity ? `${entity}.${states.relation}` : null;
}

/** `user`, `person:david` by given name, `person:sister` where no name is known. */
function entityOf(of: Mention): string | null {
  if (of.entity === 'user') return 'user';
  const given = of.name === null ? null : foldedWords(of.name.split(/\s+/)[0] ?? '').replaceAll(' ', '-');
  const who = given || of.kinship;
  return who ? `person:${who}` : null;
}

const plain = (text: string) => fold(text).replace(/[’ʼ`]/g, "'").replace(/\s+/g, ' ');

/** Does a wording hold all words that any right one holds? */
export const says = (content: string, expected: Expected) =>
  expected.says.every((words) => plain(content).includes(plain(words)));

/** As many pairs as there can be, by augmenting paths. */
function pair(expected: readonly Expected[], learnt: readonly Statement[]): [Expected, Statement][] {
  const taken = new Map<Statement, Expected>();
  const place = (one: Expected, seen: Set<Statement>): boolean => {
    for (const statement of learnt) {
      if (seen.has(statement) || !says(statement.content, one)) continue;
      seen.add(statement);
      const other = taken.get(statement);
      if (other && !place(other, seen)) continue;
      taken.set(statement, one);
      return true;
    }
    return false;
  };
  for (const one of expected) place(one, new Set());
  return [...taken].map(([statement, one]) => [one, statement]);
}
