import { afterEach, describe, expect, it } from 'vitest';
import type { Portion } from '../../src/shared/contract/data.ts';
import type { Fact } from '../../src/shared/contract/facts.ts';
import type { ConversationId, FactId, TurnId } from '../../src/shared/ids.ts';
import { startOpenAiServer } from '../fakes/openAiServer.ts';
import { ask, createTestApp, type TestApp } from '../support/testApp.ts';

let test: TestApp;
let conversation: ConversationId | undefined;
afterEach(() => test.dispose());

const open = () => {
  test = createTestApp();
  conversation = undefined;
};

/** Says something in one conversation; returns what the turn taught. */
async function say(text: string) {
  const { turn } = await ask(test.app, text, conversation);
  conversation = turn.conversationId;
  return { turnId: turn.id, learnt: turn.learnt };
}

const all = async () => (await test.app.client.facts.list({ all: true })).facts;
const current = async () => (await test.app.client.facts.list({})).facts.map(({ content }) => content);
const named = async (content: string) => (await all()).find((fact) => fact.content === content) as Fact;
const lines = async (turnId: TurnId) =>
  (await test.app.client.chat.turns({ ids: [turnId] })).turns[0]?.learnt.map(
    ({ act, content, former, state }) => [act, content, former, state],
  );

describe('a thing that has one value at a time', () => {
  it('has one current fact and one that it superseded, and a later question is given the current one', async () => {
    const server = await startOpenAiServer();
    open();
    const { client } = test.app;
    await client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
    await say('Souviens-toi que mon frère David habite à Ordizan');
    await say('Où habite David ?');
    const sent = () => server.prompts.at(-1)?.messages.map(({ content }) => content) ?? [];
    const blocks = () =>
      sent()
        .filter((content) => content.startsWith('[Context]'))
        .join('\n');
    expect(blocks()).toContain('Ordizan');
    await say('Merci bien.');
    const { turnId, learnt } = await say('En fait David a déménagé à Toulouse');
    expect(learnt).toMatchObject([
      {
        act: 'superseded',
        content: 'David a déménagé à Toulouse',
        former: 'Mon frère David habite à Ordizan',
      },
    ]);
    await say('Où habite David ?');
    expect(sent().join('\n')).toContain('Toulouse');
    expect(blocks()).not.toContain('Ordizan');
    const older = await named('Mon frère David habite à Ordizan');
    const newer = await named('David a déménagé à Toulouse');
    expect(older).toMatchObject({ key: 'person:david.home', status: 'superseded', supersededBy: newer.id });
    expect(newer).toMatchObject({ key: 'person:david.home', status: 'current' });
    await client.facts.undoLearnt({ id: newer.id, turnId });
    expect(await current()).toEqual(['Mon frère David habite à Ordizan']);
    expect(await named('Mon frère David habite à Ordizan')).toMatchObject({ supersededBy: null });
    await server.close();
  });

  it('is cited in an answer, where what it superseded was cited before', async () => {
    open();
    await say('Souviens-toi que mon frère David habite à Ordizan');
    const asked = async () => {
      const { turn, reply } = await ask(test.app, 'Où habite David ?', conversation);
      conversation = turn.conversationId;
      return reply.citations.filter(({ kind }) => kind === 'fact').map(({ excerpt }) => excerpt);
    };
    expect(await asked()).toEqual(['Mon frère David habite à Ordizan']);
    await say('Merci');
    await say('En fait David a déménagé à Toulouse');
    expect(await asked()).toEqual(['David a déménagé à Toulouse']);
  });

  it('is given above the turn that taught what it superseded, in whatever conversation, and the trace says why', async () => {
    open();
    const { client } = test.app;
    await ask(test.app, 'Souviens-toi que mon frère David habite à Ordizan');
    await ask(test.app, 'En fait David a déménagé à Toulouse');
    const given = async (question: string) => {
      const { turn } = await ask(test.app, question);
      const trace = await client.traces.ofTurn({ turnId: turn.id });
      return trace?.items
        .filter(({ verdict }) => verdict === 'injected')
        .map(({ kind, title, reason }) => [kind, title, reason.code]);
    };
    expect(await given('Où habite David ?')).toEqual([
      ['fact', 'David a déménagé à Toulouse', 'replaces'],
      ['turn', 'Souviens-toi que mon frère David habite à Ordizan', 'outdated'],
    ]);
    expect(await given('Qui habite à Ordizan ?')).toEqual([
      ['fact', 'David a déménagé à Toulouse', 'replaces'],
      ['turn', 'Souviens-toi que mon frère David habite à Ordizan', 'outdated'],
    ]);
  });

  it('is the same thing in both languages', async () => {
    open();
    await say('J’habite à Nantes.');
    await say('I moved to Lyon.');
    expect(await current()).toEqual(['I moved to Lyon']);
    expect(await named('J’habite à Nantes')).toMatchObject({ key: 'user.home', status: 'superseded' });
  });

  it('that was forgotten and comes back is current only if nothing newer took its place', async () => {
    open();
    const { client } = test.app;
    await say('J’habite à Nantes.');
    const nantes = await named('J’habite à Nantes');
    await client.facts.remove({ ids: [nantes.id] });
    await say('J’habite à Lyon.');
    await client.facts.restore({ ids: [nantes.id] });
    const lyon = await named('J’habite à Lyon');
    expect(await current()).toEqual(['J’habite à Lyon']);
    expect(await named('J’habite à Nantes')).toMatchObject({ status: 'superseded', supersededBy: lyon.id });
    await client.facts.remove({ ids: [lyon.id] });
    await client.facts.restore({ ids: [lyon.id] });
    expect(await current()).toEqual(['J’habite à Lyon']);
  });
});

