import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nextRollUp } from '../../src/core/memory/summaries/rollUp.ts';
import { SUMMARISE } from '../../src/core/memory/summaries/summaries.ts';
import type { ConversationId, TurnId } from '../../src/shared/ids.ts';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { ask, createTestApp, storedVector, type TestApp, until } from '../support/testApp.ts';

let test: TestApp;
let server: OpenAiServer;
beforeEach(async () => {
  server = await startOpenAiServer();
  server.behave({ kind: 'reply', text: 'C’est entendu pour la grange et ses ardoises.' });
  test = createTestApp();
  await test.app.client.app.changeSettings({
    'chat.baseUrl': server.baseUrl,
    'chat.model': 'small',
    learnWithModel: 'off',
    summariseWithModel: false,
    autoRetrieve: false,
  });
});
afterEach(async () => {
  await test.dispose();
  await server.close();
});

const client = () => test.app.client;
const store = () => test.app.services.summaries;
/** Lets what waits for an open app run, and waits until nothing is due. */
async function settle(): Promise<void> {
  test.app.watch();
  test.app.services.jobs.reschedule();
  await until(() => !store().isDue() && !test.app.services.jobs.has(SUMMARISE, ''));
}

/** A conversation of some turns. */
async function talk(messages: readonly string[]): Promise<{ id: ConversationId; turns: TurnId[] }> {
  const turns: TurnId[] = [];
  let id: ConversationId | undefined;
  for (const message of messages) {
    const { turn } = await ask(test.app, message, id);
    id = turn.conversationId;
    turns.push(turn.id);
  }
  return { id: id as ConversationId, turns };
}

const LINES = [
  'On a décidé de refaire le toit de la grange en ardoises.',
  'Le devis de Dupont est à 4 200 €, voir [[Travaux/Toiture]].',
  'Il faut rappeler Léa avant vendredi pour l’échafaudage.',
  'La poutre nord a été changée en 1987 par mon grand-père.',
  'Le chantier commence le 14 juin avec Mickael.',
  'Les gouttières seront en zinc, pas en plastique.',
  'J’ai commandé douze chevrons à la scierie de Foix.',
  'La commune demande une déclaration pour les fenêtres.',
  'Le camion ne passe pas par le chemin du moulin.',
  'On stocke les ardoises sous le hangar des voisins.',
  'Le solde sera payé en septembre.',
  'La cheminée reste comme elle est.',
];

describe('a turn', () => {
  it('is summarised after its reply, with what it decided, named and when it was', async () => {
    const { id, turns } = await talk([`${LINES[0]} ${LINES[1]} ${LINES[2]}`]);
    await settle();
    const [summary, ...others] = await client().summaries.list({ conversationId: id });
    expect(others).toEqual([]);
    const { reply, question } = {
      reply: 'C’est entendu pour la grange et ses ardoises.',
      question: `${LINES[0]} ${LINES[1]} ${LINES[2]}`,
    };
    expect(summary).toMatchObject({
      level: 1,
      channel: 'chat',
      turns: [{ id: turns[0], number: 1 }],
      files: ['Travaux/Toiture'],
      tools: [],
      characters: question.length + reply.length,
      parentId: null,
      childIds: [],
      madeBy: 'rules',
    });
    expect(summary?.text).toContain('On a décidé de refaire le toit');
    expect(summary?.findings).toContain('Il faut rappeler Léa avant vendredi pour l’échafaudage.');
    expect(summary?.topics).toEqual(expect.arrayContaining(['Dupont', 'Léa']));
    expect(store().historySize(id)).toBe(summary?.characters);
  });

  it('is not summarised by a command that comes and goes, and is at the next start of the app', async () => {
    const { id } = await talk([LINES[0] as string]);
    await test.reopen();
    expect(await client().summaries.list({ conversationId: id })).toEqual([]);
    await settle();
    expect(await client().summaries.list({ conversationId: id })).toHaveLength(1);
  });

  it('loses its summary with its words, at once, and gets another', async () => {
    const { id, turns } = await talk([LINES[0] as string]);
    await settle();
    const [before] = await client().summaries.list({ conversationId: id });
    server.behave({ kind: 'reply', text: 'La couverture de la grange sera en tuiles rouges de Pamiers.' });
    for await (const event of await client().chat.regenerate({ turnId: turns[0] as TurnId }))
      if (event.type === 'text') expect(await client().summaries.list({ conversationId: id })).toEqual([]);
    await settle();
    const [after] = await client().summaries.list({ conversationId: id });
    expect(after?.id).not.toBe(before?.id);
    expect(after?.text).toContain('tuiles rouges');
  });
});

