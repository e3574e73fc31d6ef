import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ForgetPlan, ForgetSubject } from '../../src/shared/contract/forget.ts';
import type { ConversationId, MessageId } from '../../src/shared/ids.ts';
import { startOpenAiServer } from '../fakes/openAiServer.ts';
import { bytesLeft } from '../support/bytesLeft.ts';
import { ask, createTestApp, indexVault, lastReply, type TestApp } from '../support/testApp.ts';
import { tickedOf as ticked } from '../support/ticked.ts';

const FIRST = 'Mon collègue Quenouillard habite à Wattwiller';
let test: TestApp;
let now: number;

beforeEach(async () => {
  now = 1_700_000_000_000;
  test = createTestApp(
    {
      'Jardin.md': '# Jardin\n\nLes tomates se plantent à la mi-mai.',
      'Collègues.md': '# Collègues\n\nRéunion avec QUENOUILLARD lundi.',
    },
    { now: () => now },
  );
  await indexVault(test.app, test.vault);
});
afterEach(() => test.dispose());

const plan = (subject: ForgetSubject) => test.app.client.forget.plan(subject);
const group = (found: ForgetPlan, name: string) =>
  found.groups.find((one) => one.group === name)?.items ?? [];
const exported = async () => {
  const portions = [];
  for await (const portion of await test.app.client.data.export()) portions.push(portion);
  return portions;
};
const contents = async () => (await test.app.client.facts.list({})).facts.map(({ content }) => content);

