/** A logistic model of "this passage is about this question", over the fused score. */
export interface Calibration {
  bias: number;
  slope: number;
}

/** A fused score, and how relevant what has it is: 0 to 1. */
export interface Example {
  fused: number;
  target: number;
  weight: number;
}

/** What is held until examples say otherwise: `weight` examples that lie on it. */
export interface Prior {
  calibration: Calibration;
  weight: number;
}

/**
 * Fitted by `npm run calibrate` on each question's right passage and the best passage of all other notes, in French and across
 * languages. At 0.5 both are equally likely.
 */
export const BUILT_IN_CALIBRATION: Calibration = { bias: -2.85, slope: 6.62 };

/** Relevances at which the examples of a prior lie. */
const PRIOR_AT = [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95];
/** A slope stays within this factor of the prior's: a higher score never means less, and no score decides alone. */
const SLOPE_WITHIN = 4;
const MOST_STEPS = 100;
/** Keeps the steps finite where all examples have one score. */
const RIDGE = 1e-6;

/** Relevance, 0 to 1, of a fused score. It keeps the order of the scores. */
export function relevance(fused: number, { bias, slope }: Calibration = BUILT_IN_CALIBRATION): number {
  return 1 / (1 + Math.exp(-(bias + slope * fused)));
}

/** Logistic regression by Newton's method: of the examples and of what the prior stands for, the likeliest model. */
export function fitCalibration(examples: readonly Example[], prior: Prior | null = null): Calibration {
  const start = prior?.calibration ?? { bias: 0, slope: 1 };
  const all = [...examples, ...(prior ? examplesOf(prior) : [])];
  const fitted = climb(all, start, true);
  if (!prior) return fitted;
  const slope = Math.min(start.slope * SLOPE_WITHIN, Math.max(start.slope / SLOPE_WITHIN, fitted.slope));
  return slope === fitted.slope ? fitted : climb(all, { bias: start.bias, slope }, false);
}

function examplesOf({ calibration: { bias, slope }, weight }: Prior): Example[] {
  return PRIOR_AT.map((target) => ({
    fused: (Math.log(target / (1 - target)) - bias) / slope,
    target,
    weight: weight / PRIOR_AT.length,
  }));
}

function climb(examples: readonly Example[], start: Calibration, movesSlope: boolean): Calibration {
  let { bias, slope } = start;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    // Gradient and curvature of the log-likelihood.
    let [g0, g1, h00, h01, h11] = [0, 0, RIDGE, 0, RIDGE];
    for (const { fused, target, weight } of examples) {
      const p = relevance(fused, { bias, slope });
      const error = weight * (target - p);
      const curvature = weight * p * (1 - p);
      g0 += error;
      g1 += error * fused;
      h00 += curvature;
      h01 += curvature * fused;
      h11 += curvature * fused * fused;
    }
    const determinant = h00 * h11 - h01 * h01;
    const byBias = movesSlope ? (h11 * g0 - h01 * g1) / determinant : g0 / h00;
    const bySlope = movesSlope ? (h00 * g1 - h01 * g0) / determinant : 0;
    // Far from the maximum a whole step may go past it.
    const length = Math.max(1, Math.abs(byBias), Math.abs(bySlope));
    bias += byBias / length;
    slope += bySlope / length;
    if (Math.abs(byBias) + Math.abs(bySlope) < 1e-9) break;
  }
  return { bias, slope };
}
