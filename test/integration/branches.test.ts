import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConversationId, TurnId } from '../../src/shared/ids.ts';
import { ask, createTestApp, lastReply, storedVector, type TestApp } from '../support/testApp.ts';

let test: TestApp;
let id: ConversationId;
let said: Record<string, TurnId>;

const FIRST = 'Le rucher est au fond du verger.';
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
