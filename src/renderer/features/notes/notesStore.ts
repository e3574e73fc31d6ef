import { createStore, type StoreApi } from 'zustand/vanilla';
import type { NoteDetail, NoteFilter, NoteRow } from '../../../shared/contract/notes.ts';
import type { NoteId, VaultId } from '../../../shared/ids.ts';
import type { Api } from '../../api.ts';

export type NoteCounts = Record<NoteFilter, number>;

export interface NotesState {
  rows: NoteRow[];
  /** How many rows match; `rows` are the first of them. */
  matching: number;
  counts: NoteCounts | null;
  filter: NoteFilter;
  query: string;
  vaultId: VaultId | null;
  selectedId: NoteId | null;
  detail: NoteDetail | null;
  refresh(): Promise<void>;
  loadMore(): Promise<void>;
  setFilter(filter: NoteFilter): Promise<void>;
  setQuery(query: string): Promise<void>;
  setVault(vaultId: VaultId | null): Promise<void>;
  select(id: NoteId | null): Promise<void>;
  retry(ids: readonly NoteId[]): Promise<void>;
}

export type NotesStore = StoreApi<NotesState>;

const PAGE = 200;

export function createNotesStore({ client }: Api): NotesStore {
  return createStore<NotesState>()((set, get) => {
    const query = () => {
      const { filter, query: text, vaultId } = get();
      return { filter, query: text, ...(vaultId === null ? {} : { vaultId }) };
    };
    /** Reads again the rows that are shown. An answer to an older question is dropped. */
    let asked = 0;
    const read = async (limit: number) => {
      asked += 1;
      const mine = asked;
      const pages = Math.max(1, Math.ceil(limit / PAGE));
      const results = await Promise.all(
        Array.from({ length: pages }, (_, page) =>
          client.notes.list({ ...query(), offset: page * PAGE, limit: PAGE }),
        ),
      );
      if (mine !== asked) return;
      const last = results.at(-1);
      set({
        rows: results.flatMap((result) => result.notes),
        matching: last?.matching ?? 0,
        counts: last?.counts ?? null,
      });
    };
    const readDetail = async () => {
      const { selectedId } = get();
      if (selectedId === null) return;
      const detail = await client.notes.get({ id: selectedId });
      if (get().selectedId === selectedId) set({ detail });
    };
    return {
      rows: [],
      matching: 0,
      counts: null,
      filter: 'all',
      query: '',
      vaultId: null,
      selectedId: null,
      detail: null,
      refresh: async () => {
        await read(get().rows.length);
        await readDetail();
      },
      loadMore: async () => {
        const { rows, matching } = get();
        if (rows.length < matching) await read(rows.length + PAGE);
      },
      setFilter: async (filter) => {
        set({ filter });
        await read(PAGE);
      },
      setQuery: async (text) => {
        set({ query: text });
        await read(PAGE);
      },
      setVault: async (vaultId) => {
        set({ vaultId });
        await read(PAGE);
      },
      select: async (id) => {
        set({ selectedId: id, detail: null });
        await readDetail();
      },
      retry: async (ids) => {
        await client.notes.retry({ ids: [...ids] });
        await get().refresh();
      },
    };
  });
}
