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
import { messageTree, type Tree } from './messageTree.ts';

/** Parent of a first message. */
const ROOT = '00000000-0000-4000-8000-000000000000';
/** Blocks that are no part of the talk. */
const NOT_SAID = new Set(['thinking', 'redacted_thinking', 'token_budget', 'flag']);

/** Is it a conversation of Claude's data export? */
export const isClaude = (value: Fields): boolean => Array.isArray(value.chat_messages);

/**
 * Reads a conversation of Claude's data export (`conversations.json`): `chat_messages` in order, of which newer exports tell the parents.
 * Then a message that was edited and a reply that was asked for again have their versions beside them; that of the last message was shown.
 * @param modifiedAt date of messages without one, in milliseconds since 1970
 */
export function readClaude(value: Fields, modifiedAt: number, problems: Problems): History {
  const listed = asList(value.chat_messages).map((one, index) => ({
    fields: isObject(one) ? one : null,
    node: String(index),
  }));
  addProblem(problems, 'unreadable-message', listed.filter(({ fields }) => fields === null).length);
  const messages = listed.flatMap(({ fields, node }) => (fields ? [{ fields, node }] : []));
  const tree = treeOf(messages, problems);
  const fieldsOf = new Map(messages.map(({ fields, node }) => [node, fields]));
  const said: FoundMessage[] = [];
  /** The last message on the way to each node. */
  const lastAt = new Map<string | null, number | null>([[null, null]]);
  for (const { id, parent } of tree.nodes) {
    let after = lastAt.get(parent) ?? null;
    for (const message of readMessage(fieldsOf.get(id) ?? {}, id, problems)) {
      said.push({ ...message, after });
      after = said.length - 1;
    }
    lastAt.set(id, after);
  }
  const at = timeOf(value.created_at);
  const [first] = messages;
  const own = asText(value.uuid) || `${at ?? ''} ${asText(first?.fields.uuid)}`;
  return toHistory(
    {
      source: 'claude',
      id: derivedId('conv', 'claude', own) as ConversationId,
      title: asText(value.name),
      at: at ?? modifiedAt,
      messages: said,
      shown: lastAt.get(tree.shown) ?? null,
    },
    problems,
  );
}

interface Listed {
  fields: Fields;
  /** Its place in the list: ids may be missing or occur twice. */
  node: string;
}

function treeOf(messages: readonly Listed[], problems: Problems): Tree {
  const last = messages.at(-1)?.node ?? null;
  if (!messages.some(({ fields }) => typeof fields.parent_message_uuid === 'string'))
    return {
      nodes: messages.map(({ node }, index) => ({ id: node, parent: messages[index - 1]?.node ?? null })),
      shown: last,
    };
  const placeOf = new Map(messages.map(({ fields, node }) => [asText(fields.uuid), node]));
  const nodes = messages.map(({ fields, node }) => {
    const parent = asText(fields.parent_message_uuid);
    const isRoot = parent === '' || parent === ROOT;
    return {
      id: node,
      parent: isRoot ? null : (placeOf.get(parent) ?? parent),
      at: timeOf(fields.created_at),
    };
  });
  return messageTree(nodes, last, problems);
}

/** What was said, after what tools were asked and answered on the way. */
function readMessage(message: Fields, node: string, problems: Problems): FoundMessage[] {
  const id = asText(message.uuid) || node;
  const at = timeOf(message.created_at);
  const role: Role =
    message.sender === 'human' ? 'user' : message.sender === 'assistant' ? 'assistant' : 'system';
  const texts: string[] = [];
  const tools: { name: string; content: string }[] = [];
  for (const block of asList(message.content)) {
    const fields = isObject(block) ? block : {};
    const type = asText(fields.type);
    if (NOT_SAID.has(type)) continue;
    if (type === 'tool_use')
      tools.push({
        name: asText(fields.name),
        content: fenced(JSON.stringify(fields.input ?? null, null, 1)),
      });
    else if (type === 'tool_result')
      tools.push({ name: asText(fields.name), content: textsIn(fields.content).join('\n\n') });
    else if (typeof fields.text === 'string') texts.push(fields.text);
    else addProblem(problems, 'not-text');
  }
  if (texts.every((text) => text.trim() === '')) texts.push(asText(message.text));
  for (const attachment of asList(message.attachments)) {
    const fields = isObject(attachment) ? attachment : {};
    const extracted = asText(fields.extracted_content);
    if (extracted === '') addProblem(problems, 'not-text');
    else texts.push(`${asText(fields.file_name)}\n\n${extracted}`.trim());
  }
  addProblem(problems, 'not-text', asList(message.files).length);
  const content = texts.filter((text) => text.trim() !== '').join('\n\n');
  const calls = tools
    .filter((tool) => tool.content.trim() !== '')
    .map((tool, index) => ({
      id: `${id} ${index}`,
      role: 'tool' as const,
      author: tool.name || null,
      content: tool.content,
      at,
    }));
  return [...calls, ...(content === '' ? [] : [{ id, role, author: null, content, at }])];
}

function textsIn(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  return asList(content).flatMap((one) => (isObject(one) && typeof one.text === 'string' ? [one.text] : []));
}