describe('a fuller wording', () => {
  it('is current, and the shorter one is a revision', async () => {
    open();
    await say('Souviens-toi que mon frère s’est cassé l’épaule');
    const { turnId, learnt } = await say(
      'Souviens-toi que mon frère s’est cassé l’épaule le 10 janvier 2026 en tombant de vélo',
    );
    const facts = await all();
    expect(facts).toMatchObject([
      {
        content: 'Mon frère s’est cassé l’épaule le 10 janvier 2026 en tombant de vélo',
        status: 'current',
        revisions: [{ content: 'Mon frère s’est cassé l’épaule' }],
      },
    ]);
    expect(learnt).toMatchObject([
      { act: 'changed', former: 'Mon frère s’est cassé l’épaule', state: 'current' },
    ]);
    const undone = await test.app.client.facts.undoLearnt({ id: facts[0]?.id as FactId, turnId });
    expect(undone).toMatchObject({ content: 'Mon frère s’est cassé l’épaule', status: 'current' });
    expect(await lines(turnId)).toEqual([]);
  });

  it('without the word that asks for it too', async () => {
    open();
    await say('Il s’est cassé l’épaule.');
    await say('Il s’est cassé l’épaule le 10 janvier 2026 en tombant de vélo.');
    expect(await all()).toMatchObject([
      {
        content: 'Il s’est cassé l’épaule le 10 janvier 2026 en tombant de vélo',
        revisions: [{ content: 'Il s’est cassé l’épaule' }],
      },
    ]);
  });

  it('where only the first is asked to be remembered', async () => {
    open();
    await say('Souviens-toi qu’il s’est cassé l’épaule');
    await say('Il s’est cassé l’épaule le 10 janvier 2026 en tombant de vélo');
    expect(await all()).toMatchObject([{ revisions: [{ content: 'Il s’est cassé l’épaule' }] }]);
  });

  it('is undone no more once it has been superseded', async () => {
    open();
    const { client } = test.app;
    const first = await say('J’habite à Nantes.');
    const second = await say('J’habite à Nantes depuis 2019.');
    const third = await say('J’ai déménagé à Lyon.');
    expect(await lines(second.turnId)).toEqual([
      ['changed', 'J’habite à Nantes depuis 2019', 'J’habite à Nantes', 'changed'],
    ]);
    const id = second.learnt[0]?.id as FactId;
    for (const { turnId } of [first, second])
      await expect(client.facts.undoLearnt({ id, turnId })).rejects.toMatchObject({ code: 'FACT_CHANGED' });
    await client.facts.undoLearnt({ id: third.learnt[0]?.id as FactId, turnId: third.turnId });
    expect(await current()).toEqual(['J’habite à Nantes depuis 2019']);
    await client.facts.undoLearnt({ id, turnId: second.turnId });
    expect(await current()).toEqual(['J’habite à Nantes']);
  });
});

