import { createApp } from '../../src/core/app.ts';
import { type Calibration, relevance } from '../../src/core/retrieval/calibration.ts';
import { readQuestion } from '../../src/core/retrieval/question.ts';
import type { TextScore } from '../../src/core/retrieval/textScore.ts';
import { createTextSource } from '../../src/core/retrieval/textSource.ts';
import { sharedData } from '../support/sharedData.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { readPiaf } from './piaf.ts';

/**
 * Fits the calibration of relevance: each question's right passage against the best passage of all other notes. Fitted on
 * one half of the questions, reported on the other. Prints the coefficients for `retrieval/calibration.ts`.
 */
interface Example {
  score: TextScore;
  right: 0 | 1;
  half: 0 | 1;
}

const file = sharedData('piaf/piaf-dev.json');
if (!file) {
  console.log('skipped: the shared data is not on this machine');
} else {
  const piaf = readPiaf(file);
  const vault = temporaryFolder();
  const dataDir = temporaryFolder();
  writeNotes(vault, piaf.notes);
  const app = createApp({ dataDir, version: 'eval' });
  try {
    for await (const _ of await app.client.vaults.index({ path: vault }));
    const source = createTextSource(app.services.fullText);
    const examples = piaf.questions.flatMap(({ text, path, heading, half }): Example[] => {
      const found = source.notes(readQuestion(text), 50);
      const right = found.find(({ row }) => row.path === path && row.heading[0] === heading);
      const wrong = found.find(({ row }) => row.path !== path);
      return [
        ...(right ? [{ score: right.text, right: 1 as const, half }] : []),
        ...(wrong ? [{ score: wrong.text, right: 0 as const, half }] : []),
      ];
    });
    const fitted = fitLogistic(examples.filter((example) => example.half === 0));
    const other = examples.filter((example) => example.half === 1);
    console.log(JSON.stringify({ fitted, other: report(other, fitted), current: report(other) }, null, 1));
  } finally {
    await app.close();
    removeFolder(vault);
    removeFolder(dataDir);
  }
}

/** Logistic regression by gradient descent, both classes weighing the same. */
function fitLogistic(examples: readonly Example[]): Calibration {
  const model: Calibration = { bias: 0, saturation: 0, coverage: 0 };
  const share = examples.filter((example) => example.right === 1).length / examples.length;
  for (let step = 0; step < 20_000; step += 1) {
    const slope = { bias: 0, saturation: 0, coverage: 0 };
    for (const { score, right } of examples) {
      const weight = right === 1 ? 0.5 / share : 0.5 / (1 - share);
      const error = weight * (right - relevance(score, model));
      slope.bias += error;
      slope.saturation += error * score.saturation;
      slope.coverage += error * score.coverage;
    }
    const rate = 2 / examples.length;
    model.bias += rate * slope.bias;
    model.saturation += rate * slope.saturation;
    model.coverage += rate * slope.coverage;
  }
  return model;
}

function report(examples: readonly Example[], model?: Calibration) {
  const accepted = (right: 0 | 1, minimum: number) => {
    const some = examples.filter((example) => example.right === right);
    return some.filter((example) => relevance(example.score, model) >= minimum).length / some.length;
  };
  return [0.3, 0.5, 0.8].map((minimum) => ({
    minimum,
    rightAccepted: Number(accepted(1, minimum).toFixed(3)),
    wrongAccepted: Number(accepted(0, minimum).toFixed(3)),
  }));
}
