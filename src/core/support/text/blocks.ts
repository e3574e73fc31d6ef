import { sha256 } from '../ids.ts';
import { toPlainText } from './plainText.ts';
import { functionWords } from './stopWords.ts';
import { tokenise } from './tokenise.ts';

/** Where a block of a passage begins: after an empty line, or with an item of a list or a row of a table. */
const BLOCK = /\n(?:[^\S\n]*\n)+|\n(?=[^\S\n]*(?:(?:[-*+]|\d{1,9}[.)])\s|\|))/;
/** The id of a block, as Obsidian writes it at its end when it is linked to. */
const BLOCK_ID = /(?:^|\s)\^[\w-]+\s*$/;

/** The paragraphs, list items and rows of a passage, in its order, as Markdown. */
export function blocksOf(markdown: string): string[] {
  return markdown.split(BLOCK).filter((block) => block.trim() !== '');
}

/**
 * Hex SHA-256 of what a block says: plain text, composed characters (NFC), single spaces. Emphasis, the mark of a list, a new line break or
 * a block id change nothing.
 */
export function blockHash(markdown: string): string {
  const text = toPlainText(markdown.replace(BLOCK_ID, '')).normalize('NFC');
  return sha256(text.replace(/\s+/g, ' ').trim());
}

/** The terms of a text that say what it is about. */
function tellingTerms(text: string): Set<string> {
  return new Set(
    tokenise(text)
      .filter(({ word }) => !functionWords.has(word))
      .map(({ term }) => term),
  );
}

/** The block that shares most telling terms with a text, the first of equals; undefined if none shares any. */
export function closestBlock(text: string, blocks: readonly string[]): string | undefined {
  const wanted = tellingTerms(text);
  let closest: { block: string; shared: number } | undefined;
  for (const block of blocks) {
    const terms = tellingTerms(toPlainText(block));
    const shared = [...wanted].filter((term) => terms.has(term)).length;
    if (shared > (closest?.shared ?? 0)) closest = { block, shared };
  }
  return closest?.block;
}
