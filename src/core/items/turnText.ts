import type { TurnId } from '../../shared/ids.ts';
import { parseTexts } from '../../shared/json.ts';
import { textOfMessages } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import { withoutQuoted } from './quotedStretches.ts';

/** Raised when a turn would give another text: the terms of all turns are then written again. */
export const TURN_TEXT_VERSION = 3;

/**
 * What a turn itself says, for full text and vectors: its messages and the shown reply, without the stretches that the reply copied
 * from what the conversation was given as context. What was quoted to the model is found where it comes from, never as
 * something that was said. Empty if there is no such turn.
 */
export function turnText(db: Db, turnId: TurnId): string {
  const turn = db.get<{ conversation_id: string; ordinal: number; active_version: number }>(
    'SELECT conversation_id, ordinal, active_version FROM turns WHERE id = ?',
    turnId,
  );
  if (!turn) return '';
  const messages = db.all<{ version: number | null; author: string | null; content: string }>(
    'SELECT version, author, content FROM messages WHERE turn_id = ? ORDER BY version IS NOT NULL, ordinal',
    turnId,
  );
  const shown = messages.filter(({ version }) => version === null || version === turn.active_version);
  if (!shown.some(({ version, content }) => version !== null && content !== '')) {
    return textOfMessages(shown, '\n');
  }
  const quoted = quotedTexts(db, turn.conversation_id, turn.ordinal);
  const said = shown.filter(({ version }) => version === null).map(({ content }) => content);
  return textOfMessages(
    shown.map(({ version, author, content }) => ({
      author,
      content: version === null ? content : withoutQuoted(content, quoted, said),
    })),
    '\n',
  );
}

/** Titles, headings and excerpts of everything that the conversation was given up to a turn. */
export function quotedTexts(db: Db, conversationId: string, ordinal: number): string[] {
  return db
    .all<{ title: string; heading: string; excerpt: string }>(
      `SELECT i.title, i.heading, i.excerpt FROM context_items i JOIN turns t ON t.id = i.turn_id
       WHERE t.conversation_id = @conversationId AND t.ordinal <= @ordinal
       UNION SELECT i.title, i.heading, i.excerpt FROM tool_items i JOIN turns t ON t.id = i.turn_id
       WHERE t.conversation_id = @conversationId AND t.ordinal <= @ordinal`,
      { conversationId, ordinal },
    )
    .flatMap(({ title, heading, excerpt }) => [title, ...parseTexts(heading), excerpt]);
}