describe('a plan', () => {
  it('ticks what names the topic, in whatever accents and case, and not what is merely related', async () => {
    const { client, services } = test.app;
    const { turn } = await ask(test.app, FIRST);
    await ask(test.app, 'Quand planter les tomates ?', turn.conversationId);
    const fact = await client.facts.add({ content: 'QUENOUILLARD préfère le thé' });
    await client.facts.edit({ id: fact.id, content: 'Il préfère le thé vert' });
    await services.vectors.settled();
    const found = await plan({ topic: 'quenouillard' });
    expect(
      group(found, 'facts')
        .filter((item) => item.ticked)
        .map(({ id }) => id),
    ).toContain(fact.id);
    expect(group(found, 'facts').find(({ id }) => id === fact.id)?.alongside.revisions).toBe(1);
    const turns = group(found, 'turns').filter((item) => item.ticked);
    expect(turns).toMatchObject([{ id: turn.id, reason: 'names', score: null, alongside: { traces: 2 } }]);
    expect(group(found, 'titles')).toMatchObject([{ id: turn.conversationId, ticked: true }]);
    for (const one of found.groups)
      for (const item of one.items)
        if (item.reason === 'related' || item.reason === 'taught-by') expect(item.ticked).toBe(false);
    expect(found.untouched.notes).toMatchObject([{ path: 'Collègues.md' }]);
    expect((await exported()).length).toBeGreaterThan(0);
    expect(await contents()).toContain('Il préfère le thé vert');
  });

  it('shows the words that name the topic, also far down in a long turn, and where they stand', async () => {
    const { client } = test.app;
    const long = `${'Il a plu toute la journée. '.repeat(40)}Le fils de Quenouillard passe demain. ${'Il neige. '.repeat(40)}`;
    const { turn } = await ask(test.app, long);
    await client.chat.change({ id: turn.conversationId, title: 'Pluie' });
    const [item] = group(await plan({ topic: 'QUENOUILLARDS' }), 'turns');
    expect(item?.marks.map(({ start, end }) => item.text.slice(start, end))).toEqual(['Quenouillard']);
    expect(item?.text.length).toBeLessThan(250);
    expect(item?.conversation).toBe('Pluie');
  });

  it('ticks turns that name it in a reply that is not shown, or in what a model thought aloud', async () => {
    const server = await startOpenAiServer();
    const { client } = test.app;
    await client.app.changeSettings({
      'chat.baseUrl': server.baseUrl,
      'chat.model': 'small',
      autoRetrieve: false,
    });
    server.behave({ kind: 'reply', text: 'Demandez à Quenouillard.' });
    const { turn: first } = await ask(test.app, 'Qui a la clé ?');
    server.behave({ kind: 'reply', text: 'Je ne sais pas.' });
    await lastReply(await client.chat.regenerate({ turnId: first.id }));
    server.behave({ kind: 'think', thoughts: 'Quenouillard ?', text: 'Je ne sais pas.', as: 'field' });
    const { turn: second } = await ask(test.app, 'Qui a la lampe ?', first.conversationId);
    expect(ticked(await plan({ topic: 'Quenouillard' })).turns.sort()).toEqual([first.id, second.id].sort());
    await server.close();
  });

  it('of chosen facts holds them, and offers the turns that taught them', async () => {
    const { client } = test.app;
    const { turn } = await ask(test.app, 'Souviens-toi que le portail grince');
    const other = await client.facts.add({ content: 'La cave est humide' });
    const [portal] = (await client.facts.list({ query: 'portail' })).facts;
    const found = await plan({ facts: [portal?.id ?? other.id], turns: [] });
    expect(group(found, 'facts')).toMatchObject([{ id: portal?.id, reason: 'belongs', ticked: true }]);
    expect(group(found, 'turns')).toMatchObject([{ id: turn.id, reason: 'teaches', ticked: false }]);
    const said = await plan({ facts: [], turns: [turn.id] });
    expect(group(said, 'turns')).toMatchObject([{ id: turn.id, reason: 'belongs', ticked: true }]);
    expect(group(said, 'facts')).toMatchObject([{ id: portal?.id, reason: 'belongs', ticked: true }]);
  });

  it('of a turn that was chosen lists what it only worded anew, unticked', async () => {
    await ask(test.app, 'Souviens-toi que mon frère s’est cassé l’épaule');
    const fuller = 'Souviens-toi que mon frère s’est cassé l’épaule le 10 janvier 2026 en tombant de vélo';
    const { turn } = await ask(test.app, fuller);
    const said = await plan({ facts: [], turns: [turn.id] });
    expect(group(said, 'facts')).toMatchObject([{ reason: 'taught-by', ticked: false }]);
  });

  it.each([
    'l’allergie de ma sœur',
    'my sister’s allergy',
    'l’allergie d’Élodie',
    'que ma sœur est allergique',
    'Elodie’s allergies',
  ])('« %s » ticks what facts say of that person on it, and nothing else of them', async (topic) => {
    await ask(test.app, 'Ma sœur Élodie habite à Tarbes et elle est allergique aux noix');
    await ask(test.app, 'Mon frère Hugo est allergique au pollen');
    const facts = group(await plan({ topic }), 'facts').filter((item) => item.ticked);
    expect(facts.map(({ text }) => text)).toEqual(['Élodie est allergique aux noix']);
  });

  it('of what nothing is known about a person ticks nothing', async () => {
    await ask(test.app, 'Ma sœur Élodie habite à Tarbes');
    expect(
      group(await plan({ topic: 'le métier de ma sœur' }), 'facts').filter((item) => item.ticked),
    ).toEqual([]);
  });

  it('by person counts aliases as names', async () => {
    const { client, services } = test.app;
    const fact = await client.facts.add({ content: 'Dev aime le café' });
    const named = await client.facts.add({ content: 'Mickael habite à Pau' });
    const tie = "INSERT INTO fact_people (fact_id, person, tie, value, said) VALUES (?, 'mickael', ?, ?, ?)";
    services.db.run(tie, named.id, 'name', 'mickael', 'Mickael');
    services.db.run(tie, named.id, 'alias', 'dev', 'dev');
    const found = await plan({ person: 'Mickaël' });
    expect(ticked(found).facts.sort()).toEqual([fact.id, named.id].sort());
  });

  it('of what is past ticks what was superseded and the turn that taught it, and not what holds', async () => {
    const { client } = test.app;
    const first = await ask(test.app, 'Mon frère David habite à Ordizan');
    const second = await ask(test.app, 'Mon frère David a déménagé à Toulouse');
    const { facts } = await client.facts.list({ all: true });
    const past = facts.find(({ status }) => status === 'superseded');
    const found = await plan({ topic: 'David', past: true });
    expect(ticked(found)).toEqual({ facts: [past?.id], turns: [first.turn.id], summaries: [], titles: [] });
    expect(group(found, 'turns').map(({ id }) => id)).toContain(second.turn.id);
  });

  it('names the turn that taught a fact, and where it remains if the fact alone is forgotten', async () => {
    const { client } = test.app;
    const { turn } = await ask(test.app, 'Mon frère habite à Ordizan');
    await ask(test.app, 'Mon frère s’appelle David');
    const found = await plan({ person: 'David' });
    const [fact] = turn.learnt;
    expect(ticked(found).facts).toContain(fact?.id);
    expect(group(found, 'turns').find(({ id }) => id === turn.id)).toMatchObject({
      reason: 'teaches',
      ticked: false,
      score: null,
    });
    await client.forget.apply({ ticked: { facts: ticked(found).facts } });
    expect(group(await plan({ topic: 'Ordizan' }), 'turns')).toMatchObject([{ id: turn.id, ticked: true }]);
  });

  it.each(['a', 'de la', 'le', '?'])('of a topic that says nothing, “%s”, ticks nothing', async (topic) => {
    await ask(test.app, 'Le frère de la voisine a déménagé');
    expect(ticked(await plan({ topic }))).toEqual({ facts: [], turns: [], summaries: [], titles: [] });
  });

  it('by conversation and by period holds what belongs to it', async () => {
    const { client } = test.app;
    const { turn } = await ask(test.app, FIRST);
    now += 1_000;
    const other = await ask(test.app, 'Quand planter les tomates ?');
    expect(ticked(await plan({ conversationId: turn.conversationId })).turns).toEqual([turn.id]);
    expect(ticked(await plan({ from: now, to: now + 1 })).turns).toEqual([other.turn.id]);
    await client.forget.apply({ ticked: ticked(await plan({ conversationId: turn.conversationId })) });
    expect((await client.chat.list({})).map(({ id }) => id)).toEqual([other.turn.conversationId]);
  });
});

