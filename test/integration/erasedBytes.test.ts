import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/support/ids.ts';
import type { ConversationId, SummaryId } from '../../src/shared/ids.ts';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { bytesLeft } from '../support/bytesLeft.ts';
import { chatGptConversation, chatGptTree, type Said } from '../support/histories.ts';
import { summariseNow } from '../support/summariseNow.ts';
import { ask, createTestApp, indexVault, lastReply, type TestApp, until } from '../support/testApp.ts';
import { tickedOf } from '../support/ticked.ts';

const MONTH = 31 * 86_400_000;
const SECRET = 'Le parachutiste Quenouillard apprivoise des ornithorynques à Wattwiller';
const OTHERS = [
  'Léa est allergique aux arachides',
  'Quand planter les tomates ?',
  'Qui apprivoise ? Le parachutiste ?',
];

let test: TestApp;
let now: number;

beforeEach(async () => {
  now = 1_700_000_000_000;
  test = createTestApp(
    { 'Jardin.md': '# Jardin\n\nLes tomates se plantent à la mi-mai.' },
    { now: () => now },
  );
  await indexVault(test.app, test.vault);
});
afterEach(() => test.dispose());

/** Moves the clock on and waits until what is due then is done. */
const pass = async (ms: number) => {
  now += ms;
  await test.app.services.jobs.settled();
  await test.app.services.vectors.settled();
};

const left = (text = SECRET, also: string[] = []) => bytesLeft(test.dataDir, text, { others: OTHERS, also });

/** So many rows that trees are balanced and full texts have several segments. */
async function fill(rows: number): Promise<void> {
  const { client } = test.app;
  for (let at = 0; at < rows; at += 1)
    await client.facts.add({ content: `Fait numéro ${at} : ${OTHERS[at % 2]} `.repeat(1 + (at % 5)) });
}

/** Says something in a conversation, of which only the turn remains, whatever it taught. */
async function say(text: string) {
  const { turn } = await ask(test.app, text);
  const ids = turn.learnt.map(({ id }) => id);
  if (ids.length > 0) await test.app.client.facts.remove({ ids });
  return turn;
}

describe('a fact that was erased', () => {
  it('leaves no byte in any file: wordings, terms, vectors, quotations, log', async () => {
    const { client, services } = test.app;
    await fill(30);
    const fact = await client.facts.add({ content: 'Nom à préciser', subjects: ['Quenouillard'] });
    await client.facts.edit({ id: fact.id, content: SECRET });
    await client.facts.edit({ id: fact.id, content: `${SECRET}, je crois` });
    await services.vectors.settled();
    // It is given to turns, cited by them, and stands in their blocks and traces.
    const { reply } = await ask(test.app, 'Qui apprivoise ? Le parachutiste ?');
    expect(reply.citations.map(({ id }) => id)).toContain(fact.id);
    await fill(30);
    await services.vectors.settled();
    const traces = [fact.id, sha256(SECRET), sha256(`${SECRET}, je crois`)];
    expect(left(SECRET, traces).map((line) => line.split(':')[0])).toContain('souvenir.sqlite');
    await client.facts.remove({ ids: [fact.id] });
    await pass(MONTH);
    const found = left(SECRET, [sha256(SECRET), sha256(`${SECRET}, je crois`)]);
    expect(found).toEqual([]);
    // Ids stay in the list of what was deleted and in the trace, but in no file of vectors.
    expect(left(SECRET, [fact.id]).filter((line) => line.startsWith('vectors'))).toEqual([]);
    expect(await client.app.jobs()).toEqual([]);
    expect((await client.app.doctor({ repair: false })).findings).toEqual([]);
    expect(await services.vectors.compare()).toEqual([]);
    const { results } = await client.retrieval.search({ text: 'allergique arachides' });
    expect(results.length).toBeGreaterThan(0);
  });
});

