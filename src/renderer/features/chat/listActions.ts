import type { Client } from '../../../shared/contract/index.ts';
import { ARCHIVED, type ChatStore, type ListState } from './chatState.ts';

/** Reading, filtering and changing the list of conversations. */
export function createListActions(
  client: Client,
  set: ChatStore['setState'],
  get: ChatStore['getState'],
): ListState {
  return {
    conversations: [],
    query: '',
    channel: null,
    channels: [],
    archivedCount: 0,
    folder: null,
    folders: [],

    setQuery: async (query) => {
      set({ query });
      await get().refreshList();
    },
    setChannel: async (channel) => {
      set({ channel });
      await get().refreshList();
    },
    setFolder: async (folder) => {
      set({ folder });
      await get().refreshList();
    },
    clearFilter: async () => {
      set({ query: '', channel: null, folder: null });
      await get().refreshList();
    },
    refreshList: async () => {
      const { query, channel, folder } = get();
      const archived = channel === ARCHIVED;
      const [conversations, { channels, archived: archivedCount }, folders] = await Promise.all([
        client.chat.list({
          query,
          archived,
          ...(channel === null || archived ? {} : { channel }),
          ...(folder === null ? {} : { folder }),
        }),
        client.chat.channels(),
        client.chat.folders(),
      ]);
      // A slower answer to an older query must not replace a newer one's.
      if (get().query !== query || get().channel !== channel || get().folder !== folder) return;
      const open = conversations.find((conversation) => conversation.id === get().openId);
      set((state) => ({
        conversations: keepSame(state.conversations, conversations, ({ id }) => id),
        channels: isSame(state.channels, channels) ? state.channels : channels,
        archivedCount,
        folders: isSame(state.folders, folders) ? state.folders : folders,
        ...(open ? { title: open.title } : {}),
      }));
    },
    change: async (id, change) => {
      await client.chat.change({ id, ...change });
      await get().refreshList();
    },
    remove: async (id) => {
      const { facts } = await client.chat.remove({ id });
      if (get().openId === id) await get().open(null);
      await get().refreshList();
      return facts;
    },
    restore: async (id) => {
      await client.chat.restore({ id });
      await get().refreshList();
      await get().open(id);
    },
    removeFacts: async (ids) => {
      await client.facts.remove({ ids: [...ids] });
    },
    restoreFacts: async (ids) => {
      await client.facts.restore({ ids: [...ids] });
    },
  };
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** `next`, with the object shown before in the place of each one that says the same, so that its row is not rendered again. */
export function keepSame<T>(
  before: readonly T[],
  next: readonly T[],
  keyOf: (one: T) => string,
): readonly T[] {
  const known = new Map(before.map((one) => [keyOf(one), one]));
  const kept = next.map((one) => {
    const other = known.get(keyOf(one));
    return other !== undefined && isSame(other, one) ? other : one;
  });
  return kept.length === before.length && kept.every((one, index) => one === before[index]) ? before : kept;
}
