import { type Calibration, fitCalibration, relevance } from '../../src/core/search/fusion/calibration.ts';
import { Ranker } from '../../src/core/search/fusion/ranker.ts';
import { FullText } from '../../src/core/search/lexical/fullText.ts';
import { readQuestion } from '../../src/core/search/query/question.ts';
import { loadWordModels } from '../../src/core/search/wordModels.ts';
import { queryVectorOf, readVectors } from '../support/testApp.ts';
import { NO_NAMES, withIndexedSet } from './indexedSet.ts';
import { acrossLanguages, piaf } from './sets.ts';

/**
 * Fits the calibration of relevance: each question's right passage against the best passage of all other notes, within and
 * across languages. Fitted on one half of the questions, reported on the other. Prints the coefficients for
 * `search/fusion/calibration.ts`.
 */
interface Example {
  fused: number;
  right: 0 | 1;
  half: 0 | 1;
  set: string;
}

const models = loadWordModels();
// Headings are left out: the best passage of another note often answers them as well.
const sets = [piaf(), acrossLanguages('en'), acrossLanguages('fr')];
const examples: Example[] = [];
for (const set of sets) {
  if (!set) continue;
  await withIndexedSet(set, async (app) => {
    const index = await readVectors(app);
    const ranker = new Ranker({
      fullText: new FullText(app.services.db),
      names: NO_NAMES,
      models,
    });
    for (const { text, path, heading, half } of set.questions) {
      const found = ranker.rank('note', readQuestion(text), {
        now: Date.now(),
        limit: 50,
        query: await queryVectorOf(index, text),
      });
      const right = found.find(({ row }) => row.path === path && row.heading.at(-1) === heading);
      const wrong = found.find(({ row }) => row.path !== path);
      if (right) examples.push({ fused: right.fused, right: 1, half, set: set.name });
      if (wrong) examples.push({ fused: wrong.fused, right: 0, half, set: set.name });
    }
  });
}
const some = examples.filter((example) => example.half === 0);
const share = some.filter((example) => example.right === 1).length / some.length;
// Both classes weigh the same.
const fitted = fitCalibration(
  some.map(({ fused, right }) => ({ fused, target: right, weight: 0.5 / (right === 1 ? share : 1 - share) })),
);
const other = examples.filter((example) => example.half === 1);
console.log(JSON.stringify({ fitted }));
for (const name of new Set(other.map((example) => example.set))) {
  const ofSet = other.filter((example) => example.set === name);
  console.log(JSON.stringify({ name, fitted: report(ofSet, fitted), current: report(ofSet) }));
}

function report(examples: readonly Example[], model?: Calibration) {
  const accepted = (right: 0 | 1, minimum: number) => {
    const some = examples.filter((example) => example.right === right);
    return some.filter((example) => relevance(example.fused, model) >= minimum).length / some.length;
  };
  return [0.3, 0.5, 0.8].map((minimum) => ({
    minimum,
    rightAccepted: Number(accepted(1, minimum).toFixed(3)),
    wrongAccepted: Number(accepted(0, minimum).toFixed(3)),
  }));
}
