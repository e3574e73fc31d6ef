import { citationRows } from './conversations/citationRows.ts';
import { conversationRows } from './conversations/conversationRows.ts';
import { messageRows } from './conversations/messageRows.ts';
import { turnRows } from './conversations/turnRows.ts';
import type { Db } from './database.ts';

export {
  type CitationRecord,
  type MessageRecord,
  type NewMessage,
  type ReplyEnd,
  type TurnRecord,
  textOfMessages,
} from './conversations/records.ts';
export type { TurnTerms } from './conversations/turnRows.ts';

export type ConversationStore = ReturnType<typeof createConversationStore>;

/** Conversations, their turns, messages and citations. Every method is one statement or a transaction, the caller's if there is one. */
export function createConversationStore(db: Db) {
  return { ...conversationRows(db), ...turnRows(db), ...messageRows(db), ...citationRows(db) };
}
