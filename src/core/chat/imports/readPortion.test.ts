import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  chatGptConversation,
  chatGptTree,
  claudeConversation,
  type Said,
} from '../../../../test/support/histories.ts';
import { type Portion, type ReadConversation, readPortion } from './readPortion.ts';

const folder = mkdtempSync(join(tmpdir(), 'souvenir-histories-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Every portion of a file of this text. */
function portions(text: string, name = 'conversations.json'): Portion[] {
  const path = join(folder, 'file');
  writeFileSync(path, text);
  const all: Portion[] = [];
  for (let from: number | null = 0; from !== null; from = (all.at(-1) as Portion).next)
    all.push(readPortion({ path, name, modifiedAt: 1_700_000_000_000, from, withTerms: false }));
  return all;
}

function read(value: unknown, name?: string) {
  const all = portions(typeof value === 'string' ? value : JSON.stringify(value), name);
  const problems: Record<string, number> = {};
  const conversations = all.flatMap((portion) => portion.conversations);
  for (const one of [...all, ...conversations])
    for (const [problem, count] of Object.entries(one.problems))
      problems[problem] = (problems[problem] ?? 0) + count;
  return { conversations, problems };
}

const said = ({ turns }: ReadConversation) =>
  turns.flatMap(({ messages }) => messages.map(({ role, content }) => [role, content]));

const LINES = [
  ['user', 'Quand planter les tomates ?'],
  ['assistant', 'À la mi-mai.'],
  ['user', 'Et les courges ?'],
  ['assistant', 'En même temps.'],
] as const;

describe('a conversation of ChatGPT', () => {
  it('gives its turns, with the dates of its messages', () => {
    const { conversations, problems } = read([chatGptConversation('c', 'Jardin', LINES)]);
    expect(problems).toEqual({});
    expect(conversations.map(said)).toEqual([LINES.map((line) => [...line])]);
    expect(conversations[0]?.turns).toHaveLength(2);
    expect(conversations[0]).toMatchObject({ title: 'Jardin', source: 'chatgpt' });
    expect(conversations[0]?.turns[1]?.messages[0]?.createdAt).toBe(Date.UTC(2024, 0, 5, 9, 3));
  });

  it('has the ids of its source, whatever else stands in the file', () => {
    const one = chatGptConversation('c', 'Jardin', LINES);
    const [alone] = read([one]).conversations;
    const [, again] = read([
      chatGptConversation('d', 'Autre', LINES),
      { ...one, title: 'Potager' },
    ]).conversations;
    expect(again?.id).toBe(alone?.id);
    expect(again?.turns.map(({ id }) => id)).toEqual(alone?.turns.map(({ id }) => id));
  });

  const ASKED: readonly Said[] = [
    { id: 'q1', after: null, role: 'user', text: 'Quand planter ?' },
    { id: 'r1', after: 'q1', role: 'assistant', text: 'En mai.' },
    { id: 'q2', after: 'r1', role: 'user', text: 'Et les pois ?' },
    { id: 'r2', after: 'q2', role: 'assistant', text: 'En mars.' },
  ];
  const branches = (said: readonly Said[], current?: string) => {
    const { conversations, problems } = read([chatGptTree('c', 'Jardin', said, current)]);
    expect(problems).toEqual({});
    return (conversations[0] as ReadConversation).turns;
  };
  const told = (turns: ReadConversation['turns']) =>
    turns.map(({ messages, after, isShown, repeated }) => ({
      said: messages.map(({ content }) => content),
      after,
      isShown,
      repeated,
    }));

  it('keeps a message that was edited beside its later version, and shows what was shown last', () => {
    const turns = branches(
      [
        ...ASKED,
        { id: 'q2b', after: 'r1', role: 'user', text: 'Et les fèves ?' },
        { id: 'r2b', after: 'q2b', role: 'assistant', text: 'En février.' },
      ],
      'r2',
    );
    expect(told(turns)).toEqual([
      { said: ['Quand planter ?', 'En mai.'], after: null, isShown: true, repeated: 0 },
      { said: ['Et les pois ?', 'En mars.'], after: 0, isShown: true, repeated: 0 },
      { said: ['Et les fèves ?', 'En février.'], after: 0, isShown: false, repeated: 0 },
    ]);
    const alone = branches(ASKED);
    expect(turns.slice(0, 2).map(({ id }) => id)).toEqual(alone.map(({ id }) => id));
  });

  it('keeps every version of a reply, with the calls of its tools and what was said after it', () => {
    const turns = branches([
      ...ASKED,
      { id: 'call', after: 'q1', role: 'assistant', text: 'lune()', tool: 'python' },
      { id: 'found', after: 'call', role: 'tool', text: 'croissante', tool: 'python' },
      { id: 'r1b', after: 'found', role: 'assistant', text: 'En juin.' },
      { id: 'r1c', after: 'found', role: 'assistant', text: 'En juillet.' },
    ]);
    const calls = ['```\nlune()\n```', 'croissante'];
    expect(told(turns)).toEqual([
      { said: ['Quand planter ?', 'En mai.'], after: null, isShown: false, repeated: 0 },
      { said: ['Et les pois ?', 'En mars.'], after: 0, isShown: false, repeated: 0 },
      { said: ['Quand planter ?', ...calls, 'En juin.'], after: null, isShown: false, repeated: 1 },
      { said: ['Quand planter ?', ...calls, 'En juillet.'], after: null, isShown: true, repeated: 3 },
    ]);
    expect(new Set(turns.map(({ id }) => id)).size).toBe(4);
    expect(turns.map(({ base }) => base === turns[0]?.id)).toEqual([true, false, true, true]);
  });

  it('that goes on both after a part of a reply and after all of it keeps both', () => {
    const turns = branches([
      ...ASKED.slice(0, 2),
      { id: 'more', after: 'r1', role: 'assistant', text: 'Après les gelées.' },
      ...ASKED.slice(2),
    ]);
    expect(told(turns)).toEqual([
      { said: ['Quand planter ?', 'En mai.', 'Après les gelées.'], after: null, isShown: false, repeated: 0 },
      { said: ['Quand planter ?', 'En mai.'], after: null, isShown: true, repeated: 2 },
      { said: ['Et les pois ?', 'En mars.'], after: 1, isShown: true, repeated: 0 },
    ]);
  });

  it('whose first message was edited begins in two ways', () => {
    const turns = branches([...ASKED, { id: 'q1b', after: null, role: 'user', text: 'Quand semer ?' }]);
    expect(turns.map(({ after, isShown }) => [after, isShown])).toEqual([
      [null, false],
      [0, false],
      [null, true],
    ]);
  });

  it('is read in as many steps as it has messages, however many versions its replies have', () => {
    const said: Said[] = [{ id: 'q', after: null, role: 'user', text: 'Encore ?' }];
    for (let n = 0; n < 20_000; n += 1)
      said.push({
        id: `${n}`,
        after: n % 2 ? `${n - 1}` : n < 2 ? 'q' : `${n - 2}`,
        role: 'assistant',
        text: 'Oui.',
      });
    const turns = branches(said);
    expect(turns.every(({ messages }) => messages.length > 0)).toBe(true);
    const own = turns.reduce((sum, { messages, repeated }) => sum + messages.length - repeated, 0);
    const all = turns.reduce((sum, { messages }) => sum + messages.length, 0);
    expect(own).toBe(said.length);
    expect(all).toBeLessThan(10 * said.length);
  });

  it('leaves out what was hidden or only thought, and tells parts that are no text', () => {
    const change = (mapping: Record<string, Record<string, unknown>>) => {
      const message = (n: number) => mapping[`c-node-${n}`]?.message as Record<string, unknown>;
      Object.assign(message(1), {
        content: {
          content_type: 'multimodal_text',
          parts: [{ content_type: 'image_asset_pointer', asset_pointer: 'file' }, 'Que montre cette photo ?'],
        },
      });
      Object.assign(message(2), { content: { content_type: 'thoughts', thoughts: [] } });
      Object.assign(message(3), { metadata: { is_visually_hidden_from_conversation: true } });
      Object.assign(message(4), {
        content: { content_type: 'text', parts: ['Un chat\ue200cite\ue202turn0search1\ue201.'] },
      });
    };
    const { conversations, problems } = read([chatGptConversation('c', 'Photo', LINES, change)]);
    expect(conversations.map(said)).toEqual([
      [
        ['user', 'Que montre cette photo ?'],
        ['assistant', 'Un chat.'],
      ],
    ]);
    expect(problems).toEqual({ 'not-text': 1 });
  });

  it('whose tools were called gives what they were asked and answered, with their name', () => {
    const change = (mapping: Record<string, Record<string, unknown>>) => {
      Object.assign(mapping['c-node-2']?.message as object, {
        recipient: 'python',
        content: { content_type: 'code', text: 'print(1)' },
      });
      Object.assign(mapping['c-node-3']?.message as object, {
        author: { role: 'tool', name: 'python' },
        content: { content_type: 'execution_output', text: '1' },
      });
    };
    const [one] = read([chatGptConversation('c', 'Calcul', LINES, change)]).conversations;
    expect(one?.turns).toHaveLength(1);
    expect(one?.turns[0]?.messages.map(({ role, author, content }) => [role, author, content])).toEqual([
      ['user', null, LINES[0][1]],
      ['tool', 'python', '```\nprint(1)\n```'],
      ['tool', 'python', '1'],
      ['assistant', null, LINES[3][1]],
    ]);
  });

  it.each([
    [
      'a parent that is missing',
      'missing-parent',
      (mapping: Record<string, Record<string, unknown>>) => {
        Object.assign(mapping['c-node-3'] as object, { parent: 'nowhere' });
      },
    ],
    [
      'parents that go round in a circle',
      'cycle',
      (mapping: Record<string, Record<string, unknown>>) => {
        Object.assign(mapping['c-node-1'] as object, { parent: 'c-node-4' });
      },
    ],
    [
      'an id that occurs twice',
      'duplicate-id',
      (mapping: Record<string, Record<string, unknown>>) => {
        mapping['c-node-5'] = { ...mapping['c-node-3'], id: 'c-node-5', parent: 'c-node-3' };
        Object.assign(mapping['c-node-4'] as object, { parent: 'c-node-5' });
      },
    ],
    [
      'dates that are none',
      'bad-date',
      (mapping: Record<string, Record<string, unknown>>) => {
        Object.assign(mapping['c-node-3']?.message as object, { create_time: 1e300 });
      },
    ],
  ])('with %s loses nothing else', (_, problem, change) => {
    const { conversations, problems } = read([
      chatGptConversation('c', 'Jardin', LINES, change),
      chatGptConversation('d', 'Suite', LINES),
    ]);
    expect(conversations.map(said)).toEqual([LINES, LINES].map((lines) => lines.map((line) => [...line])));
    expect(problems[problem]).toBe(1);
  });
});

describe('a conversation of Claude', () => {
  it('gives its turns, with tools before what was said and the text of attachments after', () => {
    const one = claudeConversation('c', 'Jardin', LINES);
    one.chat_messages[0]?.attachments.push({ file_name: 'plan.txt', extracted_content: 'Carré nord' });
    one.chat_messages[1]?.content.unshift(
      { type: 'thinking', thinking: 'Hmm' },
      { type: 'tool_use', name: 'recherche', input: { q: 'tomates' } },
      { type: 'tool_result', name: 'recherche', content: [{ type: 'text', text: 'Mi-mai' }] },
    );
    const { conversations, problems } = read([one]);
    expect(problems).toEqual({});
    expect(conversations[0]).toMatchObject({ source: 'claude', title: 'Jardin' });
    expect(conversations.map(said)).toEqual([
      [
        ['user', 'Quand planter les tomates ?\n\nplan.txt\n\nCarré nord'],
        ['tool', '```\n{\n "q": "tomates"\n}\n```'],
        ['tool', 'Mi-mai'],
        ['assistant', 'À la mi-mai.'],
        ['user', 'Et les courges ?'],
        ['assistant', 'En même temps.'],
      ],
    ]);
  });

  it('whose messages have parents keeps every branch, and shows that of the last one', () => {
    const one = claudeConversation('c', 'Jardin', [...LINES, ['assistant', 'En juin.']]);
    for (const [index, message] of one.chat_messages.entries())
      Object.assign(message, { parent_message_uuid: index === 0 ? null : `c-${Math.min(index, 3) - 1}` });
    const { conversations, problems } = read([one]);
    expect(
      conversations[0]?.turns.map(({ messages, isShown }) => [
        messages.map(({ content }) => content),
        isShown,
      ]),
    ).toEqual([
      [LINES.slice(0, 2).map(([, text]) => text), true],
      [LINES.slice(2).map(([, text]) => text), false],
      [[LINES[2][1], 'En juin.'], true],
    ]);
    expect(problems).toEqual({});
  });
});

describe('a transcript in Markdown', () => {
  it.each([
    ['headings', '# Jardin\n\n## User\n\nBonjour\n\n## Assistant\n\nOui ?\n\n### Détail\n'],
    ['names in bold', '# Jardin\n\n**Vous :** Bonjour\n\n**ChatGPT :**\nOui ?\n\n### Détail'],
    ['names before a colon', '# Jardin\nYou: Bonjour\nClaude: Oui ?\n\n### Détail'],
  ])('is read where speakers are %s', (_, text) => {
    const { conversations, problems } = read(text, 'notes/talk.md');
    expect(problems).toEqual({});
    expect(conversations.map(said)).toEqual([
      [
        ['user', 'Bonjour'],
        ['assistant', 'Oui ?\n\n### Détail'],
      ],
    ]);
    expect(conversations[0]?.title).toBe('Jardin');
  });

  it('keeps dates, and names that stand in code', () => {
    const text =
      '---\ntitle: "Essai"\n---\n## User · 2024-03-01T10:00:00Z\n\n```\n## Assistant\n```\n\n## Assistant\nOui';
    const [one] = read(text, 'talk.md').conversations;
    expect(one && said(one)).toEqual([
      ['user', '```\n## Assistant\n```'],
      ['assistant', 'Oui'],
    ]);
    expect(one?.title).toBe('Essai');
    expect(one?.turns[0]?.messages[0]?.createdAt).toBe(Date.UTC(2024, 2, 1, 10));
  });

  it('in which only one side speaks is none', () => {
    expect(read('# Note\n\nUser: moi\n', 'note.md')).toEqual({
      conversations: [],
      problems: { 'not-a-conversation': 1 },
    });
  });
});

describe('a file', () => {
  const good = chatGptConversation('c', 'Jardin', LINES);

  it('may hold a list, a list under a key, or one conversation', () => {
    for (const value of [[good], { version: 1, text: '"conversations":[', conversations: [good] }, good])
      expect(read(value).conversations.map(said)).toEqual([LINES.map((line) => [...line])]);
  });

  it('of any size is read in portions, each conversation once', () => {
    const many = Array.from({ length: 300 }, (_, n) =>
      chatGptConversation(`c${n}`, `Conversation ${n}`, [
        ['user', `Message « ${'é'.repeat(2_000)} »`],
        ['assistant', `Réponse \\" ] } ${n}`],
      ]),
    );
    const all = portions(JSON.stringify(many, null, 1));
    expect(all.length).toBeGreaterThan(3);
    expect(all.flatMap(({ conversations }) => conversations.map(({ title }) => title))).toEqual(
      many.map(({ title }) => title),
    );
  });

  it.each([
    ['[1, null, "x", [], {}, GOOD]', { 'not-a-conversation': 5 }],
    ['[{"mapping": tru}, GOOD, ]', { 'not-json': 1 }],
    ['[GOOD, {"mapping": {"a": "x', { 'cut-off': 1 }],
    ['[GOOD', { 'cut-off': 1 }],
    ['[}, GOOD]', { 'not-json': 1 }],
    [
      '[{"mapping": {}}, {"chat_messages": [null, 3]}, {"id": "x", "messages": [{"id": 1}]}, GOOD]',
      { empty: 3, 'unreadable-message': 3 },
    ],
  ])('%s keeps its good conversation', (text, problems) => {
    const result = read(text.replace('GOOD', JSON.stringify(good)));
    expect(result.conversations.filter(({ turns }) => turns.length > 0).map(said)).toEqual([
      LINES.map((line) => [...line]),
    ]);
    expect(result.problems).toEqual(problems);
  });

  it.each(['', 'x', '3', '"[]"', '\ufeff'])('%j is none', (text) => {
    expect(read(text)).toEqual({ conversations: [], problems: { 'not-json': 1 } });
  });

  it('keeps both of two messages that have one id', () => {
    const one = claudeConversation('c', 'Jardin', LINES);
    for (const message of one.chat_messages) message.uuid = 'same';
    const { conversations, problems } = read([one]);
    expect(conversations.map(said)).toEqual([LINES.map((line) => [...line])]);
    expect(problems).toEqual({ 'duplicate-id': 3 });
  });

  it('keeps the beginning of a message that is too long, and whole characters of broken ones', () => {
    const { conversations, problems } = read([
      chatGptConversation('c', 'Long', [
        ['user', 'a'.repeat(10_000_000)],
        ['assistant', 'Bien \ud83d reçu'],
      ]),
    ]);
    const [[, long] = [], [, broken] = []] = conversations.flatMap(said);
    expect(long).toMatch(/^a{500000} \[…\]$/);
    expect(broken).toBe('Bien \ufffd reçu');
    expect(problems).toEqual({ shortened: 1, 'bad-text': 1 });
  });
});
