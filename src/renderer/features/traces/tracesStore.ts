import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Trace, TraceRow } from '../../../shared/contract/traces.ts';
import type { TurnId } from '../../../shared/ids.ts';
import type { Api } from '../../api.ts';

export interface TracesState {
  rows: TraceRow[];
  selected: Trace | null;
  refresh(): Promise<void>;
  select(id: string): Promise<void>;
  selectTurn(turnId: TurnId): Promise<void>;
}

export type TracesStore = StoreApi<TracesState>;

export function createTracesStore({ client }: Api): TracesStore {
  // Set as soon as one is asked for, so that the newest does not take its place when the list comes.
  let chosen = false;
  return createStore<TracesState>()((set, get) => ({
    rows: [],
    selected: null,
    refresh: async () => {
      const { traces } = await client.traces.list({});
      set({ rows: traces });
      const first = traces[0];
      if (!chosen && first) await get().select(first.id);
    },
    select: async (id) => {
      chosen = true;
      set({ selected: await client.traces.get({ id }) });
    },
    selectTurn: async (turnId) => {
      chosen = true;
      const trace = await client.traces.ofTurn({ turnId });
      if (trace) set({ selected: trace });
    },
  }));
}
