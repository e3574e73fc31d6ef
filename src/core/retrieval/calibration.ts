import type { TextScore } from './textScore.ts';

/** A logistic model of "this passage is about this question". */
export interface Calibration {
  bias: number;
  saturation: number;
  coverage: number;
}

/**
 * Fitted by `npm run calibrate`: each question against the best passage that answers it, and against the best passage
 * left once the notes that answer it are taken away. 0.5 is where both are equally likely.
 */
const textCalibration: Calibration = { bias: -4.38, saturation: 9.76, coverage: 3.28 };

/** Relevance, 0 to 1, of a passage scored by text alone. */
export function relevance(score: TextScore, calibration: Calibration = textCalibration): number {
  const { bias, saturation, coverage } = calibration;
  return 1 / (1 + Math.exp(-(bias + saturation * score.saturation + coverage * score.coverage)));
}
