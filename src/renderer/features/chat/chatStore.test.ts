import { expect, test, vi } from 'vitest';
import { fakeApi, feed } from '../../../../test/fakes/api.ts';
import type { ReplyVersion, Turn, TurnEvent } from '../../../shared/contract/chat.ts';
import type { ForgetRequest } from '../../../shared/contract/forget.ts';
import type { ConversationId, MessageId, NoteId, TurnId } from '../../../shared/ids.ts';
import { createChatStore } from './chatStore.ts';

const CONVERSATION = 'conv_1' as ConversationId;

function turn(state: ReplyVersion['state'], content = '', n = 1): Turn {
  return {
    id: `turn_${n}` as TurnId,
    conversationId: CONVERSATION,
    createdAt: n,
    source: 'user',
    characters: 7,
    folders: [],
    activeVersion: 1,
    siblings: [],
    isActive: true,
    attachments: [],
    learnt: [],
    itemMarks: [],
    toReview: 0,
    messages: [{ id: 'm1' as MessageId, role: 'user', author: null, content: 'Bonjour', createdAt: 1 }],
    replies: [
      {
        messageId: 'm2' as MessageId,
        version: 1,
        state,
        model: 'small',
        language: 'fr',
        content,
        reasoning: '',
        promptCut: null,
        wantedModel: null,
        citations: [],
        tools: [],
        whyEmpty: null,
        scope: { notesIndexed: 0, notesTotal: 0, turns: 0, indexing: false },
        error: null,
        promptTokens: null,
        completionTokens: null,
        createdAt: 1,
      },
    ],
  };
}

const accepted = (): TurnEvent => ({ type: 'accepted', conversationId: CONVERSATION, turn: turn('pending') });

function openChat(read: () => Turn[] = () => [], asks: ForgetRequest = { asks: 'nothing' }) {
  const events = feed<TurnEvent>();
  const frames: (() => void)[] = [];
  const api = fakeApi({
    chat: {
      runTurn: async () => events as never,
      list: async () => [],
      channels: async () => ({ channels: [], archived: 0 }),
      folders: async () => [],
      turns: async () => ({ turns: read() }),
    },
    forget: { read: async () => asks },
  });
  const store = createChatStore(api, (work) => frames.push(work));
  store.setState({ openId: CONVERSATION });
  return {
    store,
    events,
    nextFrame: () =>
      frames.splice(0).forEach((work) => {
        work();
      }),
  };
}

test('the text of an accepted message does not come back to the composer when its stream is dropped', async () => {
  const { store, events } = openChat();
  store.getState().setDraft('Bonjour');
  const sent = store.getState().send();
  events.push(accepted());
  await vi.waitFor(() => expect(store.getState().turns).toHaveLength(1));
  events.fail(new Error('the connection was closed'));
  await sent;
  expect(store.getState().drafts[CONVERSATION]).toBe('');
});

test('a message that asks to forget is not sent and stays in the composer, unless it is sent as it is', async () => {
  const asks: ForgetRequest = { asks: 'plan', subject: { topic: 'Léa' } };
  const { store, events } = openChat(() => [], asks);
  store.getState().setDraft('Oublie Léa');
  expect(await store.getState().send()).toEqual(asks);
  expect(store.getState().drafts[CONVERSATION]).toBe('Oublie Léa');
  expect(store.getState().turns).toEqual([]);
  const sent = store.getState().send(true);
  events.push(accepted());
  events.end();
  expect(await sent).toEqual({ asks: 'nothing' });
  expect(store.getState().drafts[CONVERSATION]).toBe('');
});

test('the text of a message that was not accepted comes back, before what was typed meanwhile', async () => {
  const { store, events } = openChat();
  store.getState().setDraft('Bonjour');
  const sent = store.getState().send();
  store.getState().setDraft('Et aussi');
  events.fail(new Error('the connection was closed'));
  await expect(sent).rejects.toThrow('the connection was closed');
  expect(store.getState().drafts[CONVERSATION]).toBe('Bonjour\n\nEt aussi');
});

