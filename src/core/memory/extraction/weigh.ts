import { WEIGHTS } from './weights.ts';

/** Sum of what the evidence of a clause counts; a clause is kept from 0 on. */
export const weigh = (evidence: readonly string[]): number =>
  evidence.reduce((sum, name) => sum + (WEIGHTS[name] ?? 0), WEIGHTS.bias ?? 0);
