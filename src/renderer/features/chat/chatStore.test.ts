import { expect, test, vi } from 'vitest';
import { fakeApi, feed } from '../../../../test/fakes/api.ts';
import type { ReplyVersion, Turn, TurnEvent } from '../../../shared/contract/chat.ts';
import type { ConversationId, MessageId, TurnId } from '../../../shared/ids.ts';
import { createChatStore } from './chatStore.ts';

const CONVERSATION = 'conv_1' as ConversationId;

function turn(state: ReplyVersion['state'], content = ''): Turn {
  return {
    id: 'turn_1' as TurnId,
    conversationId: CONVERSATION,
    createdAt: 1,
    activeVersion: 1,
    learnt: [],
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
        citations: [],
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

function openChat(read: () => Turn[] = () => []) {
  const events = feed<TurnEvent>();
  const frames: (() => void)[] = [];
  const api = fakeApi({
    chat: {
      runTurn: async () => events as never,
      list: async () => [],
      channels: async () => ({ channels: [], archived: 0 }),
      turns: async () => ({ turns: read() }),
    },
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

test('the text of a message that was not accepted comes back, before what was typed meanwhile', async () => {
  const { store, events } = openChat();
  store.getState().setDraft('Bonjour');
  const sent = store.getState().send();
  store.getState().setDraft('Et aussi');
  events.fail(new Error('the connection was closed'));
  await expect(sent).rejects.toThrow('the connection was closed');
  expect(store.getState().drafts[CONVERSATION]).toBe('Bonjour\n\nEt aussi');
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
