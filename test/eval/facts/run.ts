import { scoreConsolidation } from './consolidation.ts';
import { scoreTruth } from './currentTruth.ts';
import { type Half, readDialogues } from './dialogues.ts';
import { fitWeights, validateWeights } from './fit.ts';
import { scoreModel } from './model.ts';
import { keyOf, type Outcome, play, precision, recall, scoreOf } from './score.ts';

/** Of what the scripted model does wrong, and when. */
const SEED = 1;

/**
 * What the rules learn from dialogues, a JSON line for each half, then for each kind of dialogue and each language. Nothing of the
 * half to report is shown but its figures; `--show tune` prints what is missed and wrong in the other, `--fit` fits the weights of
 * evidence anew and measures nothing, `--validate` shows what they would learn at each caution.
 */
export async function evaluateFacts(args: readonly string[]): Promise<void> {
  if (args.includes('--fit')) {
    fitWeights();
    return;
  }
  if (args.includes('--validate')) {
    validateWeights();
    return;
  }
  for (const half of ['tune', 'report'] as const) {
    const outcomes = play(readDialogues(half));
    print(half, 'all', outcomes);
    const kinds = new Set(outcomes.map(({ dialogue }) => dialogue.about));
    for (const about of kinds)
      print(
        half,
        about,
        outcomes.filter(({ dialogue }) => dialogue.about === about),
      );
    for (const lang of ['fr', 'en', 'mixed'])
      print(
        half,
        lang,
        outcomes.filter(({ dialogue }) => dialogue.lang === lang),
      );
    const isShown = half === 'tune' && args.includes('--show') && args.includes('tune');
    if (isShown) show(outcomes);
    await evaluateTruth(half, isShown);
    await evaluateConsolidation(half, isShown);
    await evaluateModel(half, isShown);
  }
}

/** What is current at the end of dialogues that the rules and the record play together. */
async function evaluateTruth(half: Half, isShown: boolean): Promise<void> {
  const { misses, ...score } = await scoreTruth(readDialogues(half));
  console.log(JSON.stringify({ half, part: 'current truth', ...score }));
  if (isShown) for (const miss of misses) console.log(`  ${miss}`);
}

/** What is learnt beside the rules with a scripted model over HTTP, whose proposals are broken, invented and planted. */
async function evaluateModel(half: Half, isShown: boolean): Promise<void> {
  const { misses, ...score } = await scoreModel(readDialogues(half), SEED);
  console.log(JSON.stringify({ half, part: 'model', ...score }));
  if (isShown) for (const miss of misses) console.log(`  ${miss}`);
}

/** What becomes of the right statements, all of them and by kind of dialogue. */
async function evaluateConsolidation(half: Half, isShown: boolean): Promise<void> {
  const all = readDialogues(half);
  for (const about of ['all', ...new Set(all.map((one) => one.about))]) {
    const some = about === 'all' ? all : all.filter((one) => one.about === about);
    const { misses, ...score } = await scoreConsolidation(some);
    if (score.statements > 0) console.log(JSON.stringify({ half, part: `consolidation ${about}`, ...score }));
    if (isShown && about === 'all') for (const miss of misses) console.log(`  ${miss}`);
  }
}

function print(half: Half, part: string, outcomes: readonly Outcome[]): void {
  const score = scoreOf(outcomes);
  const round = (value: number) => Number(value.toFixed(4));
  console.log(
    JSON.stringify({
      half,
      part,
      dialogues: score.dialogues,
      expected: score.expected,
      learnt: score.learnt,
      ...(part === 'nothing' ? {} : { recall: round(recall(score)), precision: round(precision(score)) }),
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
