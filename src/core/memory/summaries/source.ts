import type { Source } from '../../../shared/contract/prompt.ts';
import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import { quotedTexts } from '../../items/turnText.ts';
import type { AttachmentStore } from '../../storage/attachments.ts';
import type { ConversationStore } from '../../storage/conversations.ts';
import type { Db } from '../../storage/database.ts';
import type { PromptStore } from '../../storage/prompts.ts';
import type { Utterance } from './extract.ts';

/** What a turn's summary is made from. */
export interface TurnSource {
  turnId: TurnId;
  conversationId: ConversationId;
  /** As it is shown: what the user said, then the reply. */
  said: Utterance[];
  /** What the conversation was given up to the turn. */
  quoted: string[];
  characters: number;
  /** Names of the tools that the shown reply called. */
  tools: string[];
  /** Names of the files and notes that were attached. */
  files: string[];
  /** What the shown reply may be made from. */
  madeFrom: readonly Source[];
}

export interface SourcePorts {
  db: Db;
  conversations: ConversationStore;
  prompts: PromptStore;
  attachments: AttachmentStore;
}

/** Reads a turn; null if it is gone or removed, says nothing, or its reply is still being written. */
export function readSource(
  { db, conversations, prompts, attachments }: SourcePorts,
  turnId: TurnId,
): TurnSource | null {
  const [turn] = conversations.turnsInUse([turnId]);
  if (!turn) return null;
  const { conversationId, ordinal } = turn;
  const [shown] = prompts.turns([turnId]);
  const messages = conversations.shownMessagesOf([turnId]);
  if (messages.some(({ state }) => state === 'pending')) return null;
  const said = messages
    .filter(({ content }) => content.trim() !== '')
    .map(
      ({ role, author, content }): Utterance => ({
        role: role === 'user' || role === 'assistant' ? role : 'other',
        text: author ? `${author}: ${content}` : content,
      }),
    );
  if (said.length === 0) return null;
  return {
    turnId,
    conversationId,
    said,
    quoted: said.some(({ role }) => role === 'assistant') ? quotedTexts(db, conversationId, ordinal) : [],
    characters: messages.reduce((sum, { content }) => sum + Array.from(content).length, 0),
    tools: db
      .all<{ name: string }>(
        'SELECT DISTINCT name FROM tool_calls WHERE turn_id = ? AND version = ? ORDER BY name',
        turnId,
        turn.activeVersion,
      )
      .map(({ name }) => name),
    files: attachments.ofTurns([turnId]).map(({ name }) => name),
    madeFrom: shown?.madeFrom ?? [],
  };
}
