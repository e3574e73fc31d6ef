import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { restoreBackup } from '../../src/core/app.ts';
import { appendDeletions, readDeletions } from '../../src/core/storage/deletionList.ts';
import type { TurnEvent } from '../../src/shared/contract/chat.ts';
import type { ForgetSubject } from '../../src/shared/contract/forget.ts';
import type { ConversationId, MessageId, TurnId } from '../../src/shared/ids.ts';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { ask, createTestApp, openTestCore, type TestApp, until } from '../support/testApp.ts';
import { tickedOf } from '../support/ticked.ts';

const SECRET = 'Mon collègue Quenouillard habite à Wattwiller';
const OTHER = 'Quand planter les tomates ?';
const DAY = 86_400_000;
let test: TestApp;
let now: number;

beforeEach(() => {
  now = 1_700_000_000_000;
  test = createTestApp({}, { now: () => now });
});
afterEach(() => test.dispose());

const plan = (subject: ForgetSubject) => test.app.client.forget.plan(subject);
const forgetAll = async (subject: ForgetSubject, isNow = false) => {
  now += 1_000;
  return test.app.client.forget.apply({ ticked: tickedOf(await plan(subject)), now: isNow });
};
const exported = async () => {
  const portions = [];
  for await (const portion of await test.app.client.data.export()) portions.push(portion);
  return portions;
};
const titles = async () => (await test.app.client.chat.list({})).map(({ title }) => title);
/** What is in use; traces keep what they were given until it is erased. */
const said = async () =>
  JSON.stringify((await exported()).filter(({ kind }) => kind !== 'memory_retrievals'));
const talk = (content: string, id = 'talk') => ({
  conversations: [
    {
      id: id as ConversationId,
      channel: 'import',
      title: id === 'talk' ? 'Quenouillard et moi' : id,
      messages: [
        { id: `${id} 1` as MessageId, role: 'user' as const, content, createdAt: now },
        { id: `${id} 2` as MessageId, role: 'user' as const, content: OTHER, createdAt: now },
      ],
    },
  ],
});

/** A conversation of which one turn is to be forgotten, another one, facts with wordings and people. */
async function tell(): Promise<ConversationId> {
  const { client, services } = test.app;
  const { turn } = await ask(test.app, SECRET);
  now += 1_000;
  await ask(test.app, OTHER, turn.conversationId);
  now += 1_000;
  await ask(test.app, 'En fait, Quenouillard a déménagé à Cernay', turn.conversationId);
  now += 1_000;
  await ask(test.app, 'Où habite Quenouillard ?');
  const fact = await client.facts.add({ content: 'Il aime le thé', subjects: ['Quenouillard'] });
  await client.facts.edit({ id: fact.id, content: 'Il aime le thé vert' });
  await services.vectors.settled();
  return turn.conversationId;
}

describe('undoing brings back all that was there, forgotten', () => {
  it.each(['topic', 'person', 'conversation', 'period'])('by %s', async (kind) => {
    const start = now;
    const conversationId = await tell();
    const subjects: Record<string, ForgetSubject> = {
      topic: { topic: 'Quenouillard' },
      person: { person: 'Quenouillard' },
      conversation: { conversationId },
      period: { from: start, to: start + 1_500 },
    };
    const before = await exported();
    const { at, forgotten } = await forgetAll(subjects[kind] as ForgetSubject);
    expect(forgotten).toBeGreaterThan(0);
    expect(await exported()).not.toEqual(before);
    await test.app.client.forget.undo({ at });
    expect(await exported()).toEqual(before);
    await test.app.services.vectors.settled();
    expect(await test.app.services.vectors.compare()).toEqual([]);
    expect((await test.app.client.app.doctor({ repair: false })).findings).toEqual([]);
  });

  it('of a turn whose conversation was renamed meanwhile, which is found by the present title alone', async () => {
    const { client } = test.app;
    const { turn } = await ask(test.app, 'Quand tailler le rosier ?');
    const other = await ask(test.app, OTHER, turn.conversationId);
    const { at } = await client.forget.apply({ ticked: { turns: [other.turn.id] } });
    await client.chat.change({ id: turn.conversationId, title: 'Potager' });
    await client.forget.undo({ at });
    const found = async (text: string) =>
      (await client.retrieval.search({ text, mode: 'text', kinds: ['turn'] })).results.map(({ id }) => id);
    expect((await found('potager')).sort()).toEqual([turn.id, other.turn.id].sort());
    expect(await found('rosier')).toEqual([turn.id]);
  });

  it('twice at once is forgotten once', async () => {
    await tell();
    const before = await exported();
    const ticked = tickedOf(await plan({ topic: 'Quenouillard' }));
    const [one, other] = await Promise.all([
      test.app.client.forget.apply({ ticked }),
      test.app.client.forget.apply({ ticked }),
    ]);
    expect(one?.forgotten).toBeGreaterThan(0);
    expect(other?.forgotten).toBe(0);
    await test.app.client.forget.undo({ at: one?.at });
    expect(await exported()).toEqual(before);
  });
});

