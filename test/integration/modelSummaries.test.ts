import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/core/support/clock.ts';
import type { ConversationId } from '../../src/shared/ids.ts';
import type { SettingsPatch } from '../../src/shared/settings.ts';
import {
  type Behaviour,
  type OpenAiServer,
  type ReceivedPrompt,
  type ServerOptions,
  startOpenAiServer,
} from '../fakes/openAiServer.ts';
import { ask, createTestApp, type TestApp, until } from '../support/testApp.ts';

const HOUR_MS = 3_600_000;

let test: TestApp;
let server: OpenAiServer;
afterEach(async () => {
  await test.dispose();
  await server.close();
});

const REPLY =
  'La toiture en ardoises de la grange tient longtemps. Le devis de Dupont est à 4 200 €, et l’échafaudage doit être rendu avant le 14 juin. Pour les gouttières, le zinc dure plus que le plastique et se soude facilement. Les chevrons de Foix conviennent à une portée de quatre mètres, si l’on garde la poutre nord.';
const QUESTION =
  'On a décidé de refaire le toit de la grange en ardoises avec Dupont. Que faut-il savoir du devis, des gouttières et des chevrons de Foix avant de commencer le chantier ?';
const SUMMARY = 'Le toit de la grange sera refait en ardoises avec Dupont pour 4 200 €.';

/** Is it the call for a summary? */
const summarises = ({ messages }: ReceivedPrompt) => (messages[0]?.content ?? '').includes('"findings"');
const calls = () => server.prompts.filter(summarises);
const answer = (summary: unknown) =>
  JSON.stringify({ summary, findings: ['Devis de Dupont : 4 200 €.'], topics: ['toit'] });
const writes = (text: string) =>
  server.behave({ kind: 'reply', text: (prompt) => (summarises(prompt) ? text : REPLY) });

async function open(settings: SettingsPatch = {}, options: ServerOptions = {}, clock?: Clock): Promise<void> {
  server = await startOpenAiServer(options);
  test = createTestApp({}, clock);
  await test.app.client.app.changeSettings({
    'chat.baseUrl': server.baseUrl,
    'chat.model': 'small',
    learnWithModel: 'off',
    autoRetrieve: false,
    ...settings,
  });
  test.app.watch();
}

const listed = async (conversationId: ConversationId) =>
  await test.app.client.summaries.list({ conversationId });
const madeBy = async (conversationId: ConversationId) => (await listed(conversationId))[0]?.madeBy;

describe('a model that answers well', () => {
  it('writes the summary of a turn after the reply, asked for a schema, in the language of the talk', async () => {
    await open();
    writes(answer(SUMMARY));
    const { turn } = await ask(test.app, QUESTION);
    await until(async () => (await madeBy(turn.conversationId)) === 'model');
    const [summary] = await listed(turn.conversationId);
    expect(summary).toMatchObject({
      text: SUMMARY,
      findings: ['Devis de Dupont : 4 200 €.'],
      topics: ['toit'],
    });
    expect(calls()[0]?.response_format).toMatchObject({ type: 'json_schema' });
    expect(calls()[0]?.messages[0]?.content).toContain('en français');
  });

  it('is not asked about a turn that is shorter than a summary, nor if the user does not want it', async () => {
    await open();
    writes(answer(SUMMARY));
    server.behave({ kind: 'reply', text: 'Oui.' });
    const { turn } = await ask(test.app, 'Le toit sera en ardoises ?');
    await until(async () => (await madeBy(turn.conversationId)) === 'rules');
    await test.app.services.jobs.settled();
    await test.app.client.app.changeSettings({ summariseWithModel: false });
    writes(answer(SUMMARY));
    const second = await ask(test.app, QUESTION);
    await until(async () => (await madeBy(second.turn.conversationId)) === 'rules');
    await test.app.services.jobs.settled();
    expect(calls()).toEqual([]);
  });

  it('sums summaries up as well, and the user’s own wording stays', async () => {
    await open();
    // Eight of them are longer than a summary of several may be.
    writes(
      answer(
        `${SUMMARY} L’échafaudage doit être rendu avant le 14 juin, et le zinc dure plus que le plastique.`,
      ),
    );
    let conversationId: ConversationId | undefined;
    for (let turns = 0; turns < 11; turns += 1)
      conversationId = (await ask(test.app, `${QUESTION} (${turns})`, conversationId)).turn.conversationId;
    const id = conversationId as ConversationId;
    const high = await until(async () => (await listed(id)).find(({ level }) => level === 2));
    await until(async () => (await test.app.client.summaries.get({ id: high.id })).madeBy === 'model');
    const [first] = await test.app.client.summaries.list({ conversationId: id, level: 1 });
    await test.app.client.summaries.correct({ id: first?.id as never, text: 'Mes propres mots.' });
    test.app.services.jobs.enqueue('summarise-turn', first?.turns[0]?.id as string);
    await test.app.services.jobs.settled();
    expect((await test.app.client.summaries.get({ id: first?.id as never })).text).toBe('Mes propres mots.');
  });
});

