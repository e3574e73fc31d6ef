import type { SimilarityScale } from '../../embedding/similarity.ts';
import type { StoredCalibration } from '../../storage/calibrations.ts';
import {
  BUILT_IN_CALIBRATION,
  type Calibration,
  type Example,
  fitCalibration,
  relevance,
} from '../fusion/calibration.ts';
import { SHARES } from '../fusion/shares.ts';
import type { MeasuredPair, PairScores } from './pairMeter.ts';

/** What the scores of one index mean on this computer. Plain data. */
export interface SpaceCalibration {
  /** Of the index. */
  fingerprint: string;
  relevance: Calibration;
  /** The share of the fused score that cosines have; null for an embedder that is not contextual. */
  contextualShare: number | null;
  scale: SimilarityScale;
}

/** What an item scores with each share, and what the user said of it. */
export interface MeasuredMark {
  scores: readonly PairScores[];
  mark: 'useful' | 'wrong';
}

export interface Measured {
  pairs: readonly MeasuredPair[];
  marks: readonly MeasuredMark[];
  /** Of the embedder, without the user's texts. */
  scale: SimilarityScale;
}

/** Shares that are tried, of which the first stands until another one ranks better. */
export const CONTEXTUAL_SHARES: readonly [number, ...number[]] = [
  SHARES.contextualCosine,
  0.15,
  0.3,
  0.8,
  1.2,
];

/** Pairs, and marks, that weigh as much as what holds without them. */
const PRIOR_PAIRS = 15;
const PRIOR_MARKS = 20;

/** Fewer pairs do not tell what one in a hundred is like. */
const ENOUGH_UNRELATED = 400;
const ALIKE_BY_CHANCE = 0.99;

/** What the measurements say of an index. */
export function fitSpace(
  { pairs, marks, scale }: Measured,
  { fingerprint, contextual }: { fingerprint: string; contextual: boolean },
): SpaceCalibration {
  const useful = marks.filter(({ mark }) => mark === 'useful');
  const place = contextual ? bestShare([...pairs, ...useful]) : 0;
  const anchored = anchor(
    pairs.map(({ scores, builtIn }) => ({ own: scores[place] as PairScores, builtIn })),
  );
  return {
    fingerprint,
    relevance: fitMarks(
      marks.map(({ scores, mark }) => ({ fused: scores[place]?.right ?? 0, mark })),
      anchored,
    ),
    contextualShare: contextual ? (CONTEXTUAL_SHARES[place] as number) : null,
    scale: fitScale(
      scale,
      pairs.flatMap(({ unrelated }) => unrelated),
    ),
  };
}

/**
 * The embedder's own scale, which was measured on sentences, unless more than one in a hundred pairs of texts that chance drew from what
 * the user has would say the same by it: then these are as near to each other as all texts of theirs, and what says the same is nearer.
 */
export function fitScale(scale: SimilarityScale, unrelated: readonly number[]): SimilarityScale {
  if (unrelated.length < ENOUGH_UNRELATED) return scale;
  const sorted = [...unrelated].sort((one, other) => one - other);
  const near = sorted[Math.floor(sorted.length * ALIKE_BY_CHANCE)] ?? scale.same;
  // Copies of one text do say the same.
  return { ...scale, same: Math.max(scale.same, Math.min(near, (1 + scale.same) / 2)) };
}

/**
 * The place of the share that ranks best what questions were taken out of, and what was marked as useful, by the mean of one over the rank. Another one than the
 * first has to gain more than its standard error: from a few pairs nothing follows.
 */
export function bestShare(pairs: readonly { scores: readonly PairScores[] }[]): number {
  const gain = (place: number) => {
    const gains = pairs.map(({ scores }) => reciprocal(scores[place]) - reciprocal(scores[0]));
    const mean = gains.reduce((sum, one) => sum + one, 0) / Math.max(1, gains.length);
    const spread = gains.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, gains.length - 1);
    return mean - Math.sqrt(spread / Math.max(1, gains.length));
  };
  const gains = CONTEXTUAL_SHARES.map((_, place) => (place === 0 ? 0 : gain(place)));
  return gains.indexOf(Math.max(...gains));
}

const reciprocal = (scores: PairScores | undefined): number => (scores ? 1 / (1 + scores.above) : 0);

/**
 * Carries the built-in calibration, which was fitted on questions with known answers, over to an index: a score is as relevant as the
 * score of the same rank that the built-in embedder gives to the same questions and items. Of two logistic models the one that comes
 * nearest to that.
 */
export function anchor(pairs: readonly { own: PairScores; builtIn: PairScores }[]): Calibration {
  const sorted = (read: (pair: { own: PairScores; builtIn: PairScores }) => PairScores) =>
    pairs
      .flatMap((pair) => {
        const { right, wrong } = read(pair);
        const isWhole = pair.own.wrong !== null && pair.builtIn.wrong !== null;
        return isWhole && wrong !== null ? [right, wrong] : [right];
      })
      .sort((one, other) => one - other);
  const own = sorted((pair) => pair.own);
  const reference = sorted((pair) => pair.builtIn);
  const examples = own.map(
    (fused, rank): Example => ({ fused, target: relevance(reference[rank] as number), weight: 0.5 }),
  );
  return fitCalibration(examples, { calibration: BUILT_IN_CALIBRATION, weight: PRIOR_PAIRS });
}

/** What marks say beside that. */
export function fitMarks(
  marks: readonly { fused: number; mark: MeasuredMark['mark'] }[],
  calibration: Calibration,
): Calibration {
  if (marks.length === 0) return calibration;
  const examples = marks.map(
    ({ fused, mark }): Example => ({ fused, target: mark === 'useful' ? 1 : 0, weight: 1 }),
  );
  return fitCalibration(examples, { calibration, weight: PRIOR_MARKS });
}

/** What a stored calibration says of its index. */
export function spaceOf(stored: StoredCalibration): SpaceCalibration {
  const { fingerprint, bias, slope, contextualShare, unrelated, chance, same } = stored;
  return { fingerprint, relevance: { bias, slope }, contextualShare, scale: { unrelated, chance, same } };
}
