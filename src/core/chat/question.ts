import type { MessageRecord } from '../storage/conversations.ts';

/** Between two messages of a turn that are sent as one. */
export const BETWEEN_MESSAGES = '\n\n';

/**
 * What a turn asks: its user messages in order, joined by an empty line. Messages that were coalesced are sent to a model in this
 * one form, in the turn itself and in every later prompt.
 */
export function questionOf(messages: readonly Pick<MessageRecord, 'role' | 'content'>[]): string {
  return messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content)
    .join(BETWEEN_MESSAGES);
}