describe('an old backup', () => {
  it('brings nothing back that was forgotten since, and what can be restored still can', async () => {
    const { client } = test.app;
    await tell();
    const { path } = await client.data.backUp({});
    const { at } = await forgetAll({ topic: 'Quenouillard' });
    await client.data.restore({ path });
    expect(await said()).not.toContain('Quenouillard');
    expect(await titles()).toEqual(['Conversation']);
    await ask(test.app, SECRET);
    expect((await client.facts.list({})).facts).toEqual([]);
    await client.forget.undo({ at });
    expect(await said()).toContain('Quenouillard a déménagé');
    expect(await titles()).toContain(SECRET);
  });

  it('keeps what was deleted twice for as long as after the second time', async () => {
    const { client } = test.app;
    const { id } = await client.facts.add({ content: SECRET });
    await client.facts.remove({ ids: [id] });
    const { path } = await client.data.backUp({});
    await client.facts.restore({ ids: [id] });
    now += 20 * DAY;
    await client.facts.remove({ ids: [id] });
    const deletedAt = now;
    await client.data.restore({ path });
    now += 20 * DAY;
    await test.app.services.jobs.settled();
    expect((await client.data.deleted()).deleted).toMatchObject([{ id, deletedAt }]);
    await client.facts.restore({ ids: [id] });
    expect((await client.facts.list({})).facts.map(({ content }) => content)).toEqual([SECRET]);
  });

  it('keeps what was forgotten once more, while it was deleted, for as long as after the second time', async () => {
    const { client } = test.app;
    const { id } = await client.facts.add({ content: SECRET });
    const { path } = await client.data.backUp({});
    await client.facts.remove({ ids: [id] });
    now += 20 * DAY;
    await client.facts.remove({ ids: [id] });
    const deletedAt = now;
    expect((await client.data.deleted()).deleted).toMatchObject([{ id, deletedAt }]);
    await client.data.restore({ path });
    now += 20 * DAY;
    await test.app.services.jobs.settled();
    expect((await client.data.deleted()).deleted).toMatchObject([{ id, deletedAt }]);
  });

  it('does not bring back what was erased, not even to be restored', async () => {
    const { client, services } = test.app;
    await tell();
    const { path } = await client.data.backUp({});
    await forgetAll({ topic: 'Quenouillard' }, true);
    await services.jobs.settled();
    await client.data.restore({ path });
    await test.app.services.jobs.settled();
    expect((await client.data.deleted()).deleted).toEqual([]);
    expect(await said()).not.toContain('Quenouillard');
    expect((await client.forget.check({ topic: 'Quenouillard' })).found).toBe(0);
  });

  it('restored after an older one lets all be restored that could be, and nothing that was erased', async () => {
    const { client } = test.app;
    const empty = await client.data.backUp({});
    await client.chat.import(talk(SECRET));
    await client.chat.import(talk(OTHER, 'story'));
    await client.chat.import(talk(OTHER, 'erased'));
    const kept = await client.facts.add({ content: SECRET });
    const back = await client.facts.add({ content: OTHER });
    const erased = await client.facts.add({ content: 'Il aime le café' });
    await client.facts.remove({ ids: [back.id] });
    const { path } = await client.data.backUp({});
    await client.facts.restore({ ids: [back.id] });
    await client.facts.remove({ ids: [kept.id, erased.id] });
    await client.chat.remove({ id: 'story' });
    await client.chat.remove({ id: 'erased' });
    await client.data.eraseDeleted({
      items: [
        { what: 'facts', id: erased.id },
        { what: 'conversations', id: 'erased' },
      ],
    });
    const { at } = await forgetAll({ topic: 'Quenouillard' });
    await client.data.restore({ path: empty.path });
    await test.app.services.jobs.settled();
    await client.data.restore({ path });
    await test.app.services.jobs.settled();

    const deleted = (await client.data.deleted()).deleted;
    expect(deleted.map(({ name }) => name).sort()).toEqual([OTHER, SECRET, SECRET, 'story'].sort());
    expect(await said()).not.toContain('Quenouillard');
    await client.forget.undo({ at });
    expect(await said()).toContain('Quenouillard');
    expect(await titles()).toEqual(['Quenouillard et moi']);
    await client.data.restoreDeleted({
      items: (await client.data.deleted()).deleted.map(({ what, id }) => ({ what, id })),
    });
    expect((await titles()).sort()).toEqual(['Quenouillard et moi', 'story']);
    const { facts } = await client.facts.list({});
    expect(facts.map(({ id }) => id).sort()).toEqual([kept.id, back.id].sort());
  });

  it('brings no turn back with its conversation that was forgotten alone since', async () => {
    const { client } = test.app;
    const { turn } = await ask(test.app, SECRET);
    const other = await ask(test.app, OTHER, turn.conversationId);
    const { conversationId: id } = turn;
    await client.chat.remove({ id });
    const { path } = await client.data.backUp({});
    await client.chat.restore({ id });
    now += 1_000;
    const { at } = await client.forget.apply({ ticked: { turns: [turn.id] } });
    await client.data.restore({ path });
    await client.chat.restore({ id });
    const turns = async () => (await client.chat.get({ id })).turns.map((one) => one.id);
    expect(await turns()).toEqual([other.turn.id]);
    await client.forget.undo({ at });
    expect(await turns()).toEqual([turn.id, other.turn.id]);
  });

  it('brings no title back with its conversation that was forgotten since', async () => {
    const { client } = test.app;
    await client.chat.import(talk(OTHER));
    await client.chat.remove({ id: 'talk' });
    const { path } = await client.data.backUp({});
    await client.chat.restore({ id: 'talk' });
    const { at } = await forgetAll({ topic: 'Quenouillard' });
    await client.data.restore({ path });
    await client.chat.restore({ id: 'talk' });
    expect(await titles()).toEqual(['Conversation']);
    await client.forget.undo({ at });
    expect(await titles()).toEqual(['Quenouillard et moi']);
  });

  it('does not bring back what was erased after a restore that did not come about', async () => {
    const { id } = await test.app.client.facts.add({ content: SECRET });
    const { path } = await test.app.client.data.backUp({});
    await test.app.client.facts.remove({ ids: [id] });
    await test.app.close();
    // A restore says what goes away before it replaces the database.
    const away = readDeletions(test.dataDir).map((one) => ({ ...one, isAway: true, isDeleted: true }));
    expect(away).toHaveLength(1);
    appendDeletions(test.dataDir, away);
    test.app = openTestCore(test.dataDir, { clock: { now: () => now } });
    await test.app.client.data.eraseDeleted({ items: [{ what: 'facts', id }] });
    await test.app.client.data.restore({ path });
    await test.app.services.jobs.settled();
    expect((await test.app.client.facts.list({ all: true })).facts).toEqual([]);
  });

  it('brings nothing back where the database is gone', async () => {
    const { client } = test.app;
    await client.chat.import(talk(SECRET));
    const { path } = await client.data.backUp({});
    await forgetAll({ topic: 'Quenouillard' });
    await test.app.close();
    rmSync(join(test.dataDir, 'souvenir.sqlite'));
    restoreBackup(test.dataDir, path);
    test.app = openTestCore(test.dataDir, { clock: { now: () => now } });
    expect((await test.app.client.chat.get({ id: 'talk' })).turns).toHaveLength(1);
    expect(await test.app.client.chat.import(talk(SECRET))).toMatchObject({ forgotten: 1, turns: 0 });
  });
});

