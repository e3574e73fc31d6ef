/** A logistic model of "this passage is about this question", over the fused score. */
export interface Calibration {
  bias: number;
  slope: number;
}

/**
 * Fitted by `npm run calibrate` on each question's right passage and the best passage of all other notes, in French and across
 * languages. At 0.5 both are equally likely.
 */
const builtIn: Calibration = { bias: -2.85, slope: 6.62 };

/** Relevance, 0 to 1, of a fused score. It keeps the order of the scores. */
export function relevance(fused: number, { bias, slope }: Calibration = builtIn): number {
  return 1 / (1 + Math.exp(-(bias + slope * fused)));
}
