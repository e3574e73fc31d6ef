import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { MessageReader } from '../../../src/core/memory/extraction/messageReader.ts';
import { openFrame } from '../../../src/core/memory/extraction/pretence.ts';
import { WEIGHTS } from '../../../src/core/memory/extraction/weights.ts';
import { foldedWords } from '../../../src/core/support/text/tokenise.ts';
import { type Dialogue, readDialogues } from './dialogues.ts';
import { type Outcome, play, scoreOf, sittingBefore } from './score.ts';

/** A clause of a dialogue: what it shows, and whether what it says is to be kept. */
interface Example {
  evidence: string[];
  isKept: boolean;
}

const TARGET = new URL('../../../src/core/memory/extraction/weights.ts', import.meta.url);
/** Of ridge regularisation: of 2 to 16, what kept most at each share of dialogues that are to teach nothing and do, in cross-validation. */
const LAMBDA = 4;
const ROUNDS = 500;
/**
 * A clause is kept if the odds that it is right are above e to this power, the caution. Of these, `--fit` takes the greatest at which
 * recall in cross-validation is still what is asked of the rules, 0.75, and half the interval more in which it lies in 95 of 100 cases
 * where it is reported: with each step less is learnt that should not be, and less that should.
 */
const CAUTIONS = Array.from({ length: 21 }, (_, step) => step / 10);
const LEAST_RECALL = 0.78;
/** Parts of the dialogues in cross-validation. */
const FOLDS = 8;
/** Dialogues in a row of one file that stand in one part: what was written in one go resembles itself. */
const BLOCK = 8;
/** Weights below this change nothing that can be seen. */
const LEAST = 0.05;
/** What fewer clauses show tells of them more than of others: of 8 to 30, the most that loses nothing in cross-validation. */
const LEAST_SHOWN = 15;
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

/**
 * Fits what each piece of evidence counts on the dialogues to tune on, by logistic regression, and writes `weights.ts`.
 * @param cautions those to choose from, ascending
 */
export function fitWeights(cautions: readonly number[] = CAUTIONS): void {
  const validated = validate(cautions);
  const caution = validated.findLast(({ recall }) => recall >= LEAST_RECALL)?.caution ?? 0;
  const lines = Object.entries(fitted(readDialogues('tune').flatMap(examplesOf), caution))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, weight]) => `  ${/^[a-z]+$/.test(name) ? name : `'${name}'`}: ${weight},`);
  const comment = '/** What each piece of evidence counts; written by `npm run eval -- facts --fit`. */';
  const type = 'Readonly<Record<string, number>>';
  writeFileSync(TARGET, `${comment}\nexport const WEIGHTS: ${type} = {\n${lines.join('\n')}\n};\n`);
  console.log(`${lines.length} weights, caution ${caution}`);
}

/** Prints what is learnt at each caution in cross-validation over the dialogues to tune on. */
export function validateWeights(): void {
  for (const one of validate(CAUTIONS)) console.log(JSON.stringify(one));
}

/** What is learnt at each caution: the weights that read a dialogue were fitted on others. */
function validate(cautions: readonly number[]): Validated[] {
  const folds = readDialogues('tune').map((dialogue) => ({ fold: foldOf(dialogue.id), dialogue }));
  const examples = folds.map(({ fold, dialogue }) => ({ fold, examples: examplesOf(dialogue) }));
  const weights: Record<string, number> = WEIGHTS;
  const fittedBefore = { ...weights };
  const use = (some: Readonly<Record<string, number>>) => {
    for (const name of Object.keys(weights)) delete weights[name];
    Object.assign(weights, some);
  };
  const outcomes = cautions.map((): Outcome[] => []);
  for (let held = 0; held < FOLDS; held += 1) {
    const others = examples.flatMap((one) => (one.fold === held ? [] : one.examples));
    const fit = fitted(others, 0);
    const tried = folds.flatMap(({ fold, dialogue }) => (fold === held ? [dialogue] : []));
    for (const [step, caution] of cautions.entries()) {
      use({ ...fit, bias: (fit.bias ?? 0) - caution });
      outcomes[step]?.push(...play(tried));
    }
  }
  use(fittedBefore);
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

/** The part of a dialogue: the same for its neighbours, and for the translations of them, which bear the same numbers. */
function foldOf(id: string): number {
  const [, before = '', family = '', number = ''] = /^(\w-)?[a-z]+-(.*?)(\d+)$/.exec(id) ?? [];
  const block = `${before}${family}${Math.floor(Number(number) / BLOCK)}`;
  return (createHash('sha256').update(block).digest()[0] as number) % FOLDS;
}

/** The weights that some examples teach, those that count, less the caution. */
function fitted(examples: readonly Example[], caution: number): Record<string, number> {
  const weights = regress(examples);
  weights.set('bias', (weights.get('bias') ?? 0) - caution);
  return Object.fromEntries(
    [...weights]
      .filter(([, weight]) => Math.abs(weight) >= LEAST)
      .map(([name, weight]) => [name, Number(weight.toFixed(2))]),
  );
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
    return reader.weighed.flatMap(({ start, end, evidence }) => {
      const covered = spans.reduce(
        (sum, span) => sum + Math.max(0, Math.min(span.end, end) - Math.max(span.start, start)),
        0,
      );
      const isWhole = spans.some((span) => span.start >= start - 1 && span.end <= end + 1);
      const share = isWhole ? 1 : covered / (end - start);
      return share > 0.15 && share < 0.5 ? [] : [{ evidence, isKept: share >= 0.5 }];
    });
  });
}

const plain = (text: string) => text.replace(/[’ʼ]/g, "'").toLowerCase();

/** Logistic regression with a ridge, by gradient descent whose steps shrink for each weight by itself (Adagrad). */
function regress(examples: readonly Example[]): Map<string, number> {
  const shown = Map.groupBy(
    examples.flatMap(({ evidence }) => evidence),
    (name) => name,
  );
  const names = [...shown].filter(([, some]) => some.length >= LEAST_SHOWN).map(([name]) => name);
  const index = new Map(names.map((name, at) => [name, at + 1]));
  const rows = examples.map(({ evidence }) => [0, ...evidence.flatMap((name) => index.get(name) ?? [])]);
  const weights = new Float64Array(names.length + 1);
  const squares = new Float64Array(weights.length).fill(1e-8);
  for (let round = 0; round < ROUNDS; round += 1) {
    const gradient = weights.map((weight, at) => (at === 0 ? 0 : LAMBDA * weight));
    for (const [at, row] of rows.entries()) {
      const sum = row.reduce((total, column) => total + (weights[column] ?? 0), 0);
      const error = 1 / (1 + Math.exp(-sum)) - Number(examples[at]?.isKept);
      for (const column of row) gradient[column] = (gradient[column] ?? 0) + error;
    }
    for (const [at, slope] of gradient.entries()) {
      squares[at] = (squares[at] ?? 0) + slope * slope;
      weights[at] = (weights[at] ?? 0) - (0.5 * slope) / Math.sqrt(squares[at] ?? 1);
    }
  }
  return new Map([
    ['bias', weights[0] ?? 0],
    ...names.map((name, at): [string, number] => [name, weights[at + 1] ?? 0]),
  ]);
}