describe('a conversation that was erased', () => {
  it('leaves no byte in any file, nor in what other conversations were given of it', async () => {
    const { client, services } = test.app;
    const turn = await say(`${SECRET}. Retrouve cela, parachutiste.`);
    await ask(test.app, 'Quand planter les tomates ?', turn.conversationId);
    await services.vectors.settled();
    const { reply } = await ask(test.app, 'Que fait le parachutiste avec les ornithorynques de Wattwiller ?');
    expect(reply.citations.map(({ id }) => id)).toContain(turn.id);
    await services.vectors.settled();
    const asking = (await client.chat.list({})).find(({ id }) => id !== turn.conversationId);
    await client.chat.remove({ id: turn.conversationId });
    await client.chat.remove({ id: asking?.id as string });
    const { facts } = await client.facts.list({ all: true });
    if (facts.length > 0) await client.facts.remove({ ids: facts.map(({ id }) => id) });
    await pass(MONTH);
    expect(left()).toEqual([]);
    expect((await client.app.doctor({ repair: false })).findings).toEqual([]);
  });

  it('leaves no byte of its summaries, nor does a turn that was forgotten alone', async () => {
    const { client, services } = test.app;
    const turn = await say(`${SECRET}. Retrouve cela, parachutiste.`);
    const { conversationId } = turn;
    for (let at = 0; at < 11; at += 1) await ask(test.app, 'Quand planter les tomates ?', conversationId);
    test.app.watch();
    await until(async () => (await client.summaries.list({ conversationId, level: 2 })).length === 1);
    await services.vectors.settled();
    const [high] = await client.summaries.list({ conversationId, level: 2 });
    expect(high?.text).toContain('ornithorynques');
    await client.forget.apply({ ticked: { turns: [turn.id], titles: [conversationId] }, now: true });
    const { facts } = await client.facts.list({ all: true });
    if (facts.length > 0) await client.facts.remove({ ids: facts.map(({ id }) => id) });
    expect(await client.summaries.list({ conversationId, level: 2 })).toEqual([]);
    await pass(MONTH);
    await pass(60_000);
    await until(async () => (await client.summaries.list({ conversationId, level: 2 })).length === 1);
    // A copy of the database keeps it until it is asked to be rewritten.
    const outsideCopies = () => left().filter((line) => !line.startsWith('backups'));
    await until(() => outsideCopies().length === 0);
    expect((await client.app.doctor({ repair: false })).findings).toEqual([]);
  });

  it('leaves no byte if it was imported, nor does an import that was given up', async () => {
    const { client, services } = test.app;
    const talk = chatGptConversation('c1', 'Parachutiste', [
      ['user', SECRET],
      ['assistant', `Vraiment : ${SECRET} ?`],
    ]);
    const text = JSON.stringify([talk]);
    const send = async () => {
      const { id } = await client.imports.begin({ files: [{ name: 'conversations.json', modifiedAt: now }] });
      await client.imports.append({ id, file: 0, from: 0, text });
      return id;
    };
    const givenUp = await send();
    expect((await client.imports.preview({ id: givenUp })).messages).toBe(2);
    expect(left().map((line) => line.split('/')[0])).toContain('imports');
    await client.imports.cancel({ id: givenUp });
    expect(left()).toEqual([]);
    await client.imports.start({ id: await send(), learn: true });
    await services.jobs.settled();
    await services.vectors.settled();
    expect(left().length).toBeGreaterThan(0);
    const [row] = await client.chat.list({});
    await client.chat.remove({ id: row?.id as string });
    const { facts } = await client.facts.list({ all: true });
    if (facts.length > 0) await client.facts.remove({ ids: facts.map(({ id }) => id) });
    await pass(MONTH);
    expect(left()).toEqual([]);
  });

  it('is taken out of the blocks that a model was sent, and these are rendered without it', async () => {
    const { client, services } = test.app;
    const turn = await say(SECRET);
    await services.vectors.settled();
    const server: OpenAiServer = await startOpenAiServer({
      contextTokens: 8_000,
      ollama: [{ name: 'small' }],
    });
    try {
      await client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
      server.behave({ kind: 'reply', text: () => 'Je ne sais pas.' });
      const asked = await ask(test.app, 'Le parachutiste apprivoise quoi ?');
      const { conversationId } = asked.turn;
      const quoted = () =>
        services.db.all("SELECT 1 FROM context_items WHERE kind = 'turn' AND item_id = ?", turn.id).length +
        services.db.all("SELECT 1 FROM context_blocks WHERE text LIKE '%Quenouillard%'").length;
      expect(quoted()).toBe(2);
      const facts = (await client.chat.remove({ id: turn.conversationId })).facts;
      if (facts.length > 0) await client.facts.remove({ ids: facts });
      await pass(MONTH);
      expect(quoted()).toBe(0);
      expect(left()).toEqual([]);
      await ask(test.app, 'Et les tomates ?', conversationId);
      expect(JSON.stringify(server.prompts.at(-1)?.messages)).not.toContain('Quenouillard');
      expect(left()).toEqual([]);
    } finally {
      await server.close();
    }
  });
});

