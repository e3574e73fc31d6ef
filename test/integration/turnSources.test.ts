import { afterEach, describe, expect, it } from 'vitest';
import { exportPortions } from '../../src/core/lifecycle/portable/exportPortions.ts';
import type { ConversationId } from '../../src/shared/ids.ts';
import { startOpenAiServer } from '../fakes/openAiServer.ts';
import { ask, createTestApp, lastReply, type TestApp } from '../support/testApp.ts';

let test: TestApp;
afterEach(() => test.dispose());

const turnsOf = async (id: ConversationId) => (await test.app.client.chat.get({ id })).turns;
const retrievalsOf = () =>
  test.app.services.db.all<{ injected: number; skipped: string; channel: string }>(
    'SELECT memories_injected AS injected, skipped, channel FROM memory_retrievals ORDER BY created_at, id',
  );

describe('a turn keeps where it comes from', () => {
  it('the user, an import, a capture or a job, across an export', async () => {
    test = createTestApp();
    const { client } = test.app;
    const { turn } = await ask(test.app, 'Où pousse le thym ?');
    expect(turn.source).toBe('user');
    const message = { id: 'm1' as never, role: 'user' as const, content: 'Bonjour', createdAt: 1_000 };
    await client.chat.import({
      conversations: [{ id: 'old', channel: 'import', title: '', messages: [message] }],
    });
    expect((await turnsOf('old' as ConversationId)).map(({ source }) => source)).toEqual(['import']);
    const captured = await client.chat.capture({ text: 'Penser à l’échelle.' });
    const system = await lastReply(await client.chat.runTurn({ text: 'Fais le ménage.', system: true }));
    await test.reopen();
    expect((await turnsOf(captured.conversationId)).map(({ source }) => source)).toEqual(['capture']);
    expect((await turnsOf(system.turn.conversationId)).map(({ source }) => source)).toEqual(['system']);
  });
});

describe('a captured thought', () => {
  it('is a turn of the channel "quick" without a reply, is found, and teaches what it states', async () => {
    test = createTestApp();
    const { client } = test.app;
    const turn = await client.chat.capture({ text: 'Mon frère David habite à Lyon.' });
    expect(turn).toMatchObject({ source: 'capture', replies: [] });
    expect(turn.learnt.map(({ content }) => content)).toEqual([expect.stringContaining('Lyon')]);
    const { conversation } = await client.chat.get({ id: turn.conversationId });
    expect(conversation).toMatchObject({ channel: 'quick', turns: 1 });
    const { results } = await client.retrieval.search({ text: 'David', mode: 'text', kinds: ['turn'] });
    expect(results.map(({ id }) => id)).toEqual([turn.id]);
    expect(retrievalsOf()).toEqual([]);
  });

  it('can be answered later', async () => {
    test = createTestApp();
    const turn = await test.app.client.chat.capture({ text: 'Où ai-je mis la perceuse ?' });
    const { turn: answered } = await lastReply(await test.app.client.chat.regenerate({ turnId: turn.id }));
    expect(answered.replies.map(({ version, state }) => [version, state])).toEqual([[1, 'complete']]);
  });
});

describe('a job’s own message', () => {
  it('is answered without notes and memory, when it is answered again too, and teaches nothing', async () => {
    test = createTestApp();
    const { client } = test.app;
    await client.facts.add({ content: 'Je m’appelle Camille.', kind: 'identity' });
    const text = 'Je m’appelle Nadia. Comment est-ce que je m’appelle ?';
    const { turn } = await lastReply(await client.chat.runTurn({ text, system: true }));
    expect(turn.learnt).toEqual([]);
    await lastReply(await client.chat.regenerate({ turnId: turn.id }));
    const logged = retrievalsOf();
    expect(logged).toHaveLength(2);
    for (const { injected, skipped } of logged) {
      expect(injected).toBe(0);
      expect(skipped).toContain('own-message');
    }
    // It is not what the user and Souvenir talked about.
    const { candidates } = await client.retrieval.preview({
      text: 'on a parlé de quoi avant ?',
      noDeadline: true,
    });
    expect(candidates.filter(({ kind }) => kind === 'turn')).toEqual([]);
  });
});