describe('a message that asks to forget', () => {
  const read = (message: string, conversationId?: ConversationId) =>
    test.app.client.forget.read({ message, ...(conversationId ? { conversationId } : {}) });

  it('gives the subject of a plan: a topic, a person, a period, the conversation', async () => {
    const { client } = test.app;
    const { turn } = await ask(test.app, 'Mon frère David habite à Ordizan');
    expect(await read('oublie mon ancien numéro')).toEqual({
      asks: 'plan',
      subject: { topic: 'numéro', past: true },
    });
    expect(await read('forget everything about David')).toEqual({
      asks: 'plan',
      subject: { person: 'David' },
    });
    expect(await read('Oublie mon frère')).toEqual({ asks: 'plan', subject: { person: 'David' } });
    expect(await read('Oublie ce que je t’ai dit hier')).toMatchObject({
      asks: 'plan',
      subject: { from: expect.any(Number), to: expect.any(Number) },
    });
    const { conversationId } = turn;
    expect(await read('oublie cette conversation', conversationId)).toEqual({
      asks: 'plan',
      subject: { conversationId },
    });
    expect(await read('N’oublie pas que David habite à Ordizan')).toEqual({ asks: 'nothing' });
    expect((await client.chat.get({ id: conversationId })).turns).toHaveLength(1);
  });

  it('that names nothing gives the latest turns and facts of the conversation to choose from', async () => {
    const { turn } = await ask(test.app, 'Mon frère David habite à Ordizan');
    await ask(test.app, 'Je m’appelle Barnabé');
    const request = await read('Oublie ça', turn.conversationId);
    const [fact] = turn.learnt;
    expect(request).toEqual({
      asks: 'which',
      recent: [
        { group: 'turns', id: turn.id, text: 'Mon frère David habite à Ordizan', at: expect.any(Number) },
        { group: 'facts', id: fact?.id, text: 'Mon frère David habite à Ordizan', at: expect.any(Number) },
      ],
    });
    expect(await read('oublie cette conversation')).toMatchObject({ asks: 'which' });
  });
});