describe('people', () => {
  it('of one kinship and two names share no key', async () => {
    open();
    await say('Mon frère Yann habite à Quimper.');
    await say('Mon frère Luc habite à Lorient.');
    expect((await all()).map(({ key, status }) => [key, status])).toEqual([
      ['person:luc.home', 'current'],
      ['person:yann.home', 'current'],
    ]);
  });

  it('of whom one has many do not take one another’s place', async () => {
    open();
    await say('Mon ami s’appelle Paul.');
    await say('Mon ami s’appelle Luc.');
    expect(await current()).toEqual(['Mon ami s’appelle Luc', 'Mon ami s’appelle Paul']);
  });

  it('are found by kinship where there is one only', async () => {
    open();
    await say('Mon frère David habite à Ordizan.');
    await say('My brother lives in Toulouse.');
    expect(await named('My brother lives in Toulouse')).toMatchObject({ key: 'person:david.home' });
    expect(await current()).toEqual(['My brother lives in Toulouse']);
  });

  it('whose name comes later are the same people, until what said so is undone', async () => {
    open();
    const { client } = test.app;
    await say('Mon frère habite à Ordizan.');
    expect((await all())[0]?.key).toBe('person:brother.home');
    const { turnId, learnt } = await say('Mon frère David travaille chez Airbus.');
    expect((await all()).map(({ key }) => key)).toEqual(['person:david.employer', 'person:david.home']);
    await client.facts.undoLearnt({ id: learnt[0]?.id as FactId, turnId });
    expect((await named('Mon frère habite à Ordizan')).key).toBe('person:brother.home');
  });

  it('are known by their aliases', async () => {
    open();
    await say('Mon collègue Mickael habite à Albi.');
    const { learnt } = await say('dev s’appelle en réalité Mickael');
    expect(learnt).toMatchObject([{ act: 'alias' }]);
    await say('Dev habite à Tarbes.');
    expect((await all()).find(({ content }) => content.includes('Tarbes'))).toMatchObject({
      key: 'person:mickael.home',
      status: 'current',
    });
    expect(await named('Mon collègue Mickael habite à Albi')).toMatchObject({ status: 'superseded' });
  });
});

describe('two people whom a turn told to be one', () => {
  const homes = async () =>
    (await all())
      .filter(({ key }) => key?.endsWith('.home'))
      .sort((one, other) => (one.content < other.content ? -1 : 1))
      .map(({ content, key, status }) => [content, key, status]);
  const apart = [
    ['Mon ami Dev habite à Tarbes', 'person:dev.home', 'current'],
    ['Mon collègue Mickael habite à Albi', 'person:mickael.home', 'current'],
  ];

  it('are two again once that is undone, whatever else of the turn was undone before', async () => {
    open();
    const { client } = test.app;
    await say('Mon collègue Mickael habite à Albi.');
    await say('Mon ami Dev habite à Tarbes.');
    expect(await homes()).toEqual(apart);
    const { turnId, learnt } = await say('dev s’appelle en réalité Mickael. J’adore le thé.');
    expect(await homes()).toEqual([
      ['Mon ami Dev habite à Tarbes', 'person:mickael.home', 'current'],
      ['Mon collègue Mickael habite à Albi', 'person:mickael.home', 'superseded'],
    ]);
    for (const { id } of [...learnt].sort(({ act }) => (act === 'alias' ? 1 : -1)))
      await client.facts.undoLearnt({ id, turnId });
    expect(await homes()).toEqual(apart);
  });

  it('are two again once that is undone, whatever was learnt of the one since', async () => {
    open();
    await say('Mon collègue Mickael habite à Albi.');
    await say('Mon ami Dev habite à Tarbes.');
    const { turnId, learnt } = await say('dev s’appelle en réalité Mickael.');
    await say('Mickael a déménagé à Nantes.');
    await test.app.client.facts.undoLearnt({ id: learnt[0]?.id as FactId, turnId });
    expect(await homes()).toEqual([
      ['Mickael a déménagé à Nantes', 'person:mickael.home', 'current'],
      ['Mon ami Dev habite à Tarbes', 'person:dev.home', 'current'],
      ['Mon collègue Mickael habite à Albi', 'person:mickael.home', 'superseded'],
    ]);
  });
});