describe('facts and traces', () => {
  it('have the channel of their conversation, before and after it is moved', async () => {
    test = createTestApp();
    const { client } = test.app;
    const first = await lastReply(await client.chat.runTurn({ text: 'Bonjour.', channel: 'Work' }));
    const id = first.turn.conversationId;
    await ask(test.app, 'Souviens-toi que le portail a pour code 4812.', id);
    const channels = async () => [
      ...(await client.facts.list({})).facts.map(({ channel }) => channel),
      ...retrievalsOf().map(({ channel }) => channel),
    ];
    expect(await channels()).toEqual(['Work', 'Work', 'Work']);
    await client.chat.change({ id, channel: 'Health' });
    expect(await channels()).toEqual(['Health', 'Health', 'Health']);
  });
});

describe('a block that quotes a turn', () => {
  it('tells its place, and is exported and imported as it was sent', async () => {
    const server = await startOpenAiServer({ contextTokens: 16_384 });
    test = createTestApp();
    test.app.services.settings.change({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
    await ask(test.app, 'La perceuse est rangée sous l’escalier de la cave.');
    const { turn } = await ask(test.app, 'Où est rangée la perceuse ?');
    const blockOf = (app: TestApp['app']) =>
      app.services.db.get<{ text: string | null }>(
        'SELECT text FROM context_blocks WHERE turn_id = ?',
        turn.id,
      )?.text;
    expect(blockOf(test.app)).toMatch(/^\[1\] conversation, échange 1 sur 1, .* \(aujourd’hui\), \d+ %$/m);
    const other = createTestApp();
    for (const portion of exportPortions(test.app.services.db)) await other.app.client.data.import(portion);
    expect(blockOf(other.app)).toBe(blockOf(test.app));
    await other.dispose();
    await server.close();
  });
});

describe('turns beside one another', () => {
  it('an answer that holds no word of the question stands right after the turn that asked it, no more relevant for that', async () => {
    test = createTestApp();
    const { client, services } = test.app;
    const say = (conversation: string, texts: readonly string[]) => ({
      id: conversation,
      channel: 'import',
      title: '',
      messages: texts.map((content, place) => ({
        id: `${conversation}-${place}` as never,
        role: 'user' as const,
        author: place % 2 === 0 ? 'Ines' : 'Paul',
        content,
        createdAt: Date.UTC(2024, 2, 1, 10, place),
      })),
    });
    const other = (place: number) =>
      say(`other-${place}`, [`The lorry came back on day ${place}.`, `Number ${place} was on time.`]);
    await client.chat.import({
      conversations: [
        say('floor', [
          'Good morning.',
          'Which wood did they choose for the kitchen floor?',
          'Oiled oak.',
          'Nice.',
        ]),
        ...Array.from({ length: 30 }, (_, place) => other(place)),
      ],
    });
    await services.search.whenLoaded();
    const { candidates } = await client.retrieval.preview({
      text: 'Which wood is the kitchen floor made of?',
      noDeadline: true,
    });
    const turns = candidates.filter(({ kind }) => kind === 'turn');
    expect(turns[0]?.excerpt).toContain('Which wood');
    const answer = turns.findIndex(({ excerpt }) => excerpt.includes('Oiled oak'));
    expect(answer).toBeGreaterThan(0);
    expect(answer).toBeLessThanOrEqual(2);
    expect(turns[answer]).toMatchObject({ reason: { code: 'below-minimum' } });
  });
});

describe('who speaks in a turn', () => {
  it('places a turn of somebody whom the question names higher, no more relevant for that, and one that only asks is less relevant', async () => {
    test = createTestApp();
    const { client, services } = test.app;
    const said = [
      ['Ines', 'The fence by the mill is painted now.'],
      ['Paul', 'The fence by the mill is painted now.'],
      ['Paul', 'Is the fence by the mill painted now? »'],
    ] as const;
    await client.chat.import({
      conversations: said.map(([author, content], place) => ({
        id: `talk-${place}`,
        channel: 'import',
        title: '',
        messages: [{ id: `m${place}` as never, role: 'user', author, content, createdAt: place + 1 }],
      })),
    });
    await services.search.whenLoaded();
    const { candidates } = await client.retrieval.preview({
      text: 'Which fence was painted, Ines?',
      noDeadline: true,
    });
    const partsOf = (start: string) => {
      const found = candidates.find(({ excerpt }) => excerpt.replaceAll('*', '').startsWith(start));
      return { speaker: found?.parts?.speaker ?? 0, asks: found?.parts?.asks ?? 0 };
    };
    expect(partsOf('Ines: The fence')).toEqual({ speaker: 0.12, asks: 0 });
    expect(partsOf('Paul: The fence')).toEqual({ speaker: 0, asks: 0 });
    expect(partsOf('Paul: Is the fence')).toEqual({ speaker: 0, asks: -0.06 });
    expect(candidates[0]?.excerpt).toContain('Ines');
  });
});
