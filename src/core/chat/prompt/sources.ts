import type { Source } from '../../../shared/contract/prompt.ts';
import type { BlockItem } from '../../storage/contextBlocks.ts';

/** Where items come from, each source once. */
export function sourcesOf(items: readonly Pick<BlockItem, 'kind'>[]): Source[] {
  return [...new Set(items.map(({ kind }): Source => (kind === 'note' ? 'notes' : 'memory')))];
}
