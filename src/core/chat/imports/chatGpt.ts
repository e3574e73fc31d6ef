import type { Role } from '../../../shared/contract/chat.ts';
import type { ConversationId } from '../../../shared/ids.ts';
import { derivedId } from '../../support/ids.ts';
import {
  addProblem,
  asList,
  asText,
  type Fields,
  type FoundMessage,
  fenced,
  type History,
  isObject,
  type Problems,
  timeOf,
  toHistory,
} from './history.ts';
import { messageTree } from './messageTree.ts';

/** Marks of sources in a reply, between characters that no font shows: "cite turn0search1". */
const SOURCE_MARKS = /\ue200[^\ue201]*\ue201/g;
/** What a model thought, and what it was told of the user beforehand, is no part of the talk. */
const NOT_SAID = new Set(['thoughts', 'reasoning_recap', 'user_editable_context', 'model_editable_context']);

/** Is it a conversation of ChatGPT's data export? */
export const isChatGpt = (value: Fields): boolean => isObject(value.mapping);

/**
 * Reads a conversation of ChatGPT's data export (`conversations.json`): a tree of messages under `mapping`, of which `current_node` is
 * the one that was shown last. A message that was edited and a reply that was asked for again have their versions beside them.
 * @param modifiedAt date of messages without one, in milliseconds since 1970
 */
export function readChatGpt(value: Fields, modifiedAt: number, problems: Problems): History {
  const mapping = value.mapping as Fields;
  const nodes = Object.entries(mapping).map(([id, node]) => {
    const fields = isObject(node) ? node : {};
    const message = isObject(fields.message) ? fields.message : null;
    const parent = typeof fields.parent === 'string' ? fields.parent : null;
    return { id, parent, message, at: timeOf(message?.create_time) };
  });
  const messageOf = new Map(nodes.map(({ id, message }) => [id, message]));
  const tree = messageTree(nodes, asText(value.current_node) || null, problems);
  const messages: FoundMessage[] = [];
  /** The last message on the way to each node. */
  const lastAt = new Map<string | null, number | null>([[null, null]]);
  for (const { id, parent } of tree.nodes) {
    const message = messageOf.get(id) ?? null;
    const after = lastAt.get(parent) ?? null;
    const found = message && readMessage(id, message, problems);
    lastAt.set(id, found ? messages.length : after);
    if (found) messages.push({ ...found, after });
  }
  const at = timeOf(value.create_time);
  const own = asText(value.conversation_id) || asText(value.id);
  const [first] = messageOf.keys();
  return toHistory(
    {
      source: 'chatgpt',
      id: derivedId('conv', 'chatgpt', own || `${at ?? ''} ${first ?? ''}`) as ConversationId,
      title: asText(value.title),
      at: at ?? modifiedAt,
      messages,
      shown: lastAt.get(tree.shown) ?? null,
    },
    problems,
  );
}

/** Null for what is not part of the talk, or is hidden from it. */
function readMessage(node: string, message: Fields, problems: Problems): FoundMessage | null {
  const author = isObject(message.author) ? message.author : {};
  const content = isObject(message.content) ? message.content : {};
  const metadata = isObject(message.metadata) ? message.metadata : {};
  if (metadata.is_visually_hidden_from_conversation === true) return null;
  const type = asText(content.content_type);
  if (NOT_SAID.has(type)) return null;
  const own: Problems = {};
  const text = readContent(content, own).replaceAll(SOURCE_MARKS, '').trim();
  if (text === '') return null;
  addProblem(problems, 'not-text', own['not-text'] ?? 0);
  const role = roleOf(author.role);
  const recipient = asText(message.recipient);
  const isCall = role === 'assistant' && recipient !== '' && recipient !== 'all';
  return {
    id: asText(message.id) || node,
    role: isCall ? 'tool' : role,
    author: isCall ? recipient : role === 'tool' ? asText(author.name) || null : null,
    content: text,
    at: timeOf(message.create_time),
  };
}

function roleOf(role: unknown): Role {
  return role === 'user' || role === 'assistant' || role === 'system' ? role : 'tool';
}

/** The text of a message; parts that are none are counted. */
function readContent(content: Fields, problems: Problems): string {
  const texts: string[] = [];
  for (const part of asList(content.parts)) {
    if (typeof part === 'string') texts.push(part);
    else if (isObject(part) && typeof part.text === 'string') texts.push(part.text);
    else addProblem(problems, 'not-text');
  }
  const text = asText(content.text) || asText(content.result);
  if (content.content_type === 'code' && text !== '') texts.push(fenced(text));
  else if (text !== '') texts.push(text);
  return texts.filter((one) => one.trim() !== '').join('\n\n');
}
