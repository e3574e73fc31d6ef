import { createHash } from 'node:crypto';

/** Parts of the dialogues in cross-validation. */
export const FOLDS = 8;
/** Dialogues in a row of one file that stand in one part: what was written in one go resembles itself. */
const BLOCK = 8;

/** The part of a dialogue: the same for its neighbours, and for the translations of them, which bear the same numbers. */
export function foldOf(id: string): number {
  const [, before = '', family = '', number = ''] = /^(\w-)?[a-z]+-(.*?)(\d+)$/.exec(id) ?? [];
  const block = `${before}${family}${Math.floor(Number(number) / BLOCK)}`;
  return (createHash('sha256').update(block).digest()[0] as number) % FOLDS;
}
