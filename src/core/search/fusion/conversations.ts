import type { RowKeys } from '../../items/item.ts';
import type { Scores } from '../lexical/postings.ts';

/** Turns that tell what a conversation is about. */
const BEST = 3;

/**
 * By id, what each conversation adds to the fused scores of its turns: `share` of the mean saturation of its best three among `rows`,
 * where those that it lacks count as 0.
 */
export function gainsOfConversations(
  rows: readonly Pick<RowKeys, 'rowid' | 'conversationId'>[],
  scores: Pick<Scores, 'saturation'>,
  share: number,
): Map<string, number> {
  const best = new Map<string, number[]>();
  for (const { rowid, conversationId } of rows) {
    const saturation = scores.saturation(rowid) ?? 0;
    if (conversationId === undefined || saturation === 0) continue;
    const known = best.get(conversationId) ?? [];
    const above = known.findIndex((other) => other < saturation);
    known.splice(above < 0 ? known.length : above, 0, saturation);
    best.set(conversationId, known.slice(0, BEST));
  }
  return new Map(
    [...best].map(([id, some]) => [id, (share * some.reduce((sum, one) => sum + one, 0)) / BEST]),
  );
}
