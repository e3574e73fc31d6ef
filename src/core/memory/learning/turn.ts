import type { Source } from '../../../shared/contract/prompt.ts';
import type { ChunkId, MessageId, NoteId, TurnId } from '../../../shared/ids.ts';
import type { ContextBlockStore } from '../../storage/contextBlocks.ts';
import type { ConversationStore, TurnRecord } from '../../storage/conversations.ts';
import type { NoteStore } from '../../storage/notes/noteStore.ts';
import type { PromptStore } from '../../storage/prompts.ts';
import type { ToolCallStore } from '../../storage/toolCalls.ts';
import { toPlainText } from '../../support/text/plainText.ts';

/** A passage of a note that the model may have read, as it is now. */
export interface ReadPassage {
  noteId: NoteId;
  chunkId: ChunkId;
  text: string;
}

/** One turn, as far as something can be learnt from it. */
export interface TaughtTurn {
  turn: TurnRecord;
  channel: string;
  /** The user's messages of the turn, in order. */
  messages: { id: MessageId; content: string }[];
  /** Their earlier messages in the conversation, the latest last. */
  before: string[];
  /** The shown reply, with what it may be made from; null if there is none. */
  reply: { content: string; madeFrom: readonly Source[] } | null;
  passages: ReadPassage[];
  /** What else the model was given: facts, and earlier turns. */
  memories: string[];
  /** What tools found while the turn was answered: what comes from there alone is not the user's. */
  results: { text: string; source: Source }[];
}

export interface TurnPorts {
  conversations: ConversationStore;
  prompts: PromptStore;
  blocks: ContextBlockStore;
  toolCalls: ToolCallStore;
  notes: NoteStore;
}

/** Turns whose user's messages a pronoun may point back to. */
const BEFORE_TURNS = 3;
/** Turns whose blocks a reply may be made from; a prompt seldom sends more. */
const BLOCK_TURNS = 20;

/** Reads a turn; null if it, or its conversation, was deleted or forgotten, or another turn is shown in its place. */
export function readTurn(
  { conversations, prompts, blocks, toolCalls, notes }: TurnPorts,
  id: TurnId,
  now: number,
): TaughtTurn | null {
  const [turn] = conversations.turnsInUse([id]);
  const conversation = turn && conversations.get(turn.conversationId);
  if (!conversation || turn.isReplaced) return null;
  // What it was said after: on another branch than the active one, something else was.
  const chain = conversations.chain(id, BLOCK_TURNS + 1);
  const past = prompts.turns(chain.slice(-BEFORE_TURNS - 1));
  const shown = past.find((one) => one.id === id);
  const reply = shown?.messages.find(({ isReply }) => isReply);
  const calls = toolCalls.ofShown(chain, now);
  const items = [
    ...blocks.ofTurns(chain, now).flatMap(({ block }) => block.items),
    ...calls.flatMap((call) => call.items),
  ];
  return {
    turn,
    channel: conversation.channel,
    messages: conversations
      .messages(id)
      .filter(({ role, author }) => role === 'user' && author === null)
      .map((message) => ({ id: message.id, content: message.content })),
    before: past
      .filter((one) => one.id !== id)
      .flatMap(({ messages }) =>
        messages.filter(({ role }) => role === 'user').map(({ content }) => content),
      ),
    reply: reply ? { content: reply.content, madeFrom: shown?.madeFrom ?? [] } : null,
    passages: items
      .filter(({ kind }) => kind === 'note')
      .flatMap((item) => {
        const chunk = notes.chunks.get(item.id as ChunkId);
        return chunk ? [{ noteId: chunk.noteId, chunkId: chunk.id, text: toPlainText(chunk.markdown) }] : [];
      }),
    memories: items.filter(({ kind }) => kind !== 'note').map(({ excerpt }) => excerpt),
    results: calls
      .filter(({ turnId }) => turnId === id)
      .flatMap((call) => call.items)
      .map(({ excerpt, kind }) => ({ text: excerpt, source: kind === 'note' ? 'notes' : 'memory' })),
  };
}