describe('a model whose summary does not hold', () => {
  it.each([
    ['says nothing', answer('')],
    ['is no JSON', 'Voici le résumé demandé : le toit.'],
    ['is longer than the talk', answer(`${SUMMARY} `.repeat(12))],
    [
      'is in another language',
      answer('The roof of the barn will be made of slate, and this is what was said about it.'),
    ],
    ['invents a name', answer('Le toit de la grange sera refait en ardoises avec Bertrand.')],
    ['invents a name at its beginning', answer('Zorglub refait le toit de la grange en ardoises.')],
    ['invents a number', answer('Le toit de la grange sera refait en ardoises pour 9 900 €.')],
    ['is about something else', answer('Une recette de soupe aux lentilles avec du céleri.')],
  ])('keeps the one by rules, and is asked again later: it %s', async (_, text) => {
    await open();
    writes(text);
    const { turn } = await ask(test.app, QUESTION);
    await until(async () => (await madeBy(turn.conversationId)) === 'rules');
    const waiting = () =>
      test.app.services.jobs.summaries().find(({ kind, problem }) => kind === 'summarise-turn' && problem);
    expect(await until(waiting)).toMatchObject({ state: 'waiting', problem: 'SUMMARY_UNUSABLE' });
    expect(await madeBy(turn.conversationId)).toBe('rules');
    // Nothing is stuck once it answers well.
    writes(answer(SUMMARY));
    test.app.services.jobs.enqueue('summarise-turn', turn.id);
    await until(async () => (await madeBy(turn.conversationId)) === 'model');
  });

  it('is asked again once it is back, if it was away', async () => {
    await open();
    writes(answer(SUMMARY));
    server.behave({ kind: 'reply', text: (prompt) => (summarises(prompt) ? '' : REPLY) });
    const { turn } = await ask(test.app, QUESTION);
    server.behave({ kind: 'status', status: 503 });
    await until(() =>
      test.app.services.jobs.summaries().some(({ kind, problem }) => kind === 'summarise-turn' && problem),
    );
    writes(answer(SUMMARY));
    test.app.services.jobs.enqueue('summarise-turn', turn.id);
    await until(async () => (await madeBy(turn.conversationId)) === 'model');
  });
});

describe('a server that writes one reply at a time', () => {
  it('is left at once when a message is sent, and the summary is written afterwards', async () => {
    await open({}, { slots: 1 });
    // A summary that would take for ever keeps the only slot until it is cancelled.
    server.behave({ kind: 'reply', text: REPLY });
    const held = await ask(test.app, QUESTION);
    server.behave({ kind: 'hang', text: '{"summary": "' });
    test.app.services.jobs.enqueue('summarise-turn', held.turn.id);
    await until(() => calls().length > 0);
    const left = server.left();
    writes(answer(SUMMARY));
    const { reply } = await ask(test.app, QUESTION, held.turn.conversationId);
    expect(reply.state).toBe('complete');
    expect(server.left()).toBeGreaterThan(left);
    await until(async () => (await listed(held.turn.conversationId)).every((one) => one.madeBy === 'model'));
    expect(await listed(held.turn.conversationId)).toHaveLength(2);
  });
});

describe('a summariser that fails while much is said', () => {
  it.each<[string, Exclude<Behaviour, { kind: 'chosen' }>]>([
    ['is down', { kind: 'status', status: 503 }],
    ['never ends', { kind: 'hang', text: '{"summary": "' }],
    ['talks nonsense', { kind: 'reply', text: '{ summary: the roof, the roof, the roof' }],
  ])(
    'keeps no reply waiting and, once it is back, writes everything that is due: it %s',
    async (_, fails) => {
      let now = Date.UTC(2026, 2, 2, 9);
      await open({}, { slots: 1 }, { now: () => now });
      server.behave({
        kind: 'chosen',
        by: (prompt) => (summarises(prompt) ? fails : { kind: 'reply', text: REPLY }),
      });
      let conversationId: ConversationId | undefined;
      for (let turns = 0; turns < 4; turns += 1) {
        const { turn, reply } = await ask(test.app, `${QUESTION} (${turns})`, conversationId);
        expect(reply.state).toBe('complete');
        conversationId = turn.conversationId;
        // Each time the only slot is taken when the next message is sent, or the call has failed.
        await until(() => calls().length > turns);
      }
      const id = conversationId as ConversationId;
      writes(answer(SUMMARY));
      const written = async () => (await listed(id)).filter(({ madeBy }) => madeBy === 'model').length;
      // What hangs is given up with its lease, and what failed is tried again: neither takes so long.
      for (let hours = 0; hours < 3 && (await written()) < 4; hours += 1) {
        now += HOUR_MS;
        await test.app.services.jobs.settled();
      }
      expect(await written()).toBe(4);
      expect(test.app.services.jobs.summaries().filter(({ kind }) => kind === 'summarise-turn')).toEqual([]);
      expect((await listed(id)).map(({ turns: [turn] }) => turn?.number)).toEqual([1, 2, 3, 4]);
    },
  );
});

describe('a model on another computer', () => {
  it('gets the user’s messages alone where replies were made from memory', async () => {
    await open();
    writes(answer(SUMMARY));
    const { turn } = await ask(test.app, QUESTION);
    await until(async () => (await madeBy(turn.conversationId)) === 'model');
    const { db, summaries } = test.app.services;
    db.run(`UPDATE prompts SET made_from = '["memory"]' WHERE turn_id = ?`, turn.id);
    const before = calls().length;
    const [summary] = await listed(turn.conversationId);
    summaries.write(
      summary?.id as never,
      { ...(summary as never as Parameters<typeof summaries.write>[1]) },
      { madeBy: 'rules', at: 1 },
    );
    await test.app.client.app.changeSettings({ 'chat.model': 'far:cloud' });
    test.app.services.jobs.enqueue('summarise-turn', turn.id);
    await until(() => !test.app.services.jobs.has('summarise-turn', turn.id));
    const sent = calls()
      .slice(before)
      .flatMap(({ messages }) => messages.map(({ content }) => content))
      .join('\n');
    expect(sent).not.toContain('zinc dure plus');
  });
});
