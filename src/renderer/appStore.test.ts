import { expect, test, vi } from 'vitest';
import { fakeApi, feed } from '../../test/fakes/api.ts';
import type { AppEvent } from '../shared/contract/app.ts';
import { defaultSettings } from '../shared/settings.ts';
import { createAppStore } from './appStore.ts';

const nothing = { vectors: null } as never;

function openWindow(list: () => Promise<never[]>) {
  const streams = [feed<AppEvent>(), feed<AppEvent>()];
  const followed = vi.fn(async () => streams[followed.mock.calls.length - 1] as never);
  const errors: string[] = [];
  const api = fakeApi({
    app: { settings: async () => defaultSettings, stats: async () => nothing, events: followed },
    vaults: { list },
  });
  const store = createAppStore(
    api,
    (message) => errors.push(message),
    (code) => errors.push(code),
  );
  api.connect('open');
  return { api, store, streams, errors, followed };
}

test('events are still followed after vaults could not be read', async () => {
  let works = true;
  const { store, streams, errors } = openWindow(async () => {
    if (!works) throw new Error('gone');
    return [];
  });
  await vi.waitFor(() => expect(store.getState().loaded).toBe(true));
  works = false;
  streams[0]?.push({ type: 'vaults' });
  await vi.waitFor(() => expect(errors).toHaveLength(1));
  const before = store.getState().factsRevision;
  streams[0]?.push({ type: 'facts' });
  await vi.waitFor(() => expect(store.getState().factsRevision).toBe(before + 1));
});

test('a stream of events that fails while the connection holds is opened again, and everything is read again', async () => {
  vi.useFakeTimers();
  try {
    const { store, streams, followed } = openWindow(async () => []);
    await vi.waitFor(() => expect(store.getState().loaded).toBe(true));
    const before = store.getState().conversationsRevision;
    streams[0]?.fail(new Error('broken'));
    await vi.advanceTimersByTimeAsync(2_000);
    await vi.waitFor(() => expect(followed).toHaveBeenCalledTimes(2));
    await vi.waitFor(() => expect(store.getState().conversationsRevision).toBe(before + 1));
    streams[1]?.push({ type: 'facts' });
    await vi.waitFor(() => expect(store.getState().factsRevision).toBe(before + 2));
  } finally {
    vi.useRealTimers();
  }
});

const progress = (since: number, state: 'indexing' | 'idle') =>
  ({ vaultId: 'vault_1', since, state, total: 56, pending: state === 'idle' ? 0 : 24 }) as never;

test('what an event tells of a vault stays, however late its first list is answered', async () => {
  const answered = Promise.withResolvers<never[]>();
  const { store, streams } = openWindow(() => answered.promise);
  streams[0]?.push({ type: 'index', progress: progress(2, 'idle') });
  streams[0]?.push({ type: 'facts' });
  await vi.waitFor(() => expect(store.getState().factsRevision).toBe(1));
  answered.resolve([{ id: 'vault_1', progress: progress(1, 'indexing') } as never]);
  await vi.waitFor(() => expect(store.getState().loaded).toBe(true));
  expect(store.getState().vaults[0]?.progress.state).toBe('idle');
});

test('everything is read only once events are followed, so that none falls between', async () => {
  const order: string[] = [];
  const stream = feed<AppEvent>();
  const subscribed = Promise.withResolvers<never>();
  const api = fakeApi({
    app: {
      settings: async () => defaultSettings,
      stats: async () => nothing,
      events: () => {
        order.push('events');
        return subscribed.promise;
      },
    },
    vaults: {
      list: async () => {
        order.push('list');
        return [];
      },
    },
  });
  const store = createAppStore(
    api,
    () => undefined,
    () => undefined,
  );
  api.connect('open');
  await vi.waitFor(() => expect(order).toEqual(['events']));
  subscribed.resolve(stream as never);
  await vi.waitFor(() => expect(store.getState().loaded).toBe(true));
  expect(order).toEqual(['events', 'list']);
});

test('another process begins its own count of progress', async () => {
  let since = 9_000;
  const { api, store, streams } = openWindow(async () => [
    { id: 'vault_1', progress: progress(since, 'idle') } as never,
  ]);
  streams[0]?.push({ type: 'index', progress: progress(8_000, 'indexing') });
  await vi.waitFor(() => expect(store.getState().loaded).toBe(true));
  since = 10;
  api.connect('lost');
  api.connect('open');
  await vi.waitFor(() => expect(store.getState().vaults[0]?.progress.since).toBe(10));
});
