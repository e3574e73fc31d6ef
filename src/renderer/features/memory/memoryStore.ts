import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Fact, FactKind } from '../../../shared/contract/facts.ts';
import type { SearchMode, SearchResult } from '../../../shared/contract/retrieval.ts';
import type { FactId } from '../../../shared/ids.ts';
import type { Api } from '../../api.ts';
import { activeParts, NO_PARTS, type SearchPart, type SearchParts, toFilter } from './searchFilter.ts';
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
    parts: SearchParts;
    /** What the parts can be narrowed to. */
    choices: { channels: string[]; folders: string[]; authors: string[] };
    results: SearchResult[] | null;
    /** If nothing was found: how much there is without one part of the filter, or without all of them. */
    without: { part: SearchPart | 'all'; count: number }[];
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
  setSearch(patch: Partial<Pick<MemoryState['search'], 'text' | 'mode'>>): void;
  setParts(patch: Partial<SearchParts>): void;
  clearParts(): void;
  /** Reads what a search can be narrowed to. */
  readChoices(): Promise<void>;
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
    search: {
      text: '',
      mode: 'hybrid',
      parts: NO_PARTS,
      choices: { channels: [], folders: [], authors: [] },
      results: null,
      without: [],
    },

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
    setParts: (patch) =>
      set(({ search }) => ({ search: { ...search, parts: { ...search.parts, ...patch } } })),
    clearParts: () => get().setParts(NO_PARTS),
    readChoices: async () => {
      const [{ channels }, others] = await Promise.all([client.chat.channels(), client.retrieval.filters()]);
      const choices = { channels: channels.map((one) => one.channel), ...others };
      set(({ search }) => ({ search: { ...search, choices } }));
    },
    runSearch: async () => {
      const { text, mode, parts } = get().search;
      // What was asked meanwhile is answered by its own results.
      const isAsked = () => {
        const { search } = get();
        return search.text === text && search.mode === mode && search.parts === parts;
      };
      const take = (found: Pick<MemoryState['search'], 'results' | 'without'>) => {
        if (isAsked()) set(({ search }) => ({ search: { ...search, ...found } }));
      };
      if (text.trim() === '') return take({ results: null, without: [] });
      const find = async (some: SearchParts) =>
        (await client.retrieval.search({ text, mode, limit: RESULTS, typing: true, ...toFilter(some) }))
          .results;
      const results = await find(parts);
      const active = results.length > 0 ? [] : activeParts(parts);
      const without: { part: SearchPart | 'all'; count: number }[] = [];
      for (const part of active) {
        if (!isAsked()) return;
        without.push({ part, count: (await find({ ...parts, [part]: null })).length });
      }
      if (active.length > 1 && without.every(({ count }) => count === 0))
        without.push({ part: 'all', count: (await find(NO_PARTS)).length });
      take({ results, without: without.filter(({ count }) => count > 0) });
    },
  }));
}
