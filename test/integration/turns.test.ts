import { afterEach, describe, expect, it } from 'vitest';
import type { TurnEvent } from '../../src/shared/contract/chat.ts';
import type { ChunkId, ConversationId, TurnId } from '../../src/shared/ids.ts';
import { type HeldAnswer, holdAnswers } from '../support/heldAnswers.ts';
import { createTestApp, type TestApp, until } from '../support/testApp.ts';

let test: TestApp;
afterEach(() => test.dispose());

/** A call whose events are read as they come. */
interface Followed {
  events: TurnEvent[];
  conversationId: ConversationId;
  turnId: TurnId;
  /** Resolves once the stream ends, however it does. */
  ended: Promise<unknown>;
}

async function follow(events: AsyncIterable<TurnEvent>): Promise<Followed> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const followed = { events: [] as TurnEvent[], conversationId: '', turnId: '' } as unknown as Followed;
  const read = async () => {
    for await (const event of events) {
      followed.events.push(event);
      if (event.type !== 'accepted') continue;
      followed.conversationId = event.conversationId;
      followed.turnId = event.turn.id;
      resolve();
    }
  };
  followed.ended = read().then(
    () => 'closed',
    (error: { code?: string }) => error,
  );
  await promise;
  return followed;
}

const send = async (text: string, conversationId?: ConversationId) =>
  follow(await test.app.client.chat.runTurn({ text, ...(conversationId ? { conversationId } : {}) }));

/** The end that a stream told. */
const endOf = async ({ events, ended }: Followed) => {
  expect(await ended).toBe('closed');
  const last = events.at(-1);
  if (last?.type !== 'done') throw new Error(`the stream ended with ${last?.type}`);
  return last.turn.replies.find(({ version }) => version === last.turn.activeVersion);
};

const answerOf = (held: HeldAnswer[], index: number) => until(() => held[index]);
const states = () =>
  test.app.services.db
    .all<{ state: string }>('SELECT state FROM messages WHERE version IS NOT NULL ORDER BY created_at, id')
    .map(({ state }) => state);
const found = async (text: string) =>
  (await test.app.client.retrieval.search({ text, mode: 'text', kinds: ['turn'] })).results.length;

const CITATION = {
  ordinal: 1,
  kind: 'note' as const,
  itemId: 'chunk_1' as ChunkId,
  noteId: null,
  vaultId: null,
  path: 'Jardin.md',
  title: 'Jardin',
  heading: [],
  textHash: null,
  score: 0.9,
};

