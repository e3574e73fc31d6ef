import { scoreConsolidation } from './consolidation.ts';
import { scoreTruth } from './currentTruth.ts';
import { type DialogueSet, readDialogues } from './dialogues.ts';
import { fitNets, validateNets } from './fit.ts';
import { interval95 } from './interval.ts';
import { scoreModel } from './model.ts';
import { fitPairs } from './pairs.ts';
import { keyOf, type Outcome, play, precision, recall, scoreOf } from './score.ts';

const TITLES: Readonly<Record<DialogueSet, string>> = {
  tune: 'tune',
  report: 'reported before',
  fresh: 'fresh',
  everyday: 'everyday',
};

/** Of what the scripted model does wrong, and when. */
const SEED = 1;

/**
 * What the rules learn from dialogues, a JSON line for each set, then for each kind of dialogue and each language; beside a figure
 * stands between what it lies in 95 of 100 cases. `--set tune,report` and `--part rules,truth,consolidation,model` choose what is measured.
 * Nothing is shown of what is reported but figures; `--show` prints what is missed and wrong in what is tuned on, `--fit` trains the nets
 * that weigh clauses and chooses their caution, then the weights of pairs, and measures nothing else; `--fit-pairs` trains these alone, and
 * `--validate` shows what the nets would learn at each caution.
 */
export async function evaluateFacts(args: readonly string[]): Promise<void> {
  if (args.includes('--fit')) {
    fitNets();
    await fitPairs();
    return;
  }
  if (args.includes('--fit-pairs')) {
    await fitPairs();
    return;
  }
  if (args.includes('--validate')) {
    validateNets();
    return;
  }
  const parts = chosen(args, '--part', Object.keys(PARTS));
  for (const set of chosen(args, '--set', Object.keys(TITLES)) as DialogueSet[]) {
    const isShown = set === 'tune' && args.includes('--show');
    for (const part of parts) await PARTS[part]?.(set, isShown);
  }
}

/** What can be measured of a set, by name. */
const PARTS: Readonly<Record<string, (set: DialogueSet, isShown: boolean) => void | Promise<void>>> = {
  rules: evaluateRules,
  truth: evaluateTruth,
  consolidation: evaluateConsolidation,
  model: evaluateModel,
};

/** The names behind an option, between commas; all of them without it. */
function chosen(args: readonly string[], option: string, all: readonly string[]): string[] {
  const at = args.indexOf(option);
  const names = at === -1 ? [...all] : (args[at + 1] ?? '').split(',');
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new Error(`${option} knows ${all.join(', ')}, and not "${unknown}"`);
  return names;
}

function evaluateRules(set: DialogueSet, isShown: boolean): void {
  const outcomes = play(readDialogues(set));
  print(set, 'all', outcomes);
  for (const about of new Set(outcomes.map(({ dialogue }) => dialogue.about)))
    print(
      set,
      about,
      outcomes.filter(({ dialogue }) => dialogue.about === about),
    );
  for (const lang of ['fr', 'en', 'mixed'])
    print(
      set,
      lang,
      outcomes.filter(({ dialogue }) => dialogue.lang === lang),
    );
  if (isShown) show(outcomes);
}

/** What is current at the end of dialogues that the rules and the record play together. */
async function evaluateTruth(set: DialogueSet, isShown: boolean): Promise<void> {
  const { misses, ...score } = await scoreTruth(readDialogues(set));
  console.log(JSON.stringify({ set: TITLES[set], part: 'current truth', ...score }));
  if (isShown) for (const miss of misses) console.log(`  ${miss}`);
}

/** What is learnt beside the rules with a scripted model over HTTP, whose proposals are broken, invented and planted. */
async function evaluateModel(set: DialogueSet, isShown: boolean): Promise<void> {
  const { misses, ...score } = await scoreModel(readDialogues(set), SEED);
  console.log(JSON.stringify({ set: TITLES[set], part: 'model', ...score }));
  if (isShown) for (const miss of misses) console.log(`  ${miss}`);
}

/** What becomes of the right statements, all of them and by kind of dialogue. */
async function evaluateConsolidation(set: DialogueSet, isShown: boolean): Promise<void> {
  const all = readDialogues(set);
  for (const about of ['all', ...new Set(all.map((one) => one.about))]) {
    const some = about === 'all' ? all : all.filter((one) => one.about === about);
    const { misses, ...score } = await scoreConsolidation(some);
    if (score.statements > 0)
      console.log(JSON.stringify({ set: TITLES[set], part: `consolidation ${about}`, ...score }));
    if (isShown && about === 'all') for (const miss of misses) console.log(`  ${miss}`);
  }
}

function print(set: DialogueSet, part: string, outcomes: readonly Outcome[]): void {
  const score = scoreOf(outcomes);
  const tallies = [...Map.groupBy(outcomes, ({ dialogue }) => dialogue.id).values()].map(scoreOf);
  const round = (value: number) => Number(value.toFixed(4));
  console.log(
    JSON.stringify({
      set: TITLES[set],
      part,
      dialogues: score.dialogues,
      expected: score.expected,
      learnt: score.learnt,
      ...(part === 'nothing'
        ? {}
        : {
            recall: round(recall(score)),
            recall95: interval95(
              tallies.map(({ matched, expected }) => ({ part: matched, whole: expected })),
            ),
            precision: round(precision(score)),
            precision95: interval95(tallies.map(({ matched, learnt }) => ({ part: matched, whole: learnt }))),
          }),
      keys: score.matched === 0 ? null : round(score.keys / score.matched),
    }),
  );
}

function show(outcomes: readonly Outcome[]): void {
  for (const { dialogue, user, missed, wrong, pairs } of outcomes) {
    const keys = pairs.filter(([expected, found]) => expected.key !== keyOf(found));
    if (missed.length + wrong.length + keys.length === 0) continue;
    console.log(`\n${dialogue.id}: ${user}`);
    for (const { content, key } of missed) console.log(`  missed: ${content} (${key ?? 'no key'})`);
    for (const one of wrong) console.log(`  wrong: ${one.content} (${keyOf(one) ?? 'no key'})`);
    for (const [expected, found] of keys)
      console.log(`  key: ${keyOf(found) ?? 'none'} instead of ${expected.key ?? 'none'}: ${found.content}`);
  }
}
