import type { SummaryId } from '../../../shared/ids.ts';
import type { SummaryNode } from '../../storage/summaries.ts';

/** Summaries that are to become one, in order, and the level of that one. */
export interface RollUp {
  level: number;
  children: SummaryId[];
}

/** Summaries of turns are rolled up once they stand for so many characters, or are so many (section 5 of the product's description). */
const MOST_CHARACTERS = 5_000;
const MOST_SUMMARIES = 10;
/** The latest turns never leave a prompt: a summary that holds one of them could not take the place of the others. */
const KEPT_TURNS = 3;
/** A window holds twenty messages, ten turns: what lies before them is out of every prompt and may be rolled up further. */
const WINDOW_TURNS = 10;
/**
 * Of summaries of summaries, so many stand side by side before all those turns. With at most seven of the turns after them, and one that
 * reaches over the border, a prompt needs ten summaries to tell everything that has left it.
 */
const MOST_OLD = 2;

/**
 * What is to be rolled up next; null if nothing is. It is asked again after each, so that the same turns come to the same summaries
 * whenever the work is done.
 * @param tops summaries that were not rolled up yet, in the order of their turns
 * @param numbers of the conversation's turns, in order
 */
export function nextRollUp(tops: readonly SummaryNode[], numbers: readonly number[]): RollUp | null {
  return ofTurns(tops.filter(({ level }) => level === 1)) ?? ofSummaries(tops, numbers);
}

function ofTurns(tops: readonly SummaryNode[]): RollUp | null {
  let characters = 0;
  for (const [index, node] of tops.entries()) {
    characters += node.characters;
    const count = index + 1;
    if (count <= MOST_SUMMARIES && characters <= MOST_CHARACTERS) continue;
    const ripe = count - KEPT_TURNS;
    if (ripe >= 2) return { level: 2, children: tops.slice(0, ripe).map(({ id }) => id) };
  }
  return null;
}

/** Of the old ones, those of the lowest level that stand side by side; the higher ones would have to be written again each time. */
function ofSummaries(tops: readonly SummaryNode[], numbers: readonly number[]): RollUp | null {
  const border = numbers.at(-WINDOW_TURNS) ?? numbers[0] ?? 0;
  const old = tops.filter(({ level, numbers: own }) => level > 1 && (own.at(-1) ?? 0) < border);
  if (old.length <= MOST_OLD) return null;
  const levels = [...new Set(old.map(({ level }) => level))].sort((one, other) => one - other);
  const group =
    levels.map((level) => old.filter((node) => node.level === level)).find((some) => some.length > 1) ??
    old.slice(-2);
  return {
    level: Math.max(...group.map(({ level }) => level)) + 1,
    children: group.map(({ id }) => id),
  };
}