describe('what was said on a branch that is not shown', () => {
  it('leaves no byte of message, replies and summary, nor in a backup, and the other branch stays', async () => {
    const server = await startOpenAiServer();
    try {
      const { client, services } = test.app;
      await client.app.changeSettings({
        'chat.baseUrl': server.baseUrl,
        'chat.model': 'small',
        summariseWithModel: false,
        learnWithModel: 'off',
      });
      server.behave({ kind: 'reply', text: 'C’est entendu.' });
      const first = await ask(test.app, 'Quand planter les tomates ?');
      server.behave({ kind: 'reply', text: `Voici : ${SECRET}.` });
      const { turn } = await ask(test.app, `Que sait-on ? ${SECRET}.`, first.turn.conversationId);
      server.behave({ kind: 'reply', text: 'Rien.' });
      await lastReply(await client.chat.regenerate({ turnId: turn.id }));
      await summariseNow(test.app);
      await services.vectors.settled();
      await lastReply(await client.chat.edit({ turnId: turn.id, text: 'Quand planter les tomates, déjà ?' }));
      await client.data.backUp({});
      expect(left().length).toBeGreaterThan(0);
      const plan = await client.forget.plan({ topic: 'Quenouillard' });
      expect(tickedOf(plan).turns).toEqual([turn.id]);
      await client.forget.apply({ ticked: tickedOf(plan), now: true });
      await pass(0);
      await client.forget.eraseFromBackups();
      await until(async () => !(await client.forget.backupErasure()).running);
      await pass(0);
      expect(left()).toEqual([]);
      const { turns } = await client.chat.get({ id: first.turn.conversationId });
      expect(turns.map(({ messages }) => messages[0]?.content)).toEqual([
        'Quand planter les tomates ?',
        'Quand planter les tomates, déjà ?',
      ]);
      expect((await client.app.doctor({ repair: false })).findings).toEqual([]);
    } finally {
      await server.close();
    }
  });
});