it('what contradicts another stays beside it, for review', async () => {
  open();
  await say('Mon fils Hugo est allergique aux noix.');
  await say('Hugo n’est pas allergique aux noix.');
  const facts = await all();
  expect(facts.map(({ status }) => status)).toEqual(['current', 'current']);
  expect(facts[0]?.contradicts).toEqual([facts[1]?.id]);
  expect(facts[1]?.contradicts).toEqual([facts[0]?.id]);
});

it('an export holds all of it, and an import gives an equal export', async () => {
  const portions = async () => {
    const found: Portion[] = [];
    for await (const portion of await test.app.client.data.export()) found.push(portion);
    return found;
  };
  open();
  await say('Mon frère habite à Ordizan.');
  await say('Mon frère David travaille chez Airbus.');
  await say('J’habite à Nantes.');
  await say('J’habite à Nantes depuis 2019.');
  await say('J’ai déménagé à Lyon.');
  const exported = await portions();
  const shown = await all();
  await test.dispose();
  open();
  for (const portion of exported) if (portion.kind !== 'jobs') await test.app.client.data.import(portion);
  const factsOf = (some: readonly Portion[]) => some.filter(({ kind }) => kind === 'facts');
  expect(factsOf(await portions())).toEqual(factsOf(exported));
  expect(
    (await all()).map(({ content, key, status, supersededBy }) => [content, key, status, supersededBy]),
  ).toEqual(shown.map(({ content, key, status, supersededBy }) => [content, key, status, supersededBy]));
  await say('David habite à Toulouse.');
  expect(await current()).not.toContain('Mon frère habite à Ordizan');
});

it('a list is of one subject, or of somebody by name, alias or kinship, and of some states', async () => {
  open();
  const { client } = test.app;
  await say('Mon frère David habite à Ordizan.');
  await say('En fait David a déménagé à Toulouse.');
  await say('Ma sœur Anne habite à Brest.');
  const listed = async (query: Parameters<typeof client.facts.list>[0]) =>
    (await client.facts.list(query)).facts.map(({ content }) => content);
  for (const subject of ['david', 'brother', 'Toulouse'])
    expect(await listed({ subject })).toEqual(['David a déménagé à Toulouse']);
  expect(await listed({ statuses: ['superseded'] })).toEqual(['Mon frère David habite à Ordizan']);
  expect(await listed({ subject: 'personne' })).toEqual([]);
  const newer = await named('David a déménagé à Toulouse');
  const { facts } = await client.facts.history({ id: newer.id });
  expect(facts.map(({ content }) => content)).toEqual([
    'Mon frère David habite à Ordizan',
    'David a déménagé à Toulouse',
  ]);
  expect((await client.facts.aliases()).people).toEqual([
    { person: 'anne', names: ['Anne'], kinships: ['sister'] },
    { person: 'david', names: ['David'], kinships: ['brother'] },
  ]);
});

it.each(['1h', '36h', '1d', '7d', '2w', '30d', null])('a time to live may be %s', async (ttl) => {
  open();
  const { expiresAt, createdAt } = await test.app.client.facts.add({ content: 'Le parking est fermé', ttl });
  expect(expiresAt === null).toBe(ttl === null);
  if (expiresAt !== null) expect((expiresAt - createdAt) % 3_600_000).toBe(0);
});

it.each(['', '0d', '1', 'd', '1m', '1.5h', '-1d', '1 d', 'tomorrow'])(
  'a time to live is not %j',
  async (ttl) => {
    open();
    await expect(test.app.client.facts.add({ content: 'Le parking est fermé', ttl })).rejects.toThrow(
      /number of hours, days or weeks/,
    );
  },
);
