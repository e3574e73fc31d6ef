import { randomBytes } from 'node:crypto';
import type { Block, BlockItem } from '../../storage/contextBlocks.ts';
import type { Row } from './tables.ts';

/** The text of a block, as this version renders it. */
export type RenderBlock = (block: Omit<Block, 'text'>) => string;

/** As this program draws them; see `PromptPlanner`. */
const MARKER = /^[0-9a-f]{12}$/;

/**
 * A turn of an export as it is stored here. No reply of it is open. A block keeps its text only if that is what its items give:
 * any other, as of another version or of a forged file, is rendered when it is sent next.
 */
export function importedTurn(turn: Row, rowsUnder: (table: string) => Row[], render: RenderBlock): Row {
  const items = rowsUnder('context_items');
  return {
    ...turn,
    messages: rowsUnder('messages').map((message) =>
      message.state === 'pending' ? { ...message, state: 'interrupted' } : message,
    ),
    context_blocks: rowsUnder('context_blocks').map((block) => {
      const own = items.filter((item) => (item.version ?? 1) === block.version);
      return {
        ...block,
        marker: isMarker(block.marker) ? block.marker : randomBytes(6).toString('hex'),
        text: isRendered(block, own, render) ? block.text : null,
      };
    }),
  };
}

const isMarker = (marker: unknown): boolean => typeof marker === 'string' && MARKER.test(marker);

function isRendered(block: Row, items: readonly Row[], render: RenderBlock): boolean {
  const { marker, language, at, text } = block;
  const isSound =
    isMarker(marker) &&
    (language === 'en' || language === 'fr') &&
    typeof at === 'number' &&
    items.every(isQuotable);
  if (!isSound) return false;
  return text === render({ marker, language, at, items: items.map(toItem) } as Omit<Block, 'text'>);
}

function isQuotable({ ordinal, title, heading, origin, at, excerpt }: Row): boolean {
  const texts = [title, origin, excerpt, ...(Array.isArray(heading) ? (heading as unknown[]) : [null])];
  return [ordinal, at].every(Number.isFinite) && texts.every((text) => typeof text === 'string');
}

/** Only what a block shows of it. */
const toItem = (row: Row) => ({ ...row, number: row.ordinal, id: row.item_id }) as unknown as BlockItem;
