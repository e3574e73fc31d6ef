import type { App } from '../../src/core/app.ts';
import type { ReplyVersion, Turn } from '../../src/shared/contract/chat.ts';
import type { ConversationId } from '../../src/shared/ids.ts';
import type { ReceivedPrompt } from '../fakes/openAiServer.ts';
import { ask } from './testApp.ts';

type Messages = Pick<ReceivedPrompt, 'messages'>;

/** Does `next` begin with the whole list of messages of `previous`, byte by byte? */
export function startsWithWhole(previous: Messages, next: Messages): boolean {
  return sharedMessages(previous, next) === previous.messages.length;
}

/**
 * For each prompt but the last, the share of its characters that the next prompt begins with, counted in whole messages: 1 if a
 * server's prefix cache can reuse all of it.
 */
export function prefixShares(prompts: readonly Messages[]): number[] {
  return prompts.slice(1).map((next, index) => {
    const previous = prompts[index] as Messages;
    const shared = previous.messages.slice(0, sharedMessages(previous, next));
    return characters(shared) / characters(previous.messages);
  });
}

export interface AskedTurn {
  turn: Turn;
  reply: ReplyVersion;
}

/** Asks the questions one after the other in one conversation, a new one if none is given. */
export async function askInTurn(
  app: App,
  questions: readonly string[],
  conversationId?: ConversationId,
): Promise<AskedTurn[]> {
  const turns: AskedTurn[] = [];
  for (const question of questions) {
    turns.push(await ask(app, question, turns[0]?.turn.conversationId ?? conversationId));
  }
  return turns;
}

function sharedMessages(previous: Messages, next: Messages): number {
  const differs = previous.messages.findIndex(
    (message, index) => JSON.stringify(message) !== JSON.stringify(next.messages[index]),
  );
  return differs < 0 ? previous.messages.length : differs;
}

const characters = (messages: Messages['messages']): number => JSON.stringify(messages).length - 2;
