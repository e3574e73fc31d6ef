import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FORGET_ITEMS } from '../../src/core/memory/forget/forgetActs.ts';
import type { ConversationId, FactId, MessageId } from '../../src/shared/ids.ts';
import { ask, createTestApp, type TestApp, until } from '../support/testApp.ts';

/** More than one commit restores, in several portions. */
const MANY = 700;

let test: TestApp;
beforeEach(() => {
  test = createTestApp();
});
afterEach(() => test.dispose());

const client = () => test.app.client;
const inUse = async () => (await client().facts.list({})).facts.length;
const items = async () => (await client().data.deleted()).deleted.map(({ what, id }) => ({ what, id }));
const talk = (id: string) => ({
  id: id as ConversationId,
  channel: 'import',
  title: id,
  messages: [
    { id: `${id} 1` as MessageId, role: 'user' as const, content: `Une histoire de ${id}.`, createdAt: 1 },
    { id: `${id} 2` as MessageId, role: 'user' as const, content: 'Une autre.', createdAt: 2 },
  ],
});

/** Many facts and some conversations, all of them deleted. */
async function deleteMany(): Promise<void> {
  const { db, factStore } = test.app.services;
  const ids = Array.from({ length: MANY }, (_, at) => `fact_${at}` as FactId);
  db.transaction(() => {
    for (const [at, id] of ids.entries())
      factStore.insert({
        id,
        content: `Le ticket ${at} porte le numéro ${at * 7}`,
        kind: 'fact',
        subjects: [],
        importance: 0.5,
        source: 'manual',
        channel: null,
        turnId: null,
        expiresAt: null,
        createdAt: at,
      });
  });
  await client().chat.import({ conversations: [talk('one'), talk('two')] });
  await client().forget.apply({ ticked: { facts: ids } });
  // A whole one, and a turn alone.
  await client().chat.remove({ id: 'one' });
  const { turns } = await client().chat.get({ id: 'two' });
  await client().forget.apply({ ticked: { turns: [turns[0]?.id as never] } });
  expect(await inUse()).toBe(0);
}

/** Everything is there as it was, and may be learnt and imported again. */
async function expectAll(): Promise<void> {
  expect(await inUse()).toBe(MANY);
  expect(await items()).toEqual([]);
  const talks = await client().chat.list({});
  expect(new Map(talks.map(({ id, turns }) => [id as string, turns]))).toEqual(
    new Map([
      ['one', 2],
      ['two', 2],
    ]),
  );
  const { db } = test.app.services;
  expect(db.get('SELECT count(*) AS n FROM tombstones')).toEqual({ n: 0 });
  expect(db.get('SELECT count(*) AS n FROM forget_items')).toEqual({ n: 0 });
  await test.app.services.vectors.settled();
  expect((await client().app.doctor({ repair: false })).findings).toEqual([]);
}

describe('thousands of deleted items', () => {
  it('are brought back in portions, between which others have their turn', async () => {
    await deleteMany();
    const counts = new Set<number>();
    let isDone = false;
    const restored = client()
      .data.restoreDeleted({ items: await items() })
      .finally(() => {
        isDone = true;
      });
    while (!isDone) {
      counts.add(await inUse());
      await nextTurn();
    }
    await restored;
    expect([...counts].some((count) => count > 0 && count < MANY)).toBe(true);
    await expectAll();
  });

  it('are all brought back when Souvenir ends in the middle', async () => {
    await deleteMany();
    const restored = client().data.restoreDeleted({ items: await items() });
    const refused = expect(restored).rejects.toMatchObject({ code: 'OWNER_UNREACHABLE' });
    await until(async () => (await inUse()) > 0);
    expect(await inUse()).toBeLessThan(MANY);
    await test.reopen();
    await refused;
    await test.app.services.jobs.settled();
    expect(test.app.services.jobs.has(FORGET_ITEMS, '')).toBe(false);
    await expectAll();
  });

  it('stay deleted if one of them was erased', async () => {
    await deleteMany();
    const all = await items();
    await client().data.eraseDeleted({ items: all.slice(-1) });
    await expect(client().data.restoreDeleted({ items: all })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await inUse()).toBe(0);
    expect(await items()).toHaveLength(all.length - 1);
  });
});

describe('somebody who was forgotten', () => {
  const homes = async () =>
    (await client().facts.list({ all: true })).facts
      .filter(({ key }) => key?.endsWith('.home'))
      .map(({ key, content, status }) => [key, content, status]);
  const forgetAll = async () => {
    const ids = (await client().facts.list({})).facts.map(({ id }) => id);
    return client().forget.apply({ ticked: { facts: ids } });
  };

  it('is the same person when told of again, and of both homes the later one is true once all is back', async () => {
    await ask(test.app, 'Mon frère David habite à Ordizan.');
    const { at } = await forgetAll();
    await ask(test.app, 'Mon frère David habite à Toulouse.');
    expect(await homes()).toEqual(
      expect.arrayContaining([['person:david.home', expect.stringContaining('Toulouse'), 'current']]),
    );
    await client().forget.undo({ at });
    expect(new Map((await homes()).map(([, content, status]) => [content, status]))).toEqual(
      new Map([
        ['Mon frère David habite à Toulouse', 'current'],
        ['Mon frère David habite à Ordizan', 'superseded'],
      ]),
    );
    const { people } = await client().facts.aliases();
    expect(people.map(({ person }) => person)).toEqual(['david']);
  });

  it('is nobody else who has the same first name', async () => {
    await ask(test.app, 'Mon collègue David Martin habite à Ordizan.');
    const { at } = await forgetAll();
    await ask(test.app, 'Mon voisin David Durand habite à Toulouse.');
    await client().forget.undo({ at });
    const current = (await homes()).filter(([, , status]) => status === 'current');
    expect(new Set(current.map(([key]) => key))).toEqual(
      new Set(['person:david.home', 'person:david-2.home']),
    );
  });

  it('leaves the name free once all of it is erased', async () => {
    await ask(test.app, 'Mon collègue David Martin habite à Ordizan.');
    const ids = (await client().facts.list({})).facts.map(({ id }) => id);
    await client().forget.apply({ ticked: { facts: ids }, now: true });
    await ask(test.app, 'Mon voisin David Durand habite à Toulouse.');
    expect((await homes()).map(([key]) => key)).toEqual(['person:david.home']);
  });
});
