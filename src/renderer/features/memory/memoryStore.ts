import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Fact, FactKind } from '../../../shared/contract/facts.ts';
import type { ItemKind, SearchMode, SearchResult } from '../../../shared/contract/retrieval.ts';
import type { FactId } from '../../../shared/ids.ts';
import type { Api } from '../../api.ts';
import { withTicks } from './withTicks.ts';

export type MemoryTab = 'facts' | 'search' | 'review' | 'given' | 'context';
export type Age = 'any' | 'day' | 'week' | 'month';
export type Use = 'any' | 'used' | 'never';

export interface FactFilter {
  query: string;
  kind: FactKind | null;
  subject: string | null;
  source: Fact['source'] | null;
  age: Age;
  use: Use;
  /** Only facts in this state; those that are past are listed with `all`. */
  status: Fact['status'] | null;
  /** Includes superseded, expired and forgotten facts. */
  all: boolean;
}

export type FactChange = Partial<Pick<Fact, 'content' | 'kind' | 'subjects' | 'importance' | 'pinned'>>;

export interface MemoryState {
  tab: MemoryTab;
  facts: Fact[];
  filter: FactFilter;
  selectedId: FactId | null;
  ticked: ReadonlySet<FactId>;
  search: {
    text: string;
    mode: SearchMode;
    kind: ItemKind | null;
    /** Conversations and facts of this channel only; null for everything. */
    channel: string | null;
    channels: string[];
    results: SearchResult[] | null;
  };
  setTab(tab: MemoryTab): void;
  refresh(): Promise<void>;
  setFilter(patch: Partial<FactFilter>): Promise<void>;
  select(id: FactId | null): void;
  /** Lists every fact and selects one, among past facts if it is no longer in use. */
  show(id: FactId): Promise<void>;
  tick(ids: readonly FactId[], on: boolean): void;
  add(content: string): Promise<Fact>;
  change(id: FactId, change: FactChange): Promise<void>;
  remove(ids: readonly FactId[]): Promise<void>;
  restore(ids: readonly FactId[]): Promise<void>;
  /** What several facts would say as one. */
  proposeMerge(ids: readonly FactId[]): Promise<string>;
  /** Makes one fact of several. */
  merge(ids: readonly FactId[], content: string): Promise<Fact>;
  unmerge(id: FactId): Promise<void>;
  /** A fact with what it replaced and what replaced it, and when something was last merged into it, if that can be undone. */
  history(id: FactId): Promise<{ facts: Fact[]; mergedAt: number | null }>;
  setSearch(patch: Partial<MemoryState['search']>): void;
  /** Channels that a search can be narrowed to. */
  readChannels(): Promise<void>;
  runSearch(): Promise<void>;
}

export type MemoryStore = StoreApi<MemoryState>;

export const NO_FILTER: FactFilter = {
  query: '',
  kind: null,
  subject: null,
  source: null,
  age: 'any',
  use: 'any',
  status: null,
  all: false,
};

const DAY_MS = 86_400_000;
const AGES: Readonly<Record<Age, number>> = {
  any: Number.POSITIVE_INFINITY,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
};
const RESULTS = 50;

/** The facts that match a filter. */
export function matching(facts: readonly Fact[], filter: FactFilter, now: number): Fact[] {
  const words = filter.query.trim().toLowerCase();
  return facts.filter(
    (fact) =>
      (words === '' || [fact.content, ...fact.subjects].some((text) => text.toLowerCase().includes(words))) &&
      (filter.kind === null || fact.kind === filter.kind) &&
      (filter.subject === null || fact.subjects.includes(filter.subject)) &&
      (filter.source === null || fact.source === filter.source) &&
      (filter.status === null || fact.status === filter.status) &&
      now - fact.createdAt <= AGES[filter.age] &&
      (filter.use === 'any' || fact.useCount > 0 === (filter.use === 'used')),
  );
}

export function createMemoryStore({ client }: Api): MemoryStore {
  return createStore<MemoryState>()((set, get) => ({
    tab: 'facts',
    facts: [],
    filter: NO_FILTER,
    selectedId: null,
    ticked: new Set(),
    search: { text: '', mode: 'hybrid', kind: null, channel: null, channels: [], results: null },

    setTab: (tab) => set({ tab }),
    refresh: async () => {
      const { all } = get().filter;
      const { facts } = await client.facts.list({ all });
      // A slow answer to the other question must not replace the answer to this one.
      if (get().filter.all !== all) return;
      const there = new Set(facts.map(({ id }) => id));
      set(({ ticked }) => ({
        facts,
        ticked: new Set([...ticked].filter((id) => there.has(id))),
      }));
    },
    setFilter: async (patch) => {
      const { all } = get().filter;
      set(({ filter }) => ({ filter: { ...filter, ...patch } }));
      if (get().filter.all !== all) await get().refresh();
    },
    select: (selectedId) => set({ selectedId }),
    show: async (id) => {
      set({ tab: 'facts', filter: NO_FILTER, selectedId: id });
      await get().refresh();
      if (!get().facts.some((fact) => fact.id === id)) await get().setFilter({ all: true });
    },
    tick: (ids, on) => set(({ ticked }) => ({ ticked: withTicks(ticked, ids, on) })),
    add: async (content) => {
      const fact = await client.facts.add({ content });
      await get().refresh();
      set({ selectedId: fact.id });
      return fact;
    },
    change: async (id, change) => {
      await client.facts.edit({ id, ...change });
      await get().refresh();
    },
    remove: async (ids) => {
      await client.forget.apply({ ticked: { facts: [...ids] } });
      const gone = new Set(ids);
      set(({ ticked, selectedId }) => ({
        ticked: new Set([...ticked].filter((id) => !gone.has(id))),
        selectedId: selectedId !== null && gone.has(selectedId) ? null : selectedId,
      }));
      await get().refresh();
    },
    restore: async (ids) => {
      await client.facts.restore({ ids: [...ids] });
      await get().refresh();
    },
    proposeMerge: async (ids) => (await client.facts.proposeMerge({ ids: [...ids] })).content,
    merge: async (ids, content) => {
      const fact = await client.facts.merge({ ids: [...ids], content });
      set({ ticked: new Set() });
      await get().refresh();
      return fact;
    },
    unmerge: async (id) => {
      await client.facts.unmerge({ id });
      await get().refresh();
    },
    history: (id) => client.facts.history({ id }),
    setSearch: (patch) => set(({ search }) => ({ search: { ...search, ...patch } })),
    readChannels: async () => {
      const { channels } = await client.chat.channels();
      get().setSearch({ channels: channels.map((one) => one.channel) });
    },
    runSearch: async () => {
      const { text, mode, kind, channel } = get().search;
      if (text.trim() === '') return get().setSearch({ results: null });
      const { results } = await client.retrieval.search({
        text,
        mode,
        limit: RESULTS,
        ...(kind === null ? {} : { kinds: [kind] }),
        ...(channel === null ? {} : { channel }),
      });
      // The results of a text that has changed meanwhile are dropped.
      if (get().search.text === text) get().setSearch({ results });
    },
  }));
}
