import type { Language } from '../../shared/errors.ts';
import type { ConversationId, MessageId, TurnId } from '../../shared/ids.ts';
import type { Settings } from '../../shared/settings.ts';
import type { Facts } from '../memory/facts/facts.ts';
import type { AttachmentStore, NewAttachment } from '../storage/attachments.ts';
import type { TurnPlace } from '../storage/conversations/branches.ts';
import type { NewMessage, TurnRecord } from '../storage/conversations.ts';
import type { Clock } from '../support/clock.ts';
import { newId } from '../support/ids.ts';
import { detectLanguage } from '../support/text/language.ts';
import { termStream } from '../support/text/tokenise.ts';
import type { OpenTurn } from './answer.ts';
import { questionOf } from './question.ts';
import { type TermPorts, writeTerms } from './terms.ts';
import { titleOf } from './title.ts';

// Every function here runs in its caller's transaction.

export interface OpenTurnPorts extends TermPorts {
  facts: Facts;
  attachments: AttachmentStore;
  settings(): Settings;
  clock: Clock;
  /** Language of an answer to a question whose own does not show. */
  language(): Language;
  /** Name of what answers now in a conversation, as kept with replies. */
  modelName(id: ConversationId): string;
}

/** Turns, the one that is stored among them, in which a game or a story may have begun that a message goes on with. */
const TURNS_BEFORE = 20;

/** Where a turn is stored. */
interface NewPlace {
  conversationId: ConversationId;
  channel: string;
  /** A job's own message. */
  system: boolean;
  /** In the tree of the conversation; at the end of its active path, if left out. */
  at?: TurnPlace;
  /** What is attached to it. */
  attached?: readonly NewAttachment[];
}

const newMessage = (content: string, clock: Clock): NewMessage => ({
  id: newId('msg') as MessageId,
  role: 'user',
  author: null,
  content,
  createdAt: clock.now(),
});

/** Stores a conversation that begins with `text`. */
export function storeConversation(
  { conversations, clock }: OpenTurnPorts,
  text: string,
  channel: string,
): ConversationId {
  const title = titleOf(text);
  const id = newId('conv') as ConversationId;
  conversations.insert({ id, channel, title, titleTerms: termStream(title), createdAt: clock.now() });
  return id;
}

/** Stores a message as a turn of its own, with its reply open, and learns what it states plainly. */
export function storeTurn(ports: OpenTurnPorts, text: string, place: NewPlace): OpenTurn {
  const { conversations, attachments, clock } = ports;
  const { conversationId, channel, system, at, attached = [] } = place;
  const turnId = newId('turn') as TurnId;
  const message = newMessage(text, clock);
  conversations.insertTurn({
    id: turnId,
    conversationId,
    createdAt: clock.now(),
    source: system ? 'system' : 'user',
    bodyTerms: termStream(text),
    messages: [message],
    ...(at ? { at } : {}),
  });
  attachments.add(turnId, attached);
  // What the message says now is learnt beside what still holds.
  if (at) showBranch(ports, conversations.turn(turnId) as TurnRecord);
  openReply(ports, { turnId, conversationId }, { version: 1, question: text });
  if (!system) learn(ports, message, { conversationId, turnId, channel });
  conversations.touch(conversationId, clock.now());
  const turn = conversations.turn(turnId) as TurnRecord;
  return { turn, version: 1, question: text, channel, system };
}

/** Makes the path through a turn the active one. Facts follow. */
export function showBranch(ports: OpenTurnPorts, turn: TurnRecord): void {
  if (!turn.isActive) for (const id of ports.conversations.showTurn(turn)) writeTerms(ports, id);
  ports.facts.followTurns();
}

/** Stores a thought as a turn without a reply, and learns what it states plainly. */
export function storeThought(ports: OpenTurnPorts, text: string, channel: string): TurnId {
  const { conversations, clock } = ports;
  const conversationId = storeConversation(ports, text, channel);
  const id = newId('turn') as TurnId;
  const message = newMessage(text, clock);
  conversations.insertTurn({
    id,
    conversationId,
    createdAt: clock.now(),
    source: 'capture',
    bodyTerms: termStream(text),
    messages: [message],
  });
  learn(ports, message, { conversationId, turnId: id, channel });
  return id;
}

/** Adds a message to a turn that is not answered yet. Returns the question that the turn now asks. */
export function extendTurn(
  ports: OpenTurnPorts,
  { turn, channel, system }: OpenTurn,
  { text, attached }: { text: string; attached: readonly NewAttachment[] },
): string {
  const { conversations, attachments, clock } = ports;
  const message = newMessage(text, clock);
  conversations.addMessages(turn.id, [message]);
  attachments.add(turn.id, attached);
  writeTerms(ports, turn.id);
  if (!system) learn(ports, message, { conversationId: turn.conversationId, turnId: turn.id, channel });
  conversations.touch(turn.conversationId, clock.now());
  return questionOf(conversations.messages(turn.id));
}

/** Learns what a stored message states plainly, if the user wants facts to be learnt. */
export function learn(
  { conversations, facts, settings }: OpenTurnPorts,
  { id: messageId, content }: NewMessage,
  { conversationId, ...place }: { conversationId: ConversationId; turnId: TurnId; channel: string },
): void {
  if (!settings().learnFacts) return;
  const { turns } = conversations.turnPage(conversationId, { limit: TURNS_BEFORE });
  const earlier = conversations
    .messagesOf(turns.map(({ id }) => id))
    .filter(({ id, role, author }) => id !== messageId && role === 'user' && author === null);
  facts.learnFrom(content, { ...place, messageId }, earlier);
}

/** Opens one more version of a turn's reply. */
export function reopenTurn(ports: OpenTurnPorts, turn: TurnRecord, channel: string): OpenTurn {
  const messages = ports.conversations.messages(turn.id);
  const question = questionOf(messages);
  const version = Math.max(0, ...messages.map((message) => message.version ?? 0)) + 1;
  openReply(ports, { turnId: turn.id, conversationId: turn.conversationId }, { version, question });
  return { turn, version, question, channel, system: turn.source === 'system' };
}

function openReply(
  ports: OpenTurnPorts,
  { turnId, conversationId }: { turnId: TurnId; conversationId: ConversationId },
  { version, question }: { version: number; question: string },
): void {
  ports.conversations.insertReply({
    id: newId('msg') as MessageId,
    turnId,
    version,
    model: ports.modelName(conversationId),
    language: detectLanguage(question, ports.language()),
    createdAt: ports.clock.now(),
  });
}