test('messages sent right after the first one of a new conversation go there too, in their order', async () => {
  const reads: { message: string; done: () => void }[] = [];
  const sent: { text: string; conversationId?: ConversationId }[] = [];
  const api = fakeApi({
    chat: {
      runTurn: async (request) => {
        const events = feed<TurnEvent>();
        sent.push(request as (typeof sent)[number]);
        const asked = turn('pending', '', sent.length);
        events.push({ type: 'accepted', conversationId: CONVERSATION, turn: asked });
        events.end();
        return events as never;
      },
      list: async () => [],
      channels: async () => ({ channels: [], archived: 0 }),
      folders: async () => [],
    },
    forget: {
      read: ({ message }) => {
        const { promise, resolve } = Promise.withResolvers<ForgetRequest>();
        reads.push({ message, done: () => resolve({ asks: 'nothing' }) });
        return promise;
      },
    },
  });
  const store = createChatStore(api, (work) => work());
  const all = ['Bonjour', 'Où habite Léa ?', 'Et David ?'].map((text) => {
    store.getState().setDraft(text);
    return store.getState().send();
  });
  // Whatever is read first of what was asked for, what was sent first goes first.
  for (let n = 0; n < all.length; n += 1) {
    await vi.waitFor(() => expect(reads.length).toBeGreaterThan(n));
    for (const { done } of reads.toReversed()) done();
    if (n === 0) await vi.waitFor(() => expect(store.getState().openId).toBe(CONVERSATION));
  }
  await Promise.all(all);
  expect(sent).toEqual([
    { text: 'Bonjour', attachments: [] },
    { text: 'Où habite Léa ?', attachments: [], conversationId: CONVERSATION },
    { text: 'Et David ?', attachments: [], conversationId: CONVERSATION },
  ]);
  // The next conversation is one of its own.
  await store.getState().open(null);
  store.getState().setDraft('Autre chose');
  const next = store.getState().send();
  await vi.waitFor(() => expect(reads).toHaveLength(4));
  reads[3]?.done();
  await next;
  expect(sent.at(-1)).toEqual({ text: 'Autre chose', attachments: [] });
});

test('after a dropped stream what had come stays, and the turn is read again until its reply has ended', async () => {
  const states = [turn('pending', 'Bon'), turn('complete', 'Bonne journée')];
  const { store, events, nextFrame } = openChat(() => states.splice(0, 1));
  store.getState().setDraft('Bonjour');
  const sent = store.getState().send();
  events.push(accepted());
  events.push({ type: 'text', delta: 'Bon' });
  await vi.waitFor(() => {
    nextFrame();
    expect(store.getState().streams.get('turn_1' as TurnId)?.text).toBe('Bon');
  });
  events.fail(new Error('the connection was closed'));
  await sent;
  expect(store.getState().streams.get('turn_1' as TurnId)?.text).toBe('Bon');
  await store.getState().readPending();
  expect(store.getState().turns[0]?.replies[0]?.state).toBe('pending');
  await store.getState().readPending();
  expect(store.getState().turns[0]?.replies[0]?.content).toBe('Bonne journée');
  expect(store.getState().streams.size).toBe(0);
  // Nothing is pending any more: nothing is asked.
  await store.getState().readPending();
  expect(store.getState().turns).toHaveLength(1);
});

test('what a frame brings is shown at once, whatever the number of deltas', async () => {
  const { store, events, nextFrame } = openChat();
  store.getState().setDraft('Bonjour');
  const sent = store.getState().send();
  events.push(accepted());
  await vi.waitFor(() => expect(store.getState().turns).toHaveLength(1));
  let changes = 0;
  store.subscribe(() => {
    changes += 1;
  });
  for (let n = 0; n < 100; n += 1) events.push({ type: 'text', delta: 'a' });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(changes).toBe(0);
  nextFrame();
  expect(changes).toBe(1);
  expect(store.getState().streams.get('turn_1' as TurnId)?.text).toHaveLength(100);
  events.push({ type: 'done', turn: turn('complete', 'a'.repeat(100)) });
  events.end();
  await sent;
  expect(store.getState().streams.size).toBe(0);
});

test('text that turns out to be reasoning moves there', async () => {
  const { store, events, nextFrame } = openChat();
  store.getState().setDraft('Bonjour');
  const sent = store.getState().send();
  events.push(accepted());
  for (const delta of ['Voyons', ' cela.']) events.push({ type: 'text', delta });
  events.push({ type: 'text-was-reasoning' });
  events.push({ type: 'text', delta: 'Bonjour.' });
  await vi.waitFor(() => {
    nextFrame();
    const stream = store.getState().streams.get('turn_1' as TurnId);
    expect(stream).toMatchObject({ reasoning: 'Voyons cela.', text: 'Bonjour.' });
  });
  events.push({ type: 'done', turn: turn('complete', 'Bonjour.') });
  events.end();
  await sent;
});