describe('what a history, a file and summaries of several levels hold of a topic', () => {
  const TOPIC = 'Quenouillard';
  const said: Said[] = [
    { id: 'q', after: null, role: 'user', text: 'Quand planter les tomates ?' },
    { id: 'r', after: 'q', role: 'assistant', text: `Voici : ${SECRET}.` },
    { id: 'q2', after: 'r', role: 'user', text: `Est-ce bien vrai, ${TOPIC} ?` },
    { id: 'r2', after: 'q2', role: 'assistant', text: 'Je ne sais pas.' },
    { id: 'call', after: 'q', role: 'assistant', text: `cherche("${SECRET}")`, tool: 'python' },
    { id: 'found', after: 'call', role: 'tool', text: `${SECRET} !`, tool: 'python' },
    { id: 'rb', after: 'found', role: 'assistant', text: 'En mai.' },
    { id: 'rc', after: 'q', role: 'assistant', text: 'En mai, comme toujours.' },
    ...Array.from({ length: 14 }, (_, n): Said[] => [
      {
        id: `q${n + 3}`,
        after: n === 0 ? 'rc' : `r${n + 2}`,
        role: 'user',
        text: `Et le carré numéro ${n} ?`,
      },
      { id: `r${n + 3}`, after: `q${n + 3}`, role: 'assistant', text: n === 3 ? `${SECRET}.` : 'En juin.' },
    ]).flat(),
  ];

  it('leaves no byte, nor in a backup, once it is erased, and does not come back with the history', async () => {
    const { client, services } = test.app;
    const importAll = async () => {
      const { id } = await client.imports.begin({ files: [{ name: 'conversations.json', modifiedAt: now }] });
      const text = JSON.stringify([chatGptTree('c1', 'Le potager', said)]);
      await client.imports.append({ id, file: 0, from: 0, text });
      await client.imports.start({ id });
      await services.jobs.settled();
      const { imports } = await client.imports.list();
      return imports.find((one) => one.id === id)?.counts;
    };
    await importAll();
    const file = Buffer.from(`# Cirque\n\n${SECRET}.\n\n## Suite\n\n${SECRET}, encore.\n`);
    const { id: attached } = await client.attachments.read({
      name: `${TOPIC}.md`,
      data: file.toString('base64'),
    });
    const asked = await lastReply(
      await client.chat.runTurn({ text: 'Que dit la pièce jointe ?', attachments: [attached] }),
    );
    await summariseNow(test.app);
    const [row] = await client.chat.list({ channel: 'import' });
    const summaries = await client.summaries.list({ conversationId: row?.id as ConversationId });
    expect(new Set(summaries.map(({ level }) => level))).toEqual(new Set([1, 2]));
    const corrected = summaries.filter(({ level, text }) => level === 1 && !text.includes(TOPIC))[0];
    await client.summaries.correct({ id: corrected?.id as SummaryId, text: SECRET });
    await services.vectors.settled();
    await client.data.backUp({});
    expect(left().map((line) => line.split(/[/:]/)[0])).toEqual(
      expect.arrayContaining(['souvenir.sqlite', 'backups']),
    );
    const ticked = tickedOf(await client.forget.plan({ topic: TOPIC }));
    // The two turns of the first branch, the one whose tool was called, one that is shown, and the one with the file.
    expect(ticked.turns).toHaveLength(5);
    expect(ticked.turns).toContain(asked.turn.id);
    expect(ticked.summaries).toEqual([corrected?.id]);
    await client.forget.apply({ ticked, now: true });
    await pass(0);
    await client.forget.eraseFromBackups();
    await until(async () => !(await client.forget.backupErasure()).running);
    await summariseNow(test.app);
    await pass(0);
    expect(left()).toEqual([]);
    expect((await client.app.doctor({ repair: false })).findings).toEqual([]);
    expect(await importAll()).toMatchObject({ turns: 0, messages: 0, forgotten: 4 });
    await services.vectors.settled();
    expect(left()).toEqual([]);
  });
});

