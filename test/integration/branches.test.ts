import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConversationId, FactId, TurnId } from '../../src/shared/ids.ts';
import { ask, createTestApp, lastReply, storedVector, type TestApp } from '../support/testApp.ts';

let test: TestApp;
let id: ConversationId;
let said: Record<string, TurnId>;

const FIRST = 'Qui a vu le rucher au fond du verger ?';
const SECOND = 'La miellerie sent la cire.';
const THIRD = 'Un essaim est parti hier.';

/** What is shown of the conversation. */
async function shown(): Promise<string[]> {
  const { turns } = await test.app.client.chat.get({ id });
  return turns.map(({ messages }) => messages[0]?.content ?? '');
}

/** How many turns a word finds. */
async function found(word: string): Promise<number> {
  const { results } = await test.app.client.retrieval.search({ text: word, mode: 'text', kinds: ['turn'] });
  return results.length;
}

async function hasVector(turn: TurnId): Promise<boolean> {
  await test.app.services.vectors.settled();
  return (await storedVector(test.app, { kind: 'turn', id: turn })) !== null;
}

const regenerate = async (turnId: TurnId) => lastReply(await test.app.client.chat.regenerate({ turnId }));

async function exported() {
  const portions = [];
  for await (const portion of await test.app.client.data.export()) portions.push(portion);
  return portions;
}

beforeEach(async () => {
  test = createTestApp();
  said = {};
  for (const text of [FIRST, SECOND, THIRD]) {
    const { turn } = await ask(test.app, text, id === undefined ? undefined : id);
    id = turn.conversationId;
    said[text] = turn.id;
  }
});
afterEach(async () => {
  id = undefined as unknown as ConversationId;
  await test.dispose();
});

describe('another version of an earlier reply', () => {
  it('begins a branch: what was said after the former one is not shown, listed, found or embedded, until that is chosen', async () => {
    const { client, services } = test.app;
    const changes = services.conversations.pathChanges(id);
    await regenerate(said[FIRST] as TurnId);
    expect(await shown()).toEqual([FIRST]);
    expect((await client.chat.list({}))[0]).toMatchObject({ turns: 1 });
    expect(services.conversations.activeTurns(id).map((turn) => turn.id)).toEqual([said[FIRST]]);
    expect(services.conversations.pathChanges(id)).toBe(changes + 1);
    expect([await found('rucher'), await found('essaim')]).toEqual([1, 0]);
    expect(await client.chat.list({ query: 'essaim' })).toEqual([]);
    expect([await hasVector(said[FIRST] as TurnId), await hasVector(said[THIRD] as TurnId)]).toEqual([
      true,
      false,
    ]);

    await client.chat.chooseVersion({ turnId: said[FIRST] as TurnId, version: 1 });
    expect(await shown()).toEqual([FIRST, SECOND, THIRD]);
    expect(await found('essaim')).toBe(1);
    expect(await hasVector(said[THIRD] as TurnId)).toBe(true);
    expect((await client.app.doctor({})).findings).toEqual([]);
  });

  it('goes on by itself, and each branch keeps what was said on it', async () => {
    const { client } = test.app;
    await regenerate(said[FIRST] as TurnId);
    await ask(test.app, 'Le miel est clair.', id);
    expect(await shown()).toEqual([FIRST, 'Le miel est clair.']);
    await client.chat.chooseVersion({ turnId: said[FIRST] as TurnId, version: 1 });
    expect(await shown()).toEqual([FIRST, SECOND, THIRD]);
    await client.chat.chooseVersion({ turnId: said[FIRST] as TurnId, version: 2 });
    expect(await shown()).toEqual([FIRST, 'Le miel est clair.']);
  });

  it('of a turn on another branch shows that branch', async () => {
    await regenerate(said[FIRST] as TurnId);
    await regenerate(said[SECOND] as TurnId);
    expect(await shown()).toEqual([FIRST, SECOND]);
  });
});

const edit = async (turnId: TurnId, text: string) =>
  lastReply(await test.app.client.chat.edit({ turnId, text }));

const known = async () => (await test.app.client.facts.list({})).facts.map(({ content }) => content).sort();

