import type { Block, BlockItem } from '../../storage/contextBlocks.ts';
import type { ResultParts } from '../../storage/toolCalls.ts';
import { newMarker } from '../../support/ids.ts';
import type { Row } from './tables.ts';

/** The text of a block, as this version renders it. */
export type RenderBlock = (block: Omit<Block, 'text'>) => string;

/** The text of a tool's result, as this version renders it. */
export type RenderResult = (result: ResultParts) => string;

export interface Renderers {
  renderBlock: RenderBlock;
  renderResult: RenderResult;
}

/** As this program draws them; see `PromptPlanner`. */
const MARKER = /^[0-9a-f]{12}$/;

/**
 * A turn of an export as it is stored here. No reply of it is open. A block keeps its text only if that is what its items give:
 * any other, as of another version or of a forged file, is rendered when it is sent next.
 */
export function importedTurn(
  turn: Row,
  rowsUnder: (table: string) => Row[],
  { renderBlock, renderResult }: Renderers,
): Row {
  const items = rowsUnder('context_items');
  const found = rowsUnder('tool_items');
  return {
    ...turn,
    messages: rowsUnder('messages').map((message) =>
      message.state === 'pending' ? { ...message, state: 'interrupted' } : message,
    ),
    context_blocks: rowsUnder('context_blocks').map((block) => {
      const own = items.filter((item) => (item.version ?? 1) === block.version && !item.attached);
      return {
        ...block,
        marker: isMarker(block.marker) ? block.marker : newMarker(),
        text: isRendered(block, own, renderBlock) ? block.text : null,
      };
    }),
    tool_calls: rowsUnder('tool_calls').map((call) => {
      const own = found.filter((item) => item.version === call.version && item.call === call.ordinal);
      const isCut = call.state === 'running';
      return {
        ...call,
        ...(isCut ? { state: 'cut', outcome: 'cut' } : {}),
        marker: isMarker(call.marker) ? call.marker : newMarker(),
        text: !isCut && isRendered(call, own, renderResult) ? call.text : null,
      };
    }),
  };
}

const isMarker = (marker: unknown): boolean => typeof marker === 'string' && MARKER.test(marker);

function isRendered<T>(block: Row, items: readonly Row[], render: (parts: T) => string): boolean {
  const { marker, language, at, text } = block;
  const isSound =
    isMarker(marker) &&
    (language === 'en' || language === 'fr') &&
    typeof at === 'number' &&
    items.every(isQuotable);
  if (!isSound) return false;
  return text === render({ ...block, items: items.map((item) => toItem(item, placeIn(text, item))) } as T);
}

/** The place of a turn, which is stored with the turn alone, as the text tells it; null if it tells none. */
function placeIn(text: unknown, { kind, ordinal }: Row): number | null {
  if (kind !== 'turn' || typeof text !== 'string') return null;
  const said = new RegExp(`^\\[${ordinal as number}\\] \\S+, \\S+ (\\d{1,9}), `, 'm').exec(text)?.[1];
  return said === undefined ? null : Number(said);
}

function isQuotable({ ordinal, title, heading, origin, at, excerpt, score }: Row): boolean {
  const texts = [title, origin, excerpt, ...(Array.isArray(heading) ? (heading as unknown[]) : [null])];
  return [ordinal, at, score].every(Number.isFinite) && texts.every((text) => typeof text === 'string');
}

/** Only what a block shows of it. */
const toItem = (row: Row, place: number | null) =>
  ({ ...row, number: row.ordinal, id: row.item_id, place }) as unknown as BlockItem;