describe('a check', () => {
  it('names what is still found, each once', async () => {
    const { client, services } = test.app;
    const fact = await client.facts.add({ content: FIRST });
    await services.vectors.settled();
    const { found, items, untouched } = await client.forget.check({ topic: 'quenouillard' });
    expect(items).toMatchObject([{ id: fact.id, kind: 'fact', excerpt: FIRST }]);
    expect(found).toBe(1);
    expect(untouched.notes).toMatchObject([
      { path: 'Collègues.md', obsidianUrl: expect.stringMatching(/^obsidian:/) },
    ]);
  });
});

describe('forgetting', () => {
  it('takes it out of search, lists and the open conversation at once; undone, all is as it was', async () => {
    const { client, services } = test.app;
    const { turn } = await ask(test.app, FIRST);
    const { conversationId } = turn;
    const kept = await ask(test.app, 'Quand planter les tomates ?', conversationId);
    await services.vectors.settled();
    const before = await exported();
    const { at } = await client.forget.apply({ ticked: ticked(await plan({ topic: 'Quenouillard' })) });
    const { conversation, turns } = await client.chat.get({ id: conversationId });
    expect(turns.map(({ id }) => id)).toEqual([kept.turn.id]);
    expect(conversation).toMatchObject({ turns: 1, title: 'Conversation' });
    await services.vectors.settled();
    expect(await services.vectors.compare()).toEqual([]);
    expect((await client.forget.check({ topic: 'Quenouillard' })).found).toBe(0);
    expect(await client.traces.list({})).toMatchObject({ traces: [{ turnId: kept.turn.id }] });
    expect((await client.data.deleted()).deleted.length).toBeGreaterThanOrEqual(1);
    expect((await client.app.doctor({ repair: false })).findings).toEqual([]);
    expect((await client.forget.undo({ at })).restored).toBeGreaterThan(0);
    expect(await exported()).toEqual(before);
    expect((await client.data.deleted()).deleted).toEqual([]);
    await services.vectors.settled();
    expect(await services.vectors.compare()).toEqual([]);
  });

  it('keeps it from being learnt again, until the user asks for it', async () => {
    const { client } = test.app;
    await ask(test.app, 'Je m’appelle Barnabé');
    expect(await contents()).toEqual(['Je m’appelle Barnabé']);
    const before = await client.facts.list({});
    await client.forget.apply({ ticked: { facts: before.facts.map(({ id }) => id) } });
    await ask(test.app, 'Je m’appelle Barnabé');
    await ask(test.app, 'je m’appelle BARNABE');
    expect(await contents()).toEqual([]);
    await ask(test.app, 'Souviens-toi que je m’appelle Barnabé');
    expect(await contents()).toHaveLength(1);
  });

  it('with erase now leaves no byte of it, and a file that holds it brings nothing back', async () => {
    const { client, services } = test.app;
    const file = {
      conversations: [
        {
          id: 'old-talk' as ConversationId,
          channel: 'import',
          title: 'Wattwiller',
          messages: [
            { id: '1' as MessageId, role: 'user' as const, content: FIRST, createdAt: now },
            { id: '2' as MessageId, role: 'assistant' as const, content: 'Noté.', createdAt: now },
            { id: '3' as MessageId, role: 'user' as const, content: 'Et les tomates ?', createdAt: now },
          ],
        },
      ],
    };
    await client.chat.import(file);
    await client.facts.add({ content: FIRST });
    const whole = await exported();
    await services.vectors.settled();
    const found = ticked(await plan({ topic: 'Quenouillard' }));
    const place = ticked(await plan({ topic: 'Wattwiller' }));
    await client.forget.apply({ ticked: { ...found, titles: place.titles }, now: true });
    await services.jobs.settled();
    await services.vectors.settled();
    expect((await client.data.deleted()).erasing).toBe(false);
    expect(bytesLeft(test.dataDir, FIRST, { others: ['Collègues Mon collègue QUENOUILLARD'] })).toEqual([]);
    expect(await client.chat.import(file)).toMatchObject({ forgotten: 1, turns: 0, restored: 0 });
    for (const portion of whole) await client.data.import(portion);
    expect(await contents()).toEqual([]);
    expect((await client.chat.get({ id: 'old-talk' })).turns).toHaveLength(1);
    expect((await client.forget.check({ topic: 'Wattwiller' })).found).toBe(0);
  });

  it('of a whole conversation reports its tombstone on import; one that was deleted is restored', async () => {
    const { client } = test.app;
    const file = (id: string) => ({
      conversations: [
        {
          id: id as ConversationId,
          channel: 'import',
          title: '',
          messages: [{ id: '1' as MessageId, role: 'user' as const, content: FIRST, createdAt: now }],
        },
      ],
    });
    await client.chat.import(file('deleted'));
    await client.chat.import(file('forgotten'));
    await client.chat.remove({ id: 'deleted' });
    const found = await plan({ conversationId: 'forgotten' as ConversationId });
    await client.forget.apply({ ticked: ticked(found) });
    expect(await client.chat.import(file('deleted'))).toMatchObject({ restored: 1, forgotten: 0 });
    expect(await client.chat.import(file('forgotten'))).toMatchObject({ restored: 0, forgotten: 1 });
    const { deleted } = await client.data.deleted();
    await client.data.restoreDeleted({ items: deleted.map(({ what, id }) => ({ what, id })) });
    expect((await client.chat.list({})).map(({ id }) => id).sort()).toEqual(['deleted', 'forgotten']);
    expect(await client.chat.import(file('forgotten'))).toMatchObject({ forgotten: 0, unchanged: 1 });
  });

  it('of a whole conversation keeps it away when its file has grown: only what is new comes', async () => {
    const { client } = test.app;
    const id = 'grown' as ConversationId;
    const message = (number: number, content: string) => ({
      id: String(number) as MessageId,
      role: 'user' as const,
      content,
      createdAt: now + number,
    });
    const said = async (...contents: string[]) =>
      client.chat.import({
        conversations: [
          { id, channel: 'import', title: 'Travail', messages: contents.map((one, at) => message(at, one)) },
        ],
      });
    const shown = async () => {
      const { turns } = await client.chat.get({ id });
      return turns.map(({ messages }) => messages[0]?.content);
    };
    await said(FIRST);
    const { at } = await client.forget.apply({ ticked: ticked(await plan({ conversationId: id })) });
    expect(await said(FIRST, 'Il pleut')).toMatchObject({ restored: 1, turns: 1, forgotten: 1 });
    expect(await shown()).toEqual(['Il pleut']);
    await client.forget.undo({ at });
    expect(await shown()).toEqual([FIRST, 'Il pleut']);
  });

  it('of a whole conversation ends when it is brought back by itself: an import may bring its turns again', async () => {
    const { client } = test.app;
    const id = 'whole' as ConversationId;
    const messages = [{ id: '1' as MessageId, role: 'user' as const, content: FIRST, createdAt: now }];
    const said = () =>
      client.chat.import({ conversations: [{ id, channel: 'import', title: 'Travail', messages }] });
    await said();
    await client.forget.apply({ ticked: ticked(await plan({ conversationId: id })) });
    await client.chat.restore({ id });
    await client.chat.remove({ id });
    await client.data.eraseDeleted({ items: [{ what: 'conversations', id }] });
    await test.app.services.jobs.settled();
    expect(await said()).toMatchObject({ forgotten: 0, turns: 1 });
  });
});