describe('an edited message', () => {
  it('stands in the place of the former one, which stays beside it with everything said after it', async () => {
    const { client } = test.app;
    const { turn } = await edit(said[SECOND] as TurnId, 'La miellerie sent bon.');
    expect(turn).toMatchObject({ isActive: true, siblings: [said[SECOND], turn.id] });
    expect(await shown()).toEqual([FIRST, 'La miellerie sent bon.']);
    expect([await found('cire'), await found('essaim')]).toEqual([0, 0]);
    await ask(test.app, 'Le miel est clair.', id);

    const former = await client.chat.showBranch({ turnId: said[SECOND] as TurnId });
    expect(former).toMatchObject({ isActive: true, siblings: [said[SECOND], turn.id] });
    expect(await shown()).toEqual([FIRST, SECOND, THIRD]);
    await client.chat.showBranch({ turnId: turn.id });
    expect(await shown()).toEqual([FIRST, 'La miellerie sent bon.', 'Le miel est clair.']);
    expect((await client.app.doctor({})).findings).toEqual([]);
  });

  it('may be the first one, and be edited again', async () => {
    const { turn } = await edit(said[FIRST] as TurnId, 'Le rucher est près du puits.');
    const again = await edit(turn.id, 'Le rucher est près du four.');
    expect(again.turn.siblings).toEqual([said[FIRST], turn.id, again.turn.id]);
    expect(await shown()).toEqual(['Le rucher est près du four.']);
    const { groups } = await test.app.client.forget.plan({ topic: 'puits' });
    expect(groups.flatMap(({ items }) => items.map((item) => item.id))).toEqual([turn.id]);
  });

  it('of another branch shows that branch', async () => {
    await regenerate(said[FIRST] as TurnId);
    await edit(said[THIRD] as TurnId, 'Un essaim est revenu.');
    expect(await shown()).toEqual([FIRST, SECOND, 'Un essaim est revenu.']);
  });

  it('is refused while a turn of the conversation is answered, as is showing another', async () => {
    const { services, client } = test.app;
    const held = Promise.withResolvers<never>();
    const { answerer } = services;
    const answer = answerer.answer.bind(answerer);
    answerer.answer = async (...args) => {
      args[2].addEventListener('abort', () => held.reject(new Error('stopped')));
      return held.promise.catch(() => answer(...args));
    };
    const events = await client.chat.runTurn({ text: 'Et encore', conversationId: id });
    const sent = await events.next();
    if (sent.done || sent.value.type !== 'accepted') throw new Error('it was not accepted');
    const turnId = said[FIRST] as TurnId;
    const refused = { code: 'TURN_IN_PROGRESS' };
    await expect(client.chat.edit({ turnId, text: 'Non' })).rejects.toMatchObject(refused);
    await expect(client.chat.showBranch({ turnId })).rejects.toMatchObject(refused);
    await expect(client.chat.chooseVersion({ turnId, version: 1 })).rejects.toMatchObject(refused);
    await client.chat.stop({ turnId: sent.value.turn.id });
    for await (const _ of events);
    expect(await shown()).toEqual([FIRST, SECOND, THIRD, 'Et encore']);
  });
});

describe('what only a former wording of a message said', () => {
  it('is not known while another is shown, and is known again with it', async () => {
    const { client } = test.app;
    const { turn: home } = await ask(test.app, 'J’habite à Ordizan.', id);
    await ask(test.app, 'Ma sœur habite à Brest.', id);
    const { turn: moved } = await edit(home.id, 'J’habite à Tarbes.');
    // What was said after it is not said less for that.
    expect(await known()).toEqual(['J’habite à Tarbes', 'Ma sœur habite à Brest']);
    const { facts } = await client.facts.list({ all: true });
    expect(facts.find(({ content }) => content.includes('Ordizan'))).toMatchObject({ status: 'unsaid' });
    const { results } = await client.retrieval.search({ text: 'Ordizan', mode: 'text' });
    expect(results).toEqual([]);

    await client.chat.showBranch({ turnId: home.id });
    expect(await known()).toEqual(['J’habite à Ordizan', 'Ma sœur habite à Brest']);
    await client.chat.showBranch({ turnId: moved.id });
    expect(await known()).toEqual(['J’habite à Tarbes', 'Ma sœur habite à Brest']);
    expect((await client.app.doctor({})).findings).toEqual([]);
  });

  it('gives way to what it had superseded', async () => {
    const { client } = test.app;
    await ask(test.app, 'J’habite à Ordizan.');
    const { turn } = await ask(test.app, 'J’habite à Tarbes.', id);
    expect(await known()).toEqual(['J’habite à Tarbes']);
    const { turn: edited } = await edit(turn.id, 'Quel temps fait-il à Tarbes ?');
    expect(await known()).toEqual(['J’habite à Ordizan']);
    expect((await client.facts.list({})).facts[0]).toMatchObject({ status: 'current', supersededBy: null });
    await client.chat.showBranch({ turnId: turn.id });
    expect(await known()).toEqual(['J’habite à Tarbes']);
    await client.chat.showBranch({ turnId: edited.id });
    expect(await known()).toEqual(['J’habite à Ordizan']);
  });

  it('stays known if it was also said elsewhere, or the user worded it', async () => {
    const { client } = test.app;
    const { turn } = await ask(test.app, 'J’habite à Ordizan.', id);
    await ask(test.app, 'J’habite à Ordizan.');
    await edit(turn.id, 'Bonjour.');
    expect(await known()).toEqual(['J’habite à Ordizan']);

    const { turn: other } = await ask(test.app, 'Ma sœur habite à Brest.', id);
    const { facts } = await client.facts.list({ query: 'Brest' });
    await client.facts.edit({ id: facts[0]?.id as FactId, content: 'Ma sœur habite près de Brest' });
    await edit(other.id, 'Bonsoir.');
    expect(await known()).toEqual(['J’habite à Ordizan', 'Ma sœur habite près de Brest']);
  });

  it('is exported and imported as such', async () => {
    const { turn } = await ask(test.app, 'J’habite à Ordizan.', id);
    await ask(test.app, 'J’habite à Ordizan.', id);
    await edit(turn.id, 'J’habite à Tarbes.');
    const portions = await exported();
    await test.dispose();
    test = createTestApp();
    for (const portion of portions) await test.app.client.data.import(portion);
    expect(await exported()).toEqual(portions);
    await test.app.client.chat.showBranch({ turnId: turn.id });
    expect(await known()).toEqual(['J’habite à Ordizan']);
  });
});

