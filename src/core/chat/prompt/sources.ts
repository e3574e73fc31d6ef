import type { Source } from '../../../shared/contract/prompt.ts';
import type { BlockItem } from '../../storage/contextBlocks.ts';

/**
 * Where items come from, each source once. A file that the user attached is part of the message; a note is one wherever it stands.
 */
export function sourcesOf(items: readonly Pick<BlockItem, 'kind' | 'attached'>[]): Source[] {
  return [
    ...new Set(
      items.flatMap(({ kind, attached }): Source[] => {
        if (kind === 'note') return ['notes'];
        return attached === undefined ? ['memory'] : [];
      }),
    ),
  ];
}
