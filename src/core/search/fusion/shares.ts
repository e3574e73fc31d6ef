import type { BesideShares } from './neighbours.ts';

/** What each part adds at most to the fused score, beside a saturation of 1 for the words. */
export interface Shares {
  maxSim: number;
  cosine: number;
  /** In place of `cosine`, for turns. */
  turnCosine: number;
  /** In place of both, for an embedder that reads words in context. */
  contextualCosine: number;
  /** In addition, for a question of which only translations stand anywhere: the sentence says more than they do. */
  foreignCosine: number;
  /** That other notes link to it. */
  backlinks: number;
  /** That it happened at the time that the question names. */
  time: number;
  /** That its note lies in a folder that the conversation is about; it counts for the place alone. */
  folder: number;
  /** That the turns around it answer. */
  beside: BesideShares;
  /** That its conversation answers. */
  conversation: number;
  /** That somebody speaks whom the question names. */
  speaker: number;
  /** How much of what its place among other turns adds makes a turn more relevant, from 0 to 1; the rest counts for its rank alone. */
  placeRelevance: number;
  /** What is taken off a turn that only asks. */
  asks: number;
}

/** Measured on halves (docs/decisions/0005-meaning.md); `npm run eval -- ablate` tells what each part gains. */
export const SHARES: Shares = {
  maxSim: 0.25,
  cosine: 0.15,
  turnCosine: 0,
  // Until it is chosen on the user's own notes (docs/decisions/0019-calibration.md).
  contextualCosine: 0.5,
  foreignCosine: 0.4,
  // Other notes link to the notes that matter most in a vault: of two that say the same, they come first (the prior of in-links:
  // Kraaij, Westerveld and Hiemstra, 2002). It decides between near equals only.
  backlinks: 0.08,
  time: 0.15,
  // Where every other question is about a note elsewhere, the share that gains most in all.
  folder: 0.1,
  // Recall@10 of the talk to tune on is .376 without and .410 with these; larger ones gain no more than chance.
  beside: { next: 0.4, second: 0.25 },
  conversation: 0.6,
  speaker: 0.12,
  placeRelevance: 0.6,
  asks: 0.06,
};
