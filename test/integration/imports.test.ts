import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { arrange } from '../../src/core/storage/conversations/branches.ts';
import type { ImportId, ImportProgress } from '../../src/shared/contract/imports.ts';
import type { ConversationId, TurnId } from '../../src/shared/ids.ts';
import {
  chatGptConversation,
  chatGptTree,
  claudeConversation,
  type Line,
  type Said,
} from '../support/histories.ts';
import { ask, createTestApp, type TestApp, until } from '../support/testApp.ts';

const LINES: readonly Line[] = [
  ['user', 'Quand planter les tomates ?'],
  ['assistant', 'À la mi-mai.'],
  ['user', 'Et les courges ?'],
  ['assistant', 'En même temps.'],
];
const JARDIN = chatGptConversation('c1', 'Jardin', LINES);

let test: TestApp;
beforeEach(() => {
  test = createTestApp({}, { now: () => 1_750_000_000_000 });
});
afterEach(() => test.dispose());

/** Sends a file to the core. */
async function send(value: unknown, name = 'conversations.json'): Promise<ImportId> {
  const { client } = test.app;
  const { id } = await client.imports.begin({ files: [{ name, modifiedAt: 1_700_000_000_000 }] });
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  for (let from = 0; from < text.length; from += 1 << 20)
    await client.imports.append({ id, file: 0, from, text: text.slice(from, from + (1 << 20)) });
  return id;
}

async function ended(id: ImportId): Promise<ImportProgress> {
  return until(async () => {
    const { imports } = await test.app.client.imports.list();
    return imports.find((one) => one.id === id && one.state !== 'running');
  });
}

async function importAll(value: unknown, options: { channel?: string; learn?: boolean; name?: string } = {}) {
  const { name, ...rest } = options;
  const id = await send(value, name);
  await test.app.client.imports.start({ id, ...rest });
  return ended(id);
}