describe('a conversation', () => {
  it('of more than ten turns is rolled up, and each turn stands in one summary that was not', async () => {
    const { id, turns } = await talk(LINES);
    await settle();
    const all = await client().summaries.list({ conversationId: id });
    expect(all.filter(({ level }) => level === 1)).toHaveLength(12);
    const [high] = all;
    expect(high).toMatchObject({ level: 2, madeBy: 'rules', parentId: null });
    expect(high?.turns.map((turn) => turn.id)).toEqual(turns.slice(0, 8));
    const children = all.filter(({ parentId }) => parentId === high?.id);
    expect(high?.childIds).toEqual(children.map((child) => child.id));
    expect(high?.characters).toBe(children.reduce((sum, { characters }) => sum + characters, 0));
    expect(high?.findings).toEqual(
      expect.arrayContaining(['On a décidé de refaire le toit de la grange en ardoises.']),
    );
    const free = store().notRolledUp(id);
    expect(free.flatMap(({ numbers }) => numbers)).toEqual(turns.map((_, at) => at + 1));
    expect(
      nextRollUp(
        free,
        test.app.services.conversations.activeTurns(id).map(({ ordinal }) => ordinal),
      ),
    ).toBeNull();
    expect(await client().summaries.list({ conversationId: id, level: 2 })).toEqual([high]);
  });

  it('that is removed takes its summaries along, and brings them back', async () => {
    const { id } = await talk([LINES[0] as string]);
    await settle();
    const [summary] = await client().summaries.list({ conversationId: id });
    await client().chat.remove({ id });
    expect(await client().summaries.list({ conversationId: id })).toEqual([]);
    await client().chat.restore({ id });
    expect(await client().summaries.list({ conversationId: id })).toEqual([summary]);
  });
});

describe('summaries', () => {
  it('are found by words and by meaning, by level and by channel', async () => {
    const { id } = await talk(LINES);
    await settle();
    await test.app.services.vectors.settled();
    const [high] = await client().summaries.list({ conversationId: id, level: 2 });
    const search = async (
      request: Partial<Parameters<ReturnType<typeof client>['retrieval']['search']>[0]>,
    ) => (await client().retrieval.search({ text: 'toit de la grange en ardoises', ...request })).results;
    const low = await search({ levels: [1] });
    expect(new Set(low.map(({ level, kind }) => `${kind} ${level}`))).toEqual(new Set(['summary 1']));
    expect(low[0]?.excerpt).toContain('grange');
    for (const mode of ['text', 'semantic', 'hybrid'] as const)
      expect((await search({ levels: [2], mode })).map((one) => one.id)).toEqual([high?.id]);
    const [found] = await search({ levels: [2] });
    expect(found).toMatchObject({
      conversationId: id,
      turnIds: expect.arrayContaining([high?.turns[0]?.id]),
    });
    expect((await search({ levels: [0] })).every(({ kind }) => kind !== 'summary')).toBe(true);
    expect(await search({ levels: [1, 2], channel: 'elsewhere' })).toEqual([]);
    expect((await search({ levels: [1, 2], channel: 'chat' })).length).toBeGreaterThan(1);
    // Of one turn only the turn itself is found, unless its summary is asked for.
    expect((await search({})).filter(({ level }) => level === 1)).toEqual([]);
    expect(await storedVector(test.app, { kind: 'summary', id: high?.id as string })).not.toBeNull();
    expect((await client().app.doctor({ repair: false })).findings).toEqual([]);
  });

  it('of several turns are given to another conversation, once, and not beside a turn that answers better', async () => {
    const { id } = await talk(LINES);
    await settle();
    await test.app.services.vectors.settled();
    const given = await client().retrieval.preview({
      text: 'Que sait-on du toit de la grange, des ardoises et du chantier ?',
      noDeadline: true,
    });
    const summaries = given.candidates.filter(({ kind }) => kind === 'summary');
    const turns = new Map(
      given.candidates.filter(({ kind }) => kind === 'turn').map((one) => [one.id as string, one.score]),
    );
    for (const one of summaries)
      for (const turn of one.turnIds ?? []) expect(turns.get(turn) ?? 0).toBeLessThan(one.score);
    const own = await client().retrieval.preview({
      text: 'le toit de la grange',
      conversationId: id,
      noDeadline: true,
    });
    expect(own.candidates.filter(({ kind }) => kind === 'summary')).toEqual([]);
  });

  it('can be corrected, made anew, removed and brought back by the user; what was made of them follows', async () => {
    const { id } = await talk(LINES);
    await settle();
    const listed = async (level: number) => await client().summaries.list({ conversationId: id, level });
    const [first] = await listed(1);
    const [high] = await listed(2);
    const corrected = await client().summaries.correct({
      id: first?.id as never,
      text: 'Le toit sera en lauzes.',
    });
    expect(corrected).toMatchObject({
      id: first?.id,
      madeBy: 'user',
      text: 'Le toit sera en lauzes.',
      parentId: null,
    });
    await settle();
    const [again] = await listed(2);
    expect(again?.id).not.toBe(high?.id);
    expect(again?.text).toContain('lauzes');
    const { results } = await client().retrieval.search({ text: 'lauzes', levels: [1], mode: 'text' });
    expect(results[0]?.id).toBe(first?.id);
    expect(await client().summaries.regenerate({ id: first?.id as never })).toMatchObject({
      madeBy: 'rules',
    });
    await client().summaries.remove({ id: first?.id as never });
    await settle();
    expect((await listed(1)).map((one) => one.id)).not.toContain(first?.id);
    expect((await listed(2))[0]?.turns).toHaveLength(8);
    expect((await listed(2))[0]?.text).not.toContain('lauzes');
    await expect(client().summaries.get({ id: first?.id as never })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await client().summaries.restore({ id: first?.id as never });
    await settle();
    expect((await listed(1)).flatMap(({ turns }) => turns.map(({ number }) => number))).toContain(1);
    expect((await client().app.doctor({ repair: false })).findings).toEqual([]);
  });
});