const row = { id: CONVERSATION, channel: 'chat', title: 'Titre', turns: 0, pinned: false, archived: false };
const conversation = { ...row, createdAt: 1, updatedAt: 1 };
const idsOf = (turns: readonly Turn[]) => turns.map(({ id }) => id);

/** A conversation of `count` complete turns, read a page at a time as the core gives it. */
function openLong(count: number) {
  const all = Array.from({ length: count }, (_, n) => turn('complete', `réponse ${n + 1}`, n + 1));
  const get = vi.fn(async ({ limit = 30, before }: { limit?: number; before?: TurnId }) => {
    const end = before === undefined ? all.length : all.findIndex(({ id }) => id === before);
    const turns = all.slice(Math.max(0, end - limit), end);
    return { conversation, turns, hasMore: end > limit };
  });
  const turns = vi.fn(async ({ ids }: { ids: TurnId[] }) => ({
    turns: all.filter(({ id }) => ids.includes(id)),
  }));
  const stamps = vi.fn(async ({ ids }: { ids: NoteId[] }) => ({
    stamps: ids.map((id) => ({ id, stamp: `${id} as it is now` })),
  }));
  const store = createChatStore(
    fakeApi({ chat: { get, turns }, notes: { stamps } } as never),
    () => undefined,
  );
  return { store, all, get, turns, stamps };
}

test('a long conversation is read from its end, a page at a time', async () => {
  const { store, all, get } = openLong(70);
  await store.getState().open(CONVERSATION);
  expect(idsOf(store.getState().turns)).toEqual(idsOf(all.slice(40)));
  await Promise.all([store.getState().readOlder(), store.getState().readOlder()]);
  expect(idsOf(store.getState().turns)).toEqual(idsOf(all.slice(10)));
  await store.getState().readOlder();
  expect(idsOf(store.getState().turns)).toEqual(idsOf(all));
  await store.getState().readOlder();
  expect(get).toHaveBeenCalledTimes(3);
  // Opened again, it keeps the turns before the latest page.
  await store.getState().open(CONVERSATION);
  expect(idsOf(store.getState().turns)).toEqual(idsOf(all));
  expect(store.getState().hasOlder).toBe(false);
});

test('a turn far up is opened with everything after it', async () => {
  const { store, all } = openLong(500);
  await store.getState().openAt(CONVERSATION, 'turn_260' as TurnId);
  expect(store.getState().turns.some(({ id }) => id === 'turn_260')).toBe(true);
  expect(store.getState().turns.at(-1)?.id).toBe(all.at(-1)?.id);
  expect(store.getState().hasOlder).toBe(true);
});

test('when notes change, only the turns that cite them are read again', async () => {
  const { store, all, turns } = openLong(10);
  const cite = (n: number, note: string, noteStamp: string) =>
    all[n - 1]?.replies[0]?.citations.push({ ordinal: 1, noteId: note, noteStamp } as never);
  cite(2, 'note_a', 'note_a as it is now');
  cite(5, 'note_b', 'note_b as it was');
  await store.getState().open(CONVERSATION);
  const untouched = store.getState().turns[1];
  await store.getState().followNotes();
  expect(turns).toHaveBeenCalledTimes(1);
  expect(turns).toHaveBeenCalledWith({ ids: ['turn_5'] });
  expect(store.getState().turns[1]).toBe(untouched);
});

test('without a citation nothing is asked when notes change', async () => {
  const { store, turns, stamps } = openLong(10);
  await store.getState().open(CONVERSATION);
  await store.getState().followNotes();
  expect(stamps).not.toHaveBeenCalled();
  expect(turns).not.toHaveBeenCalled();
});

test('a turn that changed while it was being read keeps what it is now', async () => {
  const { store, all } = openLong(3);
  await store.getState().open(CONVERSATION);
  const reading = store.getState().open(CONVERSATION);
  const newer = turn('complete', 'une autre réponse', 3);
  store.setState(({ turns }) => ({ turns: [...turns.slice(0, 2), newer] }));
  await reading;
  expect(store.getState().turns.at(-1)).toBe(newer);
  expect(store.getState().turns[0]).toEqual(all[0]);
});
