import { createHash } from 'node:crypto';
import type { App } from '../../src/core/app.ts';
import { BUILT_IN } from '../../src/core/embedding/embedder.ts';
import type { PassageRow } from '../../src/core/items/passage.ts';
import { CONTEXTUAL_SHARES, fitMarks, spaceOf } from '../../src/core/search/calibration/spaceCalibration.ts';
import {
  BUILT_IN_CALIBRATION,
  type Calibration,
  relevance,
} from '../../src/core/search/fusion/calibration.ts';
import type { Scored } from '../../src/core/search/fusion/fuse.ts';
import { Ranker } from '../../src/core/search/fusion/ranker.ts';
import { FullText } from '../../src/core/search/lexical/fullText.ts';
import { TermIndex } from '../../src/core/search/lexical/termIndex.ts';
import { readQuestion } from '../../src/core/search/query/question.ts';
import { loadWordModels } from '../../src/core/search/wordModels.ts';
import { E5_LIKE, startE5Like } from '../support/e5LikeEmbedder.ts';
import { sharedData } from '../support/sharedData.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { indexVault, queryVectorOf, readVectors } from '../support/testApp.ts';
import { NO_NAMES, withCore } from './indexedSet.ts';
import { gain10, measure } from './metrics.ts';
import { acrossLanguages, type EvalSet, headings, piaf } from './sets.ts';
import { readUnanswerable } from './talk/talk.ts';

/** The fused scores of a question's right passage, and of the best passage of any other note; null if there is none. */
interface Outcome {
  right: number | null;
  wrong: number | null;
  gain: number;
}

/** Questions of each set, so that both embedders take minutes. */
const MOST_QUESTIONS = 300;
const ROUNDS = 20;
const models = loadWordModels();

/**
 * Prints what relevance 0.5 means for the built-in embedder and for one with other cosines: with what is built in, and as the job
 * measures it on the notes of each set. On the halves to tune on: the share of right passages, of the best wrong ones, and of
 * questions that nothing answers, at 0.5; how each share of the contextual embedder ranks, and which one the job chooses; and what marks
 * change.
 */
export async function evaluateCalibration(): Promise<void> {
  for (const set of [piaf(), acrossLanguages('en'), headings('etalab-guides'), headings('foam-docs')]) {
    if (!set) continue;
    const vault = temporaryFolder();
    writeNotes(vault, set.notes);
    for (const embedder of [BUILT_IN, E5_LIKE])
      await withIndex(vault, embedder, (app) => evaluateSet(set, embedder, app));
    removeFolder(vault);
  }
  for (const name of ['etalab-guides', 'foam-docs']) {
    const vault = sharedData(`vaults/${name}`);
    for (const embedder of [BUILT_IN, E5_LIKE])
      if (vault) await withIndex(vault, embedder, (app) => evaluateUnanswerable(name, embedder, app));
  }
}

const withIndex = (vault: string, embedder: string, work: (app: App) => Promise<void>): Promise<void> =>
  withCore(
    async (app) => {
      app.services.settings.change({ embedder });
      await indexVault(app, vault);
      await app.services.vectors.settled();
      await app.services.search.whenLoaded();
      await work(app);
    },
    { startEmbedder: startE5Like },
  );

async function evaluateSet(set: EvalSet, embedder: string, app: App): Promise<void> {
  const questions = set.questions.filter(({ half }) => half === 0).slice(0, MOST_QUESTIONS);
  const { calibration, chosen, rank } = await calibrated(app);
  for (const share of embedder === BUILT_IN ? [undefined] : CONTEXTUAL_SHARES) {
    const outcomes: Outcome[] = [];
    for (const { text, path, heading } of questions) {
      const found = await rank(text, share);
      const at = found.findIndex(({ row }) => row.path === path && row.heading.at(-1) === heading);
      const wrong = found.find(({ row }) => row.path !== path);
      outcomes.push({
        right: found[at] ? unplaced(found[at]) : null,
        wrong: wrong ? unplaced(wrong) : null,
        gain: gain10(at + 1),
      });
    }
    const isChosen = share === chosen;
    console.log(
      JSON.stringify({
        name: set.name,
        embedder,
        half: 'tune',
        share,
        isChosen,
        'ndcg@10': measure(outcomes.map(({ gain }) => gain)),
        builtIn: summary(outcomes, BUILT_IN_CALIBRATION),
        ...(isChosen
          ? { onThisVault: summary(outcomes, calibration), marks: marked(outcomes, calibration) }
          : {}),
      }),
    );
  }
}

