import type { ConversationId } from '../../shared/ids.ts';
import type { Services } from '../services.ts';

/**
 * Brings back what was deleted or forgotten of conversations, all of them or none.
 * @throws AppError NOT_FOUND if one was erased
 */
export function restoreConversations(
  { db, forgetTurns, events }: Services,
  ids: readonly ConversationId[],
): void {
  if (ids.length === 0) return;
  db.transaction(() => {
    for (const id of ids) forgetTurns.restoreConversation(id);
  });
  events.send({ type: 'conversations' });
  events.send({ type: 'turns' });
}
