import type { Language } from '../../../shared/errors.ts';
import type { BlockItem } from '../../storage/contextBlocks.ts';
import { renderBlock } from '../prompt/block.ts';
import type { FoundItem } from './tool.ts';

export interface FitRules {
  call: { marker: string; language: Language; at: number };
  /** Citation number of the first item. */
  firstNumber: number;
  /** Tokens that all of them may take. */
  tokens: number;
  /** The last one may be cut; else only one that stands alone is. */
  mayCut: boolean;
  countTokens(text: string): number;
}

const CUT_MARK = ' […]';
/** A shorter stretch says nothing by itself: about half a sentence. */
const LEAST_CHARACTERS = 40;

/** What was found, with citation numbers, as far as it fits: best first, and the last one visibly shortened if it may be. */
export function fitItems(items: readonly FoundItem[], rules: FitRules): BlockItem[] {
  const { firstNumber, mayCut } = rules;
  const taken: BlockItem[] = [];
  for (const [place, item] of items.entries()) {
    const numbered = { number: firstNumber + place, ...item };
    if (tokensOf([...taken, numbered], rules) <= rules.tokens) {
      taken.push(numbered);
      continue;
    }
    const cut = mayCut || taken.length === 0 ? shortened(numbered, taken, rules) : null;
    if (cut) taken.push(cut);
    break;
  }
  return taken;
}

/** The beginning of an item, as much of it as there is room for; null if that is next to nothing. */
function shortened(item: BlockItem, before: readonly BlockItem[], rules: FitRules): BlockItem | null {
  let length = item.excerpt.length;
  while (length >= LEAST_CHARACTERS) {
    const kept = item.excerpt.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
    const span = { start: item.span.start, end: item.span.start + kept.length };
    const cut = { ...item, excerpt: kept + CUT_MARK, span };
    if (tokensOf([...before, cut], rules) <= rules.tokens) return cut;
    length = Math.floor((length * 7) / 8);
  }
  return null;
}

function tokensOf(items: readonly BlockItem[], { call, countTokens }: FitRules): number {
  return countTokens(renderBlock({ marker: call.marker, language: call.language, at: call.at, items }));
}
