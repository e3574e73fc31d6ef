import type { Language } from '../../../shared/errors.ts';
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
  /** What such a text tells of a quoted turn, which is stored nowhere else; null if it quotes no turn with this number. */
  readTurnLabel(text: string, number: number, language: Language): Pick<BlockItem, 'place' | 'label'> | null;
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
  { renderBlock, renderResult, readTurnLabel }: Renderers,
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
        text: isRendered(block, own, { render: renderBlock, readTurnLabel }) ? block.text : null,
      };
    }),
    tool_calls: rowsUnder('tool_calls').map((call) => {
      const own = found.filter((item) => item.version === call.version && item.call === call.ordinal);
      const isCut = call.state === 'running';
      return {
        ...call,
        ...(isCut ? { state: 'cut', outcome: 'cut' } : {}),
        marker: isMarker(call.marker) ? call.marker : newMarker(),
        text: !isCut && isRendered(call, own, { render: renderResult, readTurnLabel }) ? call.text : null,
      };
    }),
  };
}

const isMarker = (marker: unknown): boolean => typeof marker === 'string' && MARKER.test(marker);

function isRendered<T>(
  block: Row,
  items: readonly Row[],
  { render, readTurnLabel }: { render: (parts: T) => string } & Pick<Renderers, 'readTurnLabel'>,
): boolean {
  const { marker, language, at, text } = block;
  const isSound =
    isMarker(marker) &&
    (language === 'en' || language === 'fr') &&
    typeof at === 'number' &&
    items.every(isQuotable);
  if (!isSound || typeof text !== 'string') return false;
  const quoted = items.map((row) => {
    const told = row.kind === 'turn' ? readTurnLabel(text, row.ordinal as number, language) : null;
    return toItem(row, told ?? { place: null, label: null });
  });
  return text === render({ ...block, items: quoted } as T);
}

function isQuotable({ ordinal, title, heading, origin, at, excerpt, score }: Row): boolean {
  const texts = [title, origin, excerpt, ...(Array.isArray(heading) ? (heading as unknown[]) : [null])];
  return [ordinal, at, score].every(Number.isFinite) && texts.every((text) => typeof text === 'string');
}

/** Only what a block shows of it. */
const toItem = (row: Row, told: Pick<BlockItem, 'place' | 'label'>) =>
  ({ ...row, ...told, number: row.ordinal, id: row.item_id }) as unknown as BlockItem;