/** Makes SQLite refuse a statement, until what is given back is called. */
function refuse(when: string): () => void {
  const { db } = test.app.services;
  db.run(`CREATE TRIGGER refused BEFORE ${when} BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  return () => {
    db.run('DROP TRIGGER refused');
  };
}

describe('a deleted conversation', () => {
  it('answers no turn that waited in it, and its followers see the end', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app);
    const first = await send('Une première question');
    held[0]?.push({ type: 'text', delta: 'Je' });
    const { conversationId } = first;
    const waiting = await send('Une deuxième question', conversationId);
    await test.app.client.chat.remove({ id: conversationId });
    expect(await endOf(first)).toMatchObject({ state: 'stopped' });
    expect(await endOf(waiting)).toMatchObject({ state: 'stopped' });
    expect(held).toHaveLength(1);
    await test.app.client.chat.restore({ id: conversationId });
    const { turns } = await test.app.client.chat.get({ id: conversationId });
    expect(turns.map(({ messages }) => messages[0]?.content)).toEqual([
      'Une première question',
      'Une deuxième question',
    ]);
    const next = await send('Une troisième question', conversationId);
    (await answerOf(held, 1)).end({ content: 'Voilà.' });
    expect(await endOf(next)).toMatchObject({ state: 'complete', content: 'Voilà.' });
  });

  it('that is erased while a reply is written ends its streams', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app, { heedsStop: false });
    const { conversationId, ended } = await send('Une question à effacer');
    await test.app.client.chat.remove({ id: conversationId });
    test.app.services.conversations.purgeRemoved(Date.now() + 1);
    held[0]?.end({ content: 'Trop tard.', citations: [CITATION] });
    expect(await ended).toBe('closed');
    expect(states()).toEqual([]);
  });
});

describe('the end of a reply', () => {
  it('is stored with its terms, or not at all, and told to the followers', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app);
    const turn = await send('Une question');
    const allow = refuse('UPDATE OF body_terms ON turns');
    held[0]?.end({ content: 'L’amarante pousse vite.' });
    expect(await turn.ended).toMatchObject({ code: 'INTERNAL' });
    expect(states()).toEqual(['pending']);
    expect(await found('amarante')).toBe(0);
    allow();
    // Nobody asks for it.
    await until(() => states()[0] === 'complete');
    expect(await found('amarante')).toBe(1);
  });

  it('that could not be stored is stored with the next message', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app);
    const turn = await send('Une question');
    const allow = refuse("UPDATE OF state ON messages WHEN new.state <> 'pending'");
    held[0]?.end({ content: 'L’amarante pousse vite.' });
    expect(await turn.ended).toMatchObject({ code: 'INTERNAL' });
    allow();
    const next = await send('Une autre question', turn.conversationId);
    expect(states()).toEqual(['complete', 'pending']);
    expect(await found('amarante')).toBe(1);
    (await answerOf(held, 1)).end();
    await endOf(next);
  });

  it('for which the disk has no room is told, and stored with the next message that has room', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app);
    const { db } = test.app.services;
    const turn = await send('Une question');
    const [{ page_count: pages }] = db.pragma('page_count') as [{ page_count: number }];
    db.pragma(`max_page_count = ${pages}`);
    const content = `L’amarante pousse vite. ${'Elle pousse encore. '.repeat(20_000)}`;
    held[0]?.end({ content });
    expect(await turn.ended).toMatchObject({ code: 'DISK_FULL' });
    db.pragma('max_page_count = 1000000');
    const changed = new Promise((resolve) => {
      test.app.services.events.listen(resolve);
    });
    const next = await send('Une autre question', turn.conversationId);
    await changed;
    const { turns } = await test.app.client.chat.get({ id: turn.conversationId });
    expect(turns[0]?.replies[0]).toMatchObject({ state: 'complete', content });
    expect(await found('amarante')).toBe(1);
    (await answerOf(held, 1)).end();
    await endOf(next);
  });

  it('that could not be stored is marked at the next start', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app);
    const turn = await send('Une question');
    refuse("UPDATE OF state ON messages WHEN new.state <> 'pending'");
    held[0]?.end({ content: 'L’amarante pousse vite.' });
    expect(await turn.ended).toMatchObject({ code: 'INTERNAL' });
    // The start after that cannot write either: what can be read is there all the same.
    const { services } = await test.reopen();
    expect(states()).toEqual(['pending']);
    services.db.run('DROP TRIGGER refused');
    await test.reopen();
    expect(states()).toEqual(['interrupted']);
  });

  it('is found by what was kept of it, when a crash cut it short', async () => {
    test = createTestApp();
    const { conversations, db } = test.app.services;
    const held = holdAnswers(test.app);
    const turn = await send('Une question');
    const partial = { content: 'L’amarante pousse vite', reasoning: '' };
    conversations.keepPart(turn.turnId, 1, { ...partial, isWhole: true });
    held[0]?.end(partial);
    await turn.ended;
    // As a crash leaves it: the reply is open, and its turn is found by its question alone.
    db.run("UPDATE messages SET state = 'pending' WHERE version = 1");
    conversations.setTerms(turn.turnId, { body: 'question', tools: 0 });
    expect(await found('amarante')).toBe(0);
    await test.reopen();
    expect(states()).toEqual(['interrupted']);
    expect(await found('amarante')).toBe(1);
  });
});

describe('stop', () => {
  it('during the restart of a turn that grew ends it', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app, { heedsStop: false });
    const first = await send('Une question');
    const second = await send('Et sa suite', first.conversationId);
    expect(second.turnId).toBe(first.turnId);
    await test.app.client.chat.stop({ turnId: first.turnId });
    held[0]?.end();
    const [one, other] = await Promise.all([endOf(first), endOf(second)]);
    expect(one).toMatchObject({ state: 'stopped' });
    expect(other).toEqual(one);
    expect(held).toHaveLength(1);
  });
});

describe('a message', () => {
  it('that comes at once joins the turn, which is answered once more from the start', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app);
    const first = await send('Quand planter les tomates ?');
    const second = await send('Et les haricots ?', first.conversationId);
    const again = await answerOf(held, 1);
    expect(again.question).toBe('Quand planter les tomates ?\n\nEt les haricots ?');
    again.end({ content: 'En mai.' });
    expect(await endOf(second)).toEqual(await endOf(first));
    expect(first.turnId).toBe(second.turnId);
  });

  it('that joins a turn is part of its question wherever the turn is read', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app);
    const first = await send('Quand planter les tomates ?');
    await send('Et les haricots ?', first.conversationId);
    (await answerOf(held, 1)).end({ content: 'En mai.' });
    await endOf(first);
    const { results } = await test.app.client.retrieval.search({ text: 'haricots', kinds: ['turn'] });
    expect(results[0]?.excerpt).toBe('Quand planter les tomates ?\nEt les haricots ?\nEn mai.');
    expect(test.app.services.conversations.messages(first.turnId).map(({ version }) => version)).toEqual([
      null,
      null,
      1,
    ]);
  });

  it.each(['text', 'reasoning'] as const)(
    'that comes after the first %s begins a turn of its own',
    async (type) => {
      test = createTestApp();
      const held = holdAnswers(test.app);
      const first = await send('Quand planter les tomates ?');
      held[0]?.push({ type, delta: 'En' });
      const second = await send('Et les haricots ?', first.conversationId);
      expect(second.turnId).not.toBe(first.turnId);
      held[0]?.end();
      (await answerOf(held, 1)).end();
      await Promise.all([endOf(first), endOf(second)]);
    },
  );

  it('never joins a turn that is answered again, nor one that is being stopped', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app, { heedsStop: false });
    await test.app.client.chat.import({
      conversations: [
        {
          id: 'c',
          channel: 'import',
          title: 'Importée',
          messages: [{ id: '1', role: 'user', content: 'Bonjour', createdAt: 1 }],
        },
      ],
    });
    const { turns } = await test.app.client.chat.get({ id: 'c' });
    const regenerated = await follow(
      await test.app.client.chat.regenerate({ turnId: turns[0]?.id as TurnId }),
    );
    const sent = await send('Et encore', 'c' as ConversationId);
    expect(sent.turnId).not.toBe(regenerated.turnId);
    held[0]?.end();
    const answer = await answerOf(held, 1);
    await test.app.client.chat.stop({ turnId: sent.turnId });
    const last = await send('Et enfin', 'c' as ConversationId);
    expect(last.turnId).not.toBe(sent.turnId);
    answer.end();
    (await answerOf(held, 2)).end();
    expect([await endOf(regenerated), await endOf(sent), await endOf(last)].map((end) => end?.state)).toEqual(
      ['complete', 'stopped', 'complete'],
    );
  });

  it('belongs to the channel of its conversation', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app);
    const first = await send('Bonjour');
    held[0]?.end();
    await first.ended;
    await test.app.client.chat.change({ id: first.conversationId, channel: 'Maison' });
    const second = await send('Souviens-toi que le portail grince', first.conversationId);
    const answer = await answerOf(held, 1);
    expect(answer.open.channel).toBe('Maison');
    answer.end();
    await second.ended;
    expect((await test.app.client.facts.list({})).facts[0]?.channel).toBe('Maison');
  });

  it('that cannot be stored leaves no trace, and the turn that it would have joined as it was', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app);
    const first = await send('Quand planter les tomates ?');
    const allow = refuse('UPDATE OF updated_at ON conversations');
    await expect(send('Et les haricots ?', first.conversationId)).rejects.toThrow();
    await expect(send('Une conversation')).rejects.toThrow();
    allow();
    held[0]?.end({ content: 'En mai.' });
    expect(await endOf(first)).toMatchObject({ state: 'complete', content: 'En mai.' });
    const { turns } = await test.app.client.chat.get({ id: first.conversationId });
    expect(turns[0]?.messages).toHaveLength(1);
    expect(held).toHaveLength(1);
    expect(await test.app.client.chat.list({})).toHaveLength(1);
  });

  it('is refused once Souvenir is closing', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app, { heedsStop: false });
    const { conversationId, turnId } = await send('Une question');
    const { chat } = test.app.services;
    const closed = chat.close();
    expect(() => chat.runTurn({ text: 'Encore', conversationId })).toThrow(
      expect.objectContaining({ code: 'CLOSING' }),
    );
    expect(() => chat.regenerate(turnId)).toThrow(expect.objectContaining({ code: 'CLOSING' }));
    held[0]?.end();
    await closed;
  });
});

describe('two windows', () => {
  it('that answer again and send at once never have two turns answered together', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app);
    const first = await send('Une question');
    held[0]?.end();
    await first.ended;
    const { client } = test.app;
    const again = await follow(await client.chat.regenerate({ turnId: first.turnId }));
    const sent = await send('Une autre question', first.conversationId);
    await expect(client.chat.regenerate({ turnId: first.turnId })).rejects.toMatchObject({
      code: 'TURN_IN_PROGRESS',
    });
    expect(held).toHaveLength(2);
    held[1]?.end();
    (await answerOf(held, 2)).end();
    await Promise.all([endOf(again), endOf(sent)]);
  });

  it('may choose a version while another is written: the terms follow what is shown', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app);
    const first = await send('Une question');
    held[0]?.end({ content: 'L’amarante pousse vite.' });
    await first.ended;
    const { client } = test.app;
    const again = await follow(await client.chat.regenerate({ turnId: first.turnId }));
    await client.chat.chooseVersion({ turnId: first.turnId, version: 1 });
    held[1]?.end({ content: 'Le bégonia pousse lentement.' });
    expect(await endOf(again)).toMatchObject({ version: 1 });
    expect([await found('amarante'), await found('bégonia')]).toEqual([1, 0]);
    await client.chat.chooseVersion({ turnId: first.turnId, version: 2 });
    expect([await found('amarante'), await found('bégonia')]).toEqual([0, 1]);
    const { results } = await client.retrieval.search({ text: 'bégonia', kinds: ['turn'] });
    expect(results[0]?.excerpt).toBe('Une question\nLe bégonia pousse lentement.');
  });

  it('may delete a conversation while the other sends to it', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app);
    const first = await send('Une question');
    await test.app.client.chat.remove({ id: first.conversationId });
    await expect(send('Encore', first.conversationId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(test.app.client.chat.remove({ id: first.conversationId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await endOf(first)).toMatchObject({ state: 'stopped' });
    expect(held).toHaveLength(1);
  });
});

describe('closing', () => {
  it('ends the streams of a turn that waits, and marks its reply', async () => {
    test = createTestApp();
    const held = holdAnswers(test.app);
    const first = await send('Une première question');
    held[0]?.push({ type: 'text', delta: 'Je' });
    const waiting = await send('Une deuxième question', first.conversationId);
    await test.app.close();
    expect(await endOf(first)).toMatchObject({ state: 'interrupted' });
    expect(await endOf(waiting)).toMatchObject({ state: 'interrupted' });
    expect(held).toHaveLength(1);
    await test.reopen();
    expect(states()).toEqual(['interrupted', 'interrupted']);
  });
});
