/** A message of a made-up history: who says it, and what. */
export type Line = readonly ['user' | 'assistant', string];

const START_S = Date.UTC(2024, 0, 5, 9) / 1_000;

/** A conversation of ChatGPT's data export; `change` may spoil its tree. */
export function chatGptConversation(
  id: string,
  title: string,
  lines: readonly Line[],
  change: (mapping: Record<string, Record<string, unknown>>) => void = () => undefined,
) {
  const node = (n: number) => `${id}-node-${n}`;
  const mapping: Record<string, Record<string, unknown>> = {
    [node(0)]: { id: node(0), message: null, parent: null, children: lines.length > 0 ? [node(1)] : [] },
  };
  for (const [index, [role, text]] of lines.entries()) {
    const n = index + 1;
    mapping[node(n)] = {
      id: node(n),
      parent: node(index),
      children: n < lines.length ? [node(n + 1)] : [],
      message: {
        id: `${id}-message-${n}`,
        author: { role, name: null, metadata: {} },
        create_time: START_S + n * 60,
        content: { content_type: 'text', parts: [text] },
        status: 'finished_successfully',
        recipient: 'all',
        metadata: {},
      },
    };
  }
  change(mapping);
  return {
    title,
    create_time: START_S,
    update_time: START_S + lines.length * 60,
    mapping,
    current_node: node(lines.length),
    conversation_id: id,
    id,
  };
}

/** A conversation of Claude's data export. */
export function claudeConversation(id: string, name: string, lines: readonly Line[]) {
  return {
    uuid: id,
    name,
    created_at: '2024-02-01T10:00:00.000000Z',
    updated_at: '2024-02-01T11:00:00.000000Z',
    account: { uuid: 'account' },
    chat_messages: lines.map(([role, text], index) => ({
      uuid: `${id}-${index}`,
      text,
      content: [{ type: 'text', text, citations: [] as unknown[] }] as Record<string, unknown>[],
      sender: role === 'user' ? 'human' : 'assistant',
      created_at: `2024-02-01T10:${String(index % 60).padStart(2, '0')}:00.000000Z`,
      attachments: [] as Record<string, unknown>[],
      files: [] as Record<string, unknown>[],
    })),
  };
}

/** A message in a tree: its id, that of the one it follows (null at the beginning), who says it, and what; `tool` names one that was called. */
export interface Said {
  id: string;
  after: string | null;
  role: 'user' | 'assistant' | 'tool';
  text: string;
  tool?: string;
}

/** A conversation of ChatGPT's data export with branches; each message is a minute later than the one before it in the list. */
export function chatGptTree(id: string, title: string, said: readonly Said[], current = said.at(-1)?.id) {
  const mapping: Record<string, Record<string, unknown>> = {
    [`${id}-root`]: { id: `${id}-root`, message: null, parent: null, children: [] },
  };
  for (const [index, one] of said.entries()) {
    const parent = one.after === null ? `${id}-root` : `${id}-${one.after}`;
    (mapping[parent]?.children as string[] | undefined)?.push(`${id}-${one.id}`);
    const isCall = one.role === 'assistant' && one.tool !== undefined;
    mapping[`${id}-${one.id}`] = {
      id: `${id}-${one.id}`,
      parent,
      children: [],
      message: {
        id: `${id}-${one.id}`,
        author: { role: one.role, name: one.role === 'tool' ? one.tool : null, metadata: {} },
        create_time: START_S + index * 60,
        content: isCall
          ? { content_type: 'code', text: one.text }
          : { content_type: 'text', parts: [one.text] },
        status: 'finished_successfully',
        recipient: isCall ? one.tool : 'all',
        metadata: {},
      },
    };
  }
  return {
    title,
    create_time: START_S,
    update_time: START_S + said.length * 60,
    mapping,
    current_node: `${id}-${current}`,
    conversation_id: id,
    id,
  };
}
