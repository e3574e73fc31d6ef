import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Trace, TraceRow } from '../../../shared/contract/traces.ts';
import type { Api } from '../../api.ts';

export interface TracesState {
  rows: TraceRow[];
  selected: Trace | null;
  loading: boolean;
  refresh(): Promise<void>;
  select(id: string): Promise<void>;
}

export type TracesStore = StoreApi<TracesState>;

export function createTracesStore({ client }: Api): TracesStore {
  return createStore<TracesState>()((set, get) => ({
    rows: [],
    selected: null,
    loading: true,
    refresh: async () => {
      const { traces } = await client.traces.list({});
      set({ rows: traces, loading: false });
      const first = traces[0];
      if (!get().selected && first) await get().select(first.id);
    },
    select: async (id) => set({ selected: await client.traces.get({ id }) }),
  }));
}