describe('an import', () => {
  it('says how much was left out because it was forgotten', async () => {
    const { client, services } = test.app;
    await client.chat.import(talk(SECRET));
    const fact = await client.facts.add({ content: SECRET });
    const whole = await exported();
    await forgetAll({ topic: 'Quenouillard' }, true);
    await services.jobs.settled();
    const reports: Record<string, unknown> = {};
    for (const portion of whole) reports[portion.kind] = await client.data.import(portion);
    expect(reports.facts).toMatchObject({ added: 0, forgotten: 1 });
    expect((await client.facts.list({ all: true })).facts.map(({ id }) => id)).not.toContain(fact.id);
    expect(await titles()).toEqual(['Conversation']);
    expect(await client.chat.import(talk(SECRET))).toMatchObject({ forgotten: 1, turns: 0 });
    // A title comes back no more than a turn.
    await client.chat.remove({ id: 'talk' });
    await client.data.eraseDeleted({ items: [{ what: 'conversations', id: 'talk' }] });
    expect(await client.chat.import(talk(SECRET))).toMatchObject({ forgotten: 1, turns: 1 });
    expect(await titles()).toEqual(['Conversation']);
  });

  it('restores what was removed, which is not forgetting', async () => {
    const { client } = test.app;
    const fact = await client.facts.add({ content: SECRET });
    const whole = await exported();
    await client.facts.remove({ ids: [fact.id] });
    for (const portion of whole) {
      const report = await client.data.import(portion);
      if (portion.kind === 'facts') expect(report).toMatchObject({ restored: 1, forgotten: 0 });
    }
    await client.facts.remove({ ids: [fact.id] });
    await ask(test.app, 'Souviens-toi que mon collègue Quenouillard habite à Wattwiller');
    expect((await client.facts.list({})).facts).toHaveLength(1);
  });
});