describe('a turn that is forgotten', () => {
  it('leaves what was said after it, and comes back to its place, whatever was said meanwhile', async () => {
    const { client } = test.app;
    const { at } = await client.forget.apply({ ticked: { turns: [said[SECOND] as TurnId] } });
    const later = await client.forget.apply({ ticked: { turns: [said[THIRD] as TurnId] } });
    expect(await shown()).toEqual([FIRST]);
    await ask(test.app, 'Le miel est clair.', id);
    await client.forget.undo({ at });
    expect(await shown()).toEqual([FIRST, SECOND, 'Le miel est clair.']);
    await client.forget.undo({ at: later.at });
    expect(await shown()).toEqual([FIRST, SECOND, THIRD, 'Le miel est clair.']);
  });

  it('is found by a plan on whatever branch it is, and erased without what was said after it', async () => {
    const { client, services } = test.app;
    await regenerate(said[FIRST] as TurnId);
    const { groups } = await client.forget.plan({ topic: 'miellerie' });
    expect(groups.flatMap(({ items }) => items.map((item) => item.id))).toEqual([said[SECOND]]);
    await client.forget.apply({ ticked: { turns: [said[SECOND] as TurnId] }, now: true });
    await services.jobs.settled();
    expect(services.conversations.turn(said[SECOND] as TurnId)).toBeUndefined();
    expect(await shown()).toEqual([FIRST]);
    await client.chat.chooseVersion({ turnId: said[FIRST] as TurnId, version: 1 });
    expect(await shown()).toEqual([FIRST, THIRD]);
  });
});

describe('an export', () => {
  it('holds every branch, and says which is shown', async () => {
    const { client } = test.app;
    await regenerate(said[FIRST] as TurnId);
    await ask(test.app, 'Le miel est clair.', id);
    await client.chat.chooseVersion({ turnId: said[FIRST] as TurnId, version: 1 });
    const portions = await exported();
    await test.dispose();
    test = createTestApp();
    for (const portion of portions) await test.app.client.data.import(portion);
    expect(await shown()).toEqual([FIRST, SECOND, THIRD]);
    expect(await exported()).toEqual(portions);
    expect(await found('clair')).toBe(0);
    await test.app.client.chat.chooseVersion({ turnId: said[FIRST] as TurnId, version: 2 });
    expect(await shown()).toEqual([FIRST, 'Le miel est clair.']);
  });

  it('of before there were branches is one path', async () => {
    const portions = (await exported()).map((portion) => ({
      ...portion,
      rows: portion.rows.map((row) =>
        Array.isArray(row.turns)
          ? {
              ...row,
              turns: row.turns.map(({ parent_id: _, parent_version: __, picked: ___, ...turn }) => turn),
            }
          : row,
      ),
    }));
    await test.dispose();
    test = createTestApp();
    for (const portion of portions) await test.app.client.data.import(portion);
    expect(await shown()).toEqual([FIRST, SECOND, THIRD]);
  });
});
