import type { Recent } from '../../../shared/contract/forget.ts';
import type { ConversationId } from '../../../shared/ids.ts';
import type { Db } from '../../storage/database.ts';

/** How many turns, and how many facts. */
const MOST = 6;
/** Characters of a text. */
const SHOWN = 240;

/** The latest turns and facts of a conversation, or of all of them, the latest first. */
export function recentOf(db: Db, conversationId: ConversationId | null): Recent[] {
  const turns = db.all<Omit<Recent, 'group'>>(
    `SELECT t.id, t.created_at AS at, substr((SELECT group_concat(m.content, char(10)) FROM messages m
       WHERE m.turn_id = t.id AND m.version IS NULL ORDER BY m.ordinal), 1, @shown) AS text
     FROM turns t JOIN conversations v ON v.id = t.conversation_id
     WHERE v.removed_at IS NULL AND (@conversationId IS NULL OR v.id = @conversationId)
     ORDER BY t.created_at DESC, t.ordinal DESC LIMIT @most`,
    { conversationId, most: MOST, shown: SHOWN },
  );
  const facts = db.all<Omit<Recent, 'group'>>(
    `SELECT f.id, f.created_at AS at, substr(f.content, 1, @shown) AS text
     FROM facts f LEFT JOIN turns t ON t.id = f.turn_id
     WHERE f.forgotten_at IS NULL AND (@conversationId IS NULL OR t.conversation_id = @conversationId)
     ORDER BY f.created_at DESC, f.rowid DESC LIMIT @most`,
    { conversationId, most: MOST, shown: SHOWN },
  );
  return [
    ...turns.map((turn): Recent => ({ group: 'turns', ...turn })),
    ...facts.map((fact): Recent => ({ group: 'facts', ...fact })),
  ].sort((one, other) => other.at - one.at);
}
