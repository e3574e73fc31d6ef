import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import { AttachmentId, ConversationId } from '../ids.ts';
import { MOST_ATTACHMENTS } from './attachments.ts';
import { base } from './base.ts';
import { MessageText, Turn, TurnEvent } from './chat.ts';

export const MemorylessEvent = z.object({ type: z.literal('opened'), id: ConversationId });
export type MemorylessEvent = z.infer<typeof MemorylessEvent>;

const byId = z.object({ id: ConversationId });
/** May the notes be read to answer? */
const notes = z.boolean().default(false);

/**
 * Chats without memory: nothing of them is stored, embedded, traced or learnt, and nothing that was said elsewhere is given to them. A
 * turn of theirs is of the same form as every other, but can be asked for by these procedures alone.
 */
export const memoryless = {
  /** Opens a chat. It is gone when the events are no longer read, as when a window closes or its connection breaks. */
  open: base.output(eventIterator(MemorylessEvent)),
  /** Answers a message. What is attached to it is in memory as the rest of the chat is, and read whether or not the notes may be. */
  runTurn: base
    .input(
      byId.extend({
        text: MessageText,
        notes,
        attachments: z.array(AttachmentId).max(MOST_ATTACHMENTS).optional(),
      }),
    )
    .output(eventIterator(TurnEvent)),
  /** Answers the last message again, as a new version of its reply. */
  regenerate: base.input(byId.extend({ notes })).output(eventIterator(TurnEvent)),
  /** Shows another version of the last reply. */
  chooseVersion: base.input(byId.extend({ version: z.number().int().min(1) })).output(Turn),
  stop: base.input(byId),
  /**
   * Stores the chat as an ordinary conversation of the same id, in the channel `chat`. From then on it is searched, summarised and learnt
   * from like every other.
   */
  keep: base.input(byId),
};
