import { createStore, type StoreApi } from 'zustand/vanilla';
import type {
  ItemMark,
  KnownEmbedder,
  Replay,
  ReplayChanges,
  Trace,
  TraceItem,
  TraceRow,
} from '../../../shared/contract/traces.ts';
import type { TurnId } from '../../../shared/ids.ts';
import type { Api } from '../../api.ts';

export interface TracesState {
  rows: TraceRow[];
  selected: Trace | null;
  refresh(): Promise<void>;
  select(id: string): Promise<void>;
  selectTurn(turnId: TurnId): Promise<void>;
  /** The retrieval once more, with other settings. */
  replay(id: string, changes: ReplayChanges): Promise<Replay>;
  embedders(): Promise<KnownEmbedder[]>;
  /** Null takes a mark back. */
  mark(turnId: TurnId, item: TraceItem, mark: ItemMark | null): Promise<void>;
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
    embedders: () => client.traces.embedders(),
    replay: (id, changes) => client.traces.replay({ id, ...changes }),
    mark: async (turnId, { kind, itemId }, mark) => {
      await client.traces.mark({ turnId, kind, itemId, mark });
      const { selected } = get();
      if (selected?.turnId !== turnId) return;
      const items = selected.items.map((item) =>
        item.kind === kind && item.itemId === itemId ? { ...item, mark } : item,
      );
      set({ selected: { ...selected, items } });
    },
  }));
}