describe('what tools found, and what was asked of them', () => {
  it('leaves no byte once it was erased: neither of a fact, nor of the turn that asked for it', async () => {
    const { client, services } = test.app;
    const fact = await client.facts.add({ content: SECRET });
    await services.vectors.settled();
    const server = await startOpenAiServer({ contextTokens: 16_000 });
    try {
      await client.app.changeSettings({
        'chat.baseUrl': server.baseUrl,
        'chat.model': 'small',
        autoRetrieve: false,
        learnWithModel: 'off',
      });
      const call = (name: string, given: unknown) => ({ name, arguments: JSON.stringify(given) });
      const found = [
        { calls: [call('search_memories', { query: 'animaux de cirque' })] },
        { text: 'Je vois.' },
      ];
      server.behave({
        kind: 'script',
        steps: [{ calls: [call('get_recent_memories', { limit: 20 })] }, ...found],
      });
      const asked = await ask(test.app, 'Quels animaux ?');
      expect(asked.reply.tools.some(({ result }) => result.includes('Quenouillard'))).toBe(true);
      await client.facts.remove({ ids: [fact.id] });
      await pass(MONTH);
      expect(left()).toEqual([]);
      // The turn stays, and its call with it.
      const [turn] = (await client.chat.turns({ ids: [asked.turn.id] })).turns;
      expect(turn?.replies[0]?.tools).toHaveLength(asked.reply.tools.length);

      server.behave({
        kind: 'script',
        steps: [
          { calls: [call('search_notes', { query: SECRET }), call('remember', { content: SECRET })] },
          { text: 'Rien.' },
        ],
      });
      const named = await ask(test.app, 'Cherche encore.', asked.turn.conversationId);
      expect(left().length).toBeGreaterThan(0);
      const plan = await client.forget.plan({ topic: 'Quenouillard' });
      const ticked = tickedOf(plan);
      expect(ticked.turns).toEqual([named.turn.id]);
      await client.forget.apply({ ticked, now: true });
      await pass(0);
      expect(left()).toEqual([]);
      expect((await client.app.doctor({ repair: false })).findings).toEqual([]);
    } finally {
      await server.close();
    }
  });
});

describe('a vault that was erased', () => {
  it('leaves no byte of its notes', async () => {
    const { client, services } = test.app;
    const other = createTestApp({ 'Zoo.md': `# Ménagerie\n\n${SECRET}.` });
    try {
      await indexVault(test.app, other.vault);
      await services.vectors.settled();
      await ask(test.app, 'Que fait le parachutiste ?');
      const vault = (await client.vaults.list()).find(({ path }) => path === other.vault);
      expect(left().length).toBeGreaterThan(0);
      await client.vaults.remove({ id: vault?.id as string });
      await pass(MONTH);
      expect(left(`${SECRET} Ménagerie`)).toEqual([]);
      expect((await client.app.doctor({ repair: false })).findings).toEqual([]);
    } finally {
      await other.dispose();
    }
  });
});

describe('what erased rows leave behind', () => {
  it('is erased after a restart, if the program ended before', async () => {
    const { client, services } = test.app;
    await fill(20);
    const fact = await client.facts.add({ content: SECRET });
    await services.vectors.settled();
    await client.facts.remove({ ids: [fact.id] });
    const hold = services.jobs.pause(['erase-remains-facts']);
    await pass(MONTH);
    expect((await client.facts.list({ all: true })).facts.map(({ id }) => id)).not.toContain(fact.id);
    expect(left().length).toBeGreaterThan(0);
    await test.reopen();
    hold();
    await pass(0);
    expect(left()).toEqual([]);
  });

  it('is erased some pages at a time, while the conversation goes on', async () => {
    const { client, services } = test.app;
    await fill(150);
    const fact = await client.facts.add({ content: SECRET });
    await client.facts.remove({ ids: [fact.id] });
    await services.vectors.settled();
    let slices = 0;
    const { zeroUnused } = services.db;
    services.db.zeroUnused = (from) => {
      slices += 1;
      return zeroUnused(from);
    };
    now += MONTH;
    const erased = services.jobs.settled();
    const { reply } = await ask(test.app, 'Quand planter les tomates ?');
    expect(reply.state).toBe('complete');
    await erased;
    const pages = Number((services.db.pragma('page_count') as { page_count: number }[])[0]?.page_count);
    expect(slices).toBeGreaterThanOrEqual(Math.floor(pages / 256));
    await services.vectors.settled();
    expect(left()).toEqual([]);
  });
});