async function evaluateUnanswerable(name: string, embedder: string, app: App): Promise<void> {
  const { calibration, chosen, rank } = await calibrated(app);
  const best: number[] = [];
  for (const { of, text } of readUnanswerable()) {
    if (of !== name || !isToTune(text)) continue;
    best.push(Math.max(0, ...(await rank(text, chosen)).map(unplaced)));
  }
  const given = (one: Calibration) => rounded(shareFrom(best, one));
  console.log(
    JSON.stringify({
      name: `unanswerable.${name}`,
      embedder,
      half: 'tune',
      questions: best.length,
      builtIn: given(BUILT_IN_CALIBRATION),
      onThisVault: given(calibration),
    }),
  );
}

/** What the job measures, and how the passages of a core are ranked. */
async function calibrated(app: App) {
  const measured = await app.services.calibrating.measure(AbortSignal.timeout(600_000));
  const { relevance: calibration, contextualShare } = spaceOf(measured);
  const index = await readVectors(app);
  const terms = new TermIndex(app.services.db);
  while (!terms.load());
  const fullText = new FullText(app.services.db, terms);
  const ranker = new Ranker({ fullText, names: NO_NAMES, models });
  const rank = async (text: string, share: number | undefined): Promise<Scored<PassageRow>[]> => {
    const query = { ...(await queryVectorOf(index, text)), contextualShare: share };
    return ranker.rank('note', readQuestion(text), { now: Date.now(), limit: 20, query });
  };
  return { calibration, chosen: contextualShare ?? undefined, rank };
}

function summary(outcomes: readonly Outcome[], calibration: Calibration) {
  return {
    logLoss: rounded(logLoss(outcomes, calibration)),
    rightFrom05: rounded(
      shareFrom(
        outcomes.flatMap(({ right }) => right ?? []),
        calibration,
      ),
    ),
    wrongFrom05: rounded(
      shareFrom(
        outcomes.flatMap(({ wrong }) => wrong ?? []),
        calibration,
      ),
    ),
  };
}

/** Mean change of log-loss by so many marks on what is relevant enough to be seen, measured on the other questions. */
function marked(outcomes: readonly Outcome[], calibration: Calibration): Record<string, number> {
  const entries = [10, 20, 50].map((count) => {
    let change = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = outcomes
        .map((outcome, place) => ({ outcome, key: hashOf(`${round} ${place}`).toString('hex') }))
        .sort((one, other) => (one.key < other.key ? -1 : 1))
        .map(({ outcome }) => outcome);
      const half = Math.ceil(order.length / 2);
      const marks = order
        .slice(0, half)
        .flatMap(({ right, wrong }): { fused: number; mark: 'useful' | 'wrong' }[] => [
          ...(right === null ? [] : [{ fused: right, mark: 'useful' as const }]),
          ...(wrong === null ? [] : [{ fused: wrong, mark: 'wrong' as const }]),
        ])
        .filter(({ fused }) => relevance(fused, calibration) >= 0.3)
        .slice(0, count);
      const others = order.slice(half);
      change += logLoss(others, fitMarks(marks, calibration)) - logLoss(others, calibration);
    }
    return [`${count}`, rounded(change / ROUNDS)] as const;
  });
  return Object.fromEntries(entries);
}

/** Both classes weigh the same. */
function logLoss(outcomes: readonly Outcome[], calibration: Calibration): number {
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const surprise = (probability: number) => -Math.log(Math.max(1e-6, probability));
  const right = outcomes
    .flatMap((one) => one.right ?? [])
    .map((fused) => surprise(relevance(fused, calibration)));
  const wrong = outcomes
    .flatMap((one) => one.wrong ?? [])
    .map((fused) => surprise(1 - relevance(fused, calibration)));
  return (mean(right) + mean(wrong)) / 2;
}

const shareFrom = (scores: readonly number[], calibration: Calibration): number =>
  scores.filter((fused) => relevance(fused, calibration) >= 0.5).length / Math.max(1, scores.length);

const unplaced = ({ fused, parts }: Scored<PassageRow>): number =>
  fused - (parts?.folder ?? 0) - (parts?.beside ?? 0);

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
/** The half of `talk/given.ts`. */
const isToTune = (text: string): boolean => (hashOf(text)[0] as number) % 2 === 0;
const rounded = (value: number): number => Number(value.toFixed(4));