describe('an open conversation with a model', () => {
  let server: OpenAiServer;
  beforeEach(async () => {
    server = await startOpenAiServer({ contextTokens: 8_000, ollama: [{ name: 'small' }] });
    await test.app.client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
  });
  afterEach(() => server.close());

  it('is sent nothing of it any more, from the next prompt on', async () => {
    server.behave({ kind: 'reply', text: () => 'Noté.' });
    await test.app.client.facts.add({
      content: 'Le parachutiste Quenouillard apprivoise des ornithorynques',
    });
    const { turn } = await ask(test.app, SECRET);
    await ask(test.app, 'Le parachutiste apprivoise quoi ?', turn.conversationId);
    expect(JSON.stringify(server.prompts.at(-1)?.messages)).toContain('Quenouillard apprivoise');
    await forgetAll({ topic: 'Quenouillard' });
    await ask(test.app, OTHER, turn.conversationId);
    const sent = JSON.stringify(server.prompts.at(-1)?.messages);
    expect(sent).toContain('tomates');
    expect(sent.toLowerCase()).not.toContain('quenouillard');
    expect(sent).not.toContain('Wattwiller');
  });

  it('whose reply is being written ends it, and gets it back as it was left', async () => {
    const { client } = test.app;
    server.behave({ kind: 'hang', text: 'Quenouillard est ' });
    const events = await client.chat.runTurn({ text: SECRET });
    const iterator = (events as AsyncIterable<TurnEvent>)[Symbol.asyncIterator]();
    let turnId = '' as TurnId;
    for (;;) {
      const { value } = await iterator.next();
      if (value.type === 'accepted') turnId = value.turn.id;
      if (value.type === 'text') break;
    }
    const { at } = await client.forget.apply({ ticked: { turns: [turnId] } });
    await until(async () => (await client.chat.list({})).length === 0);
    await client.forget.undo({ at });
    const { turns } = await client.chat.turns({ ids: [turnId] });
    expect(turns[0]?.replies[0]?.state).toBe('stopped');
  });
});
