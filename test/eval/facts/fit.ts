import { writeFileSync } from 'node:fs';
import {
  CLAUSE_NETS,
  type ClauseNets,
  type Weigh,
  weighBy,
  writeNets,
} from '../../../src/core/memory/extraction/clauseNets.ts';
import { MessageReader } from '../../../src/core/memory/extraction/messageReader.ts';
import { openFrame } from '../../../src/core/memory/extraction/pretence.ts';
import { foldedWords } from '../../../src/core/support/text/tokenise.ts';
import { type Dialogue, readDialogues } from './dialogues.ts';
import { FOLDS, foldOf } from './folds.ts';
import { type Outcome, play, scoreOf, sittingBefore } from './score.ts';
import { type Example, trainNets } from './trainNets.ts';

const TARGET = new URL(`../../../resources/${CLAUSE_NETS}`, import.meta.url);
/**
 * A clause is kept if the odds that it is right are above e to this power, the caution. Of these, `--fit` takes the greatest at which
 * recall in cross-validation is still what is asked of the rules, 0.75, and half the interval more in which it lies in 95 of 100 cases
 * where it is reported: with each step less is learnt that should not be, and less that should.
 */
const CAUTIONS = Array.from({ length: 21 }, (_, step) => step / 10);
const LEAST_RECALL = 0.78;
/** How many of the reported dialogues are of each kind: those to tune on count as if they were as many. */
const MIX: Readonly<Record<string, number>> = {
  alias: 8,
  contradiction: 7,
  'near-miss': 26,
  nothing: 120,
  plain: 50,
  refinement: 26,
  same: 21,
  temporary: 16,
  update: 60,
};

/** What is learnt at a caution in cross-validation. */
interface Validated {
  caution: number;
  precision: number;
  recall: number;
  /** Of the dialogues that are to teach nothing, how many teach something. */
  nothing: string;
}

/** How long to train; the shorter, the worse. */
type Effort = Parameters<typeof trainNets>[1];

/**
 * Trains the nets that weigh clauses on the dialogues to tune on, and writes them among the resources.
 * @param cautions those to choose from, ascending
 */
export function fitNets(cautions: readonly number[] = CAUTIONS, effort: Effort = {}): void {
  const read = readTuned();
  const validated = validate(read, cautions, effort);
  for (const one of validated) console.log(JSON.stringify(one));
  const caution = validated.findLast(({ recall }) => recall >= LEAST_RECALL)?.caution ?? 0;
  const nets = trainNets(
    read.flatMap(({ examples }) => examples),
    effort,
  );
  writeFileSync(TARGET, writeNets(withCaution(nets, caution)));
  console.log(`${nets.names.length} names, caution ${caution}`);
}

/** Prints what is learnt at each caution in cross-validation over the dialogues to tune on. */
export function validateNets(): void {
  for (const one of validate(readTuned(), CAUTIONS)) console.log(JSON.stringify(one));
}

/** What the rules read for certain, and what befell somebody: no caution is needed where that is likely to be right. */
const CERTAIN = ['states', 'befell'];

/** Each net begins with so much less, for which what is certain makes up. */
function withCaution(nets: ClauseNets, caution: number): ClauseNets {
  const width = nets.hidden + 1;
  const owns = CERTAIN.map((name) => nets.names.indexOf(name) * width + nets.hidden);
  const lowered = nets.nets.map(({ inputs, ends }) => ({
    inputs: inputs.map((value, at) => (owns.includes(at) ? value + caution : value)),
    ends: ends.with(-1, (ends.at(-1) ?? 0) - caution),
  }));
  return { ...nets, nets: lowered };
}

/** What the nets weigh once they are made cautious. */
const cautious =
  (weigh: Weigh, caution: number): Weigh =>
  (shown) =>
    weigh(shown) - caution + caution * CERTAIN.filter((name) => shown.evidence.includes(name)).length;

/** A dialogue to tune on, its part in cross-validation, and what its clauses show. */
interface Tuned {
  dialogue: Dialogue;
  fold: number;
  examples: Example[];
}

const readTuned = (): Tuned[] =>
  readDialogues('tune').map((dialogue) => ({
    dialogue,
    fold: foldOf(dialogue.id),
    examples: examplesOf(dialogue),
  }));

/** What is learnt at each caution: the nets that read a dialogue were trained on others. */
function validate(read: readonly Tuned[], cautions: readonly number[], effort?: Effort): Validated[] {
  const outcomes = cautions.map((): Outcome[] => []);
  for (let held = 0; held < FOLDS; held += 1) {
    const others = read.flatMap((one) => (one.fold === held ? [] : one.examples));
    const weigh = weighBy(trainNets(others, effort));
    const tried = read.flatMap(({ fold, dialogue }) => (fold === held ? [dialogue] : []));
    for (const [step, caution] of cautions.entries())
      outcomes[step]?.push(...play(tried, cautious(weigh, caution)));
  }
  return cautions.map((caution, step) => ({ caution, ...inMix(outcomes[step] ?? []) }));
}

/** What is learnt of dialogues to tune on, each kind of them counted as in those that are reported. */
function inMix(outcomes: readonly Outcome[]): Omit<Validated, 'caution'> {
  const kinds = [...Map.groupBy(outcomes, ({ dialogue }) => dialogue.about)].map(([about, some]) => {
    const score = scoreOf(some);
    return { ...score, share: (MIX[about] ?? 0) / score.dialogues };
  });
  const sum = (count: 'matched' | 'learnt' | 'expected') =>
    kinds.reduce((total, kind) => total + kind.share * kind[count], 0);
  const none = outcomes.filter(({ dialogue }) => dialogue.about === 'nothing');
  const idsOf = (some: readonly Outcome[]) => new Set(some.map(({ dialogue }) => dialogue.id)).size;
  const round = (value: number) => Number(value.toFixed(4));
  return {
    precision: round(sum('matched') / sum('learnt')),
    recall: round(sum('matched') / sum('expected')),
    nothing: `${idsOf(none.filter(({ learnt }) => learnt.length > 0))} of ${idsOf(none)}`,
  };
}

/** The clauses of a dialogue that its author asserts. One of which only a small part is to be kept teaches neither. */
function examplesOf(dialogue: Dialogue): Example[] {
  const known = new Set<string>();
  const outcomes = play([dialogue]);
  return dialogue.turns.flatMap(({ user, learn }, turn) => {
    const frame = openFrame(sittingBefore(dialogue, turn), user);
    const reader = new MessageReader(user, (name) => known.has(foldedWords(name)), { frame });
    reader.read();
    for (const { mentions } of outcomes[turn]?.learnt ?? [])
      for (const one of mentions) if (one.entity === 'person' && one.name) known.add(foldedWords(one.name));
    const spans = learn.flatMap(({ content }) => {
      const start = plain(user).indexOf(plain(content));
      return start === -1 ? [] : [{ start, end: start + content.length }];
    });
    return reader.weighed.flatMap(({ start, end, shown }) => {
      const covered = spans.reduce(
        (sum, span) => sum + Math.max(0, Math.min(span.end, end) - Math.max(span.start, start)),
        0,
      );
      const isWhole = spans.some((span) => span.start >= start - 1 && span.end <= end + 1);
      const share = isWhole ? 1 : covered / (end - start);
      return share > 0.15 && share < 0.5 ? [] : [{ shown, isKept: share >= 0.5 }];
    });
  });
}

const plain = (text: string) => text.replace(/[’ʼ]/g, "'").toLowerCase();