const foldersLeft = () => {
  const folder = join(test.dataDir, 'imports');
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe('an import of a history', () => {
  it('stores conversations with their dates, by which they are found, and leaves no file behind', async () => {
    const { counts, problems, state } = await importAll([
      JARDIN,
      claudeConversation('k1', 'Toit', [
        ['user', 'Qui répare le toit ?'],
        ['assistant', 'Martin.'],
      ]),
    ]);
    expect(state).toBe('done');
    expect(counts).toEqual({
      conversations: 2,
      restored: 0,
      turns: 3,
      messages: 6,
      unchanged: 0,
      forgotten: 0,
      facts: 0,
    });
    expect(problems).toEqual([]);
    const rows = await test.app.client.chat.list({});
    expect(rows.map(({ title, channel, turns, createdAt }) => [title, channel, turns, createdAt])).toEqual([
      ['Toit', 'import', 1, Date.UTC(2024, 1, 1, 10)],
      ['Jardin', 'import', 2, Date.UTC(2024, 0, 5, 9, 1)],
    ]);
    const { turns } = await test.app.client.chat.get({ id: rows[1]?.id as string });
    expect(turns.map(({ source }) => source)).toEqual(['import', 'import']);
    const { results } = await test.app.client.retrieval.search({
      text: 'courges',
      mode: 'text',
      kinds: ['turn'],
    });
    expect(results).toHaveLength(1);
    expect(foldersLeft()).toEqual([]);
    expect((await test.app.client.app.doctor({})).findings).toEqual([]);
  });

  it('adds nothing when it is run again, and only what is new once the file has grown', async () => {
    await importAll([JARDIN]);
    expect((await importAll([JARDIN])).counts).toMatchObject({ conversations: 0, messages: 0, unchanged: 4 });
    const grown = chatGptConversation('c1', 'Jardin', [
      ...LINES,
      ['user', 'Et les pois ?'],
      ['assistant', 'Mars.'],
    ]);
    expect((await importAll([grown])).counts).toMatchObject({ turns: 1, messages: 2, unchanged: 4 });
  });

  it('goes into the channel that the user chose', async () => {
    await importAll([JARDIN], { channel: 'Potager' });
    expect((await test.app.client.chat.list({ channel: 'Potager' })).map(({ title }) => title)).toEqual([
      'Jardin',
    ]);
  });

  it('takes transcripts in Markdown', async () => {
    const text = '# Jardin\n\n## User\n\nQuand planter ?\n\n## Assistant\n\nEn mai.\n';
    expect((await importAll(text, { name: 'talk.md' })).counts).toMatchObject({ turns: 1, messages: 2 });
    expect((await importAll(text, { name: 'elsewhere/talk.md' })).counts).toMatchObject({ unchanged: 2 });
  });

  it('stores messages of conversations whose programs number them from one', async () => {
    const talk = (id: string) => ({
      id,
      messages: [{ id: '1', role: 'user', content: `Bonjour ${id}`, createdAt: 1 }],
    });
    const file = { conversations: [talk('a'), talk('b')] };
    expect((await importAll(file)).counts).toMatchObject({ conversations: 2, messages: 2 });
    expect((await importAll(file)).counts).toMatchObject({ conversations: 0, messages: 0, unchanged: 2 });
  });

  it('tells what could not be taken as it was', async () => {
    const spoilt = chatGptConversation('c2', 'Photo', LINES, (mapping) => {
      Object.assign(mapping['c2-node-3']?.message as object, { create_time: Number.MAX_VALUE });
    });
    const { counts, problems } = await importAll([JARDIN, 7, spoilt]);
    expect(counts).toMatchObject({ conversations: 2, messages: 8 });
    expect(problems).toEqual(
      expect.arrayContaining([
        { problem: 'not-a-conversation', count: 1 },
        { problem: 'bad-date', count: 1 },
      ]),
    );
  });
});

describe('branches of a history', () => {
  /** A question with two replies of which the first went on, and a last message that was edited. */
  const TREE: readonly Said[] = [
    { id: 'q1', after: null, role: 'user', text: 'Quand planter les tomates ?' },
    { id: 'r1', after: 'q1', role: 'assistant', text: 'Après les saints de glace.' },
    { id: 'q2', after: 'r1', role: 'user', text: 'Et les courges ?' },
    { id: 'r2', after: 'q2', role: 'assistant', text: 'En même temps.' },
    { id: 'call', after: 'q1', role: 'assistant', text: 'lune()', tool: 'python' },
    { id: 'found', after: 'call', role: 'tool', text: 'croissante', tool: 'python' },
    { id: 'r1b', after: 'found', role: 'assistant', text: 'En lune montante.' },
    { id: 'q3', after: 'r1b', role: 'user', text: 'Et les haricots ?' },
    { id: 'r3', after: 'q3', role: 'assistant', text: 'Fin mai.' },
    { id: 'q3b', after: 'r1b', role: 'user', text: 'Et les panais ?' },
    { id: 'r3b', after: 'q3b', role: 'assistant', text: 'Dès mars.' },
  ];
  const upTo = (id: string) => TREE.slice(0, TREE.findIndex((one) => one.id === id) + 1);
  const tree = (said: readonly Said[] = TREE, current?: string) => chatGptTree('c1', 'Jardin', said, current);

  const conversation = async () => {
    const [row] = await test.app.client.chat.list({});
    const { turns } = await test.app.client.chat.get({ id: row?.id as string });
    return { id: row?.id as ConversationId, turns };
  };
  const shown = async () =>
    (await conversation()).turns.map(({ messages }) => messages.map(({ content }) => content).join(' / '));
  const found = async (text: string) =>
    (await test.app.client.retrieval.search({ text, mode: 'text', kinds: ['turn'] })).results.length;
  /** Every turn that is stored, by what it says, with what it was said after. */
  const stored = async () => {
    const { conversations } = test.app.services;
    const turns = conversations.turns((await conversation()).id);
    const last = (id: TurnId | null) => (id === null ? null : conversations.messages(id).at(-1)?.content);
    return turns.map(({ id, parentId }) => [last(parentId), last(id)]);
  };
  const WHOLE = [
    [null, 'Après les saints de glace.'],
    ['Après les saints de glace.', 'En même temps.'],
    [null, 'En lune montante.'],
    ['En lune montante.', 'Fin mai.'],
    ['En lune montante.', 'Dès mars.'],
  ];
  const QUESTION = 'Quand planter les tomates ?';
  const LUNAR = `${QUESTION} / \`\`\`\nlune()\n\`\`\` / croissante / En lune montante.`;

  /** Is everything that follows from the tree as it would be if it were derived anew? */
  const isSound = async () => {
    const { conversations, db, vectors } = test.app.services;
    const { id } = await conversation();
    const turns = conversations.turns(id);
    db.transaction(() => arrange(db, id));
    expect(conversations.turns(id)).toEqual(turns);
    await vectors.settled();
    expect((await test.app.client.app.doctor({})).findings).toEqual([]);
  };

  it('are imported whole: what was shown last is shown and found, the rest is one switch away', async () => {
    const { client } = test.app;
    const { counts, problems } = await importAll([tree()]);
    expect(counts).toMatchObject({ conversations: 1, turns: 5, messages: TREE.length, unchanged: 0 });
    expect(problems).toEqual([]);
    expect(await stored()).toEqual(WHOLE);
    expect(await shown()).toEqual([LUNAR, 'Et les panais ? / Dès mars.']);
    expect([await found('panais'), await found('courges'), await found('haricots')]).toEqual([1, 0, 0]);
    expect((await client.chat.list({}))[0]).toMatchObject({ turns: 2, createdAt: Date.UTC(2024, 0, 5, 9) });
    const [first, last] = (await conversation()).turns;
    expect([first?.siblings.length, last?.siblings.length]).toEqual([2, 2]);
    await isSound();
    await client.chat.showBranch({ turnId: first?.siblings.find((id) => id !== first.id) as TurnId });
    expect(await shown()).toEqual([
      `${QUESTION} / Après les saints de glace.`,
      'Et les courges ? / En même temps.',
    ]);
    expect([await found('panais'), await found('courges')]).toEqual([0, 1]);
    await isSound();
  });

  it('show the one that was shown last, wherever it is', async () => {
    await importAll([tree(TREE, 'r2')]);
    expect(await shown()).toEqual([
      `${QUESTION} / Après les saints de glace.`,
      'Et les courges ? / En même temps.',
    ]);
    expect(await stored()).toEqual(WHOLE);
    await isSound();
  });

  it('come once, however often the history is imported, and what was chosen here stays chosen', async () => {
    const { client } = test.app;
    await importAll([tree()]);
    const [first] = (await conversation()).turns;
    await client.chat.showBranch({ turnId: first?.siblings[0] as TurnId });
    const { counts } = await importAll([tree()]);
    expect(counts).toMatchObject({ turns: 0, messages: 0, unchanged: TREE.length });
    expect((await shown())[1]).toBe('Et les courges ? / En même temps.');
    expect(await stored()).toEqual(WHOLE);
  });

  it.each(TREE.slice(0, -1).map(({ id }) => id))(
    'that have grown after %s get what is new alone',
    async (id) => {
      await importAll([tree(upTo(id))]);
      const before = upTo(id).length;
      const { counts } = await importAll([tree()]);
      expect(counts).toMatchObject({ messages: TREE.length - before, unchanged: before });
      expect(await stored()).toEqual(WHOLE);
      expect(await shown()).toEqual([LUNAR, 'Et les panais ? / Dès mars.']);
      await isSound();
    },
  );

  it('of which the shown one alone was imported get the others beside it', async () => {
    const alone = TREE.filter(({ id }) => ['q1', 'call', 'found', 'r1b', 'q3b', 'r3b'].includes(id));
    await importAll([tree(alone)]);
    const { counts } = await importAll([tree()]);
    expect(counts).toMatchObject({ messages: TREE.length - alone.length, unchanged: alone.length });
    expect(new Set((await stored()).map(String))).toEqual(new Set(WHOLE.map(String)));
    expect(await shown()).toEqual([LUNAR, 'Et les panais ? / Dès mars.']);
    expect((await importAll([tree()])).counts).toMatchObject({ messages: 0, unchanged: TREE.length });
    await isSound();
  });

  it('go on with what was said here, which stays shown', async () => {
    await importAll([tree(upTo('r3'))]);
    const { id } = await conversation();
    await ask(test.app, 'Merci bien.', id);
    await importAll([tree([...upTo('r3'), { id: 'q4', after: 'r3', role: 'user', text: 'Et les choux ?' }])]);
    expect((await shown()).slice(-3)).toEqual([
      'Et les haricots ? / Fin mai.',
      'Merci bien.',
      'Et les choux ?',
    ]);
    // A branch that has grown elsewhere does not take the place of what was said here.
    await importAll([tree(TREE)]);
    expect((await shown()).slice(-2)).toEqual(['Merci bien.', 'Et les choux ?']);
    await isSound();
  });

  it('stay away where they were forgotten, and what was said after them stays', async () => {
    const { client } = test.app;
    await importAll([tree()]);
    const [first] = (await conversation()).turns;
    await client.forget.apply({ ticked: { turns: [first?.id as string] } });
    expect((await importAll([tree()])).counts).toMatchObject({ turns: 0, forgotten: 1, messages: 0 });
    await client.forget.apply({ ticked: { turns: [first?.siblings[0] as string] } });
    const id = await send([tree()]);
    expect(await client.imports.preview({ id })).toMatchObject({ forgotten: 2, known: 6 });
    expect((await importAll([tree()])).counts).toMatchObject({ turns: 0, forgotten: 2, messages: 0 });
    expect(await found('tomates')).toBe(0);
    await isSound();
  });

  it('stay away where a reply was forgotten before there was another one', async () => {
    const { client } = test.app;
    await importAll([tree(upTo('r2'))]);
    const [first] = (await conversation()).turns;
    await client.forget.apply({ ticked: { turns: [first?.id as string] }, now: true });
    expect((await importAll([tree()])).counts).toMatchObject({ turns: 2, forgotten: 2 });
    expect(await found('tomates')).toBe(0);
    expect(await found('saints')).toBe(0);
    await isSound();
  });

  it('come back with a deleted conversation', async () => {
    const { client } = test.app;
    await importAll([tree()]);
    await client.chat.remove({ id: (await conversation()).id });
    expect((await importAll([tree()])).counts).toMatchObject({
      restored: 1,
      turns: 0,
      unchanged: TREE.length,
    });
    expect(await stored()).toEqual(WHOLE);
    expect(await shown()).toEqual([LUNAR, 'Et les panais ? / Dès mars.']);
  });

  it('teach what was shown alone, where facts are asked for', async () => {
    const said: readonly Said[] = [
      { id: 'q', after: null, role: 'user', text: 'Ma sœur Léa habite à Toulouse.' },
      { id: 'qb', after: null, role: 'user', text: 'Ma sœur Léa habite à Pau.' },
      { id: 'r', after: 'qb', role: 'assistant', text: 'C’est noté.' },
      { id: 'rb', after: 'qb', role: 'assistant', text: 'Bien.' },
    ];
    expect((await importAll([tree(said)], { learn: true })).counts.facts).toBe(1);
    const { facts } = await test.app.client.facts.list({ statuses: ['current', 'pending'] });
    expect(facts.map(({ content }) => /Pau/.test(content))).toEqual([true]);
  });

  it('are counted beforehand', async () => {
    expect(await test.app.client.imports.preview({ id: await send([tree()]) })).toMatchObject({
      messages: TREE.length,
      onOtherBranches: 5,
      known: 0,
    });
    await importAll([tree(upTo('r2'))]);
    expect(await test.app.client.imports.preview({ id: await send([tree()]) })).toMatchObject({
      messages: TREE.length,
      known: 4,
    });
  });

  it('of a large history go on after a restart in their middle', async () => {
    const said: Said[] = [];
    for (let n = 0; n < 300; n += 1) {
      const after = n === 0 ? null : `r${n - 1}`;
      said.push({ id: `q${n}`, after, role: 'user', text: `Question ${n} ${'mot '.repeat(400)}` });
      said.push({ id: `r${n}`, after: `q${n}`, role: 'assistant', text: `Réponse ${n}` });
      if (n % 10 === 5) said.push({ id: `s${n}`, after: `q${n}`, role: 'assistant', text: `Autrement ${n}` });
    }
    const id = await send([tree(said, 'r299')]);
    await test.app.client.imports.start({ id });
    const turns = () => test.app.services.conversations.countTurns();
    await until(() => turns() > 20);
    await test.reopen();
    expect(turns()).toBeLessThan(300);
    await isSound();
    expect((await ended(id)).counts).toMatchObject({ turns: 330, messages: said.length, unchanged: 0 });
    expect(turns()).toBe(300);
    expect((await importAll([tree(said, 'r299')])).counts).toMatchObject({
      turns: 0,
      unchanged: said.length,
    });
    await isSound();
  });
});

describe('a preview of an import', () => {
  it('counts what would come, and stores nothing', async () => {
    await importAll([JARDIN]);
    const toit = claudeConversation('k1', 'Toit', [['user', 'Qui répare le toit ?']]);
    const id = await send([JARDIN, toit, 'x']);
    expect(await test.app.client.imports.preview({ id })).toEqual({
      sources: [
        { source: 'chatgpt', conversations: 1 },
        { source: 'claude', conversations: 1 },
      ],
      conversations: 2,
      messages: 5,
      onOtherBranches: 0,
      known: 4,
      deleted: 0,
      forgotten: 0,
      period: { from: Date.UTC(2024, 0, 5, 9, 1), to: Date.UTC(2024, 1, 1, 10) },
      problems: [{ problem: 'not-a-conversation', count: 1, examples: [] }],
    });
    expect(await test.app.client.chat.list({})).toHaveLength(1);
    await test.app.client.imports.cancel({ id });
    expect(foldersLeft()).toEqual([]);
  });

  it('tells what was deleted and would come back, and what was forgotten and stays away', async () => {
    const { client } = test.app;
    const toit = claudeConversation('k1', 'Toit', [['user', 'Qui répare le toit ?']]);
    await importAll([JARDIN, toit]);
    const rows = await client.chat.list({});
    const idOf = (title: string) => rows.find((row) => row.title === title)?.id as string;
    await client.chat.remove({ id: idOf('Toit') });
    const { turns } = await client.chat.get({ id: idOf('Jardin') });
    await client.forget.apply({ ticked: { turns: [turns[1]?.id as string] } });
    const preview = await client.imports.preview({ id: await send([JARDIN, toit]) });
    expect(preview).toMatchObject({ deleted: 1, forgotten: 1, known: 3 });
    expect((await importAll([JARDIN, toit])).counts).toMatchObject({
      conversations: 0,
      restored: 1,
      forgotten: 1,
      messages: 0,
      unchanged: 3,
    });
    const { results } = await client.retrieval.search({ text: 'courges', mode: 'text' });
    expect(results).toEqual([]);
  });
});

describe('facts of an import', () => {
  const OWN = chatGptConversation('c1', 'Moi', [
    ['user', 'Ma sœur Léa habite à Toulouse.'],
    ['assistant', 'C’est noté.'],
  ]);
  const facts = async () => (await test.app.client.facts.list({ statuses: ['current', 'pending'] })).facts;

  it('are not learnt unless the user asks', async () => {
    await importAll([OWN]);
    expect(await facts()).toEqual([]);
  });

  it('wait for the user’s word if they ask, once', async () => {
    expect((await importAll([OWN], { learn: true })).counts.facts).toBe(1);
    expect((await facts()).map(({ status, content }) => [status, /Toulouse/.test(content)])).toEqual([
      ['pending', true],
    ]);
    expect((await importAll([OWN], { learn: true })).counts.facts).toBe(0);
    expect(await facts()).toHaveLength(1);
  });
});

describe('an import that is interrupted', () => {
  /** So many conversations that they are several portions. */
  const many = Array.from({ length: 120 }, (_, n) =>
    chatGptConversation(`c${n}`, `Conversation ${n}`, [
      ['user', `Question ${n} ${'mot '.repeat(400)}`],
      ['assistant', `Réponse ${n} ${'mot '.repeat(400)}`],
    ]),
  );
  const turns = () => test.app.services.conversations.countTurns();

  it('goes on after a restart where it was, and counts everything once', async () => {
    const id = await send(many);
    await test.app.client.imports.start({ id });
    await until(() => turns() > 0);
    await test.reopen();
    expect(turns()).toBeLessThan(120);
    const { counts, bytes } = await ended(id);
    expect(counts).toMatchObject({ conversations: 120, turns: 120, messages: 240, unchanged: 0 });
    expect(bytes.done).toBe(bytes.total);
    expect(turns()).toBe(120);
    expect(foldersLeft()).toEqual([]);
  });

  it('keeps what it had imported if it is cancelled, and goes no further', async () => {
    const id = await send(many);
    await test.app.client.imports.start({ id });
    await until(() => turns() > 0);
    await test.app.client.imports.cancel({ id });
    const { state, counts } = await ended(id);
    expect(state).toBe('cancelled');
    expect(counts.turns).toBe(turns());
    expect(foldersLeft()).toEqual([]);
    await test.app.client.imports.cancel({ id });
    expect((await test.app.client.imports.list()).imports).toEqual([]);
  });

  it('restores nothing that the user deleted meanwhile', async () => {
    const id = await send(many);
    await test.app.client.imports.start({ id });
    await until(() => turns() > 0);
    const [row] = await test.app.client.chat.list({});
    await test.app.client.chat.remove({ id: row?.id as string });
    await test.reopen();
    expect((await ended(id)).counts).toMatchObject({ conversations: 120, restored: 0 });
    expect(turns()).toBe(119);
  });

  it('before it was started leaves no files behind', async () => {
    await send(many);
    await test.reopen();
    expect(foldersLeft()).toEqual([]);
  });
});

it('files that do not follow each other piece by piece are refused', async () => {
  const { client } = test.app;
  const id = await send('abc');
  await expect(client.imports.append({ id, file: 0, from: 2, text: 'x' })).rejects.toMatchObject({
    code: 'BAD_INPUT',
  });
  await expect(client.imports.append({ id, file: 1, from: 0, text: 'x' })).rejects.toMatchObject({
    code: 'BAD_INPUT',
  });
  await expect(client.imports.preview({ id: 'import_none' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
