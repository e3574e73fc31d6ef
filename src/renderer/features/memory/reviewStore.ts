import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Fact } from '../../../shared/contract/facts.ts';
import {
  REVIEW_GROUPS,
  type ReviewGroup,
  type ReviewItem,
  type ReviewKey,
} from '../../../shared/contract/review.ts';
import type { FactId } from '../../../shared/ids.ts';
import type { Api } from '../../api.ts';
import { withTicks } from './withTicks.ts';

const PAGE = 100;
/** As many as one call may return. */
const MOST = 500;

export interface ReviewState {
  counts: Readonly<Record<ReviewGroup, number>>;
  /** The group that is shown: the one chosen, or the first that has items once that has none. */
  group: ReviewGroup;
  items: ReviewItem[];
  /** Where the next page begins; null if every item is here. */
  next: string | null;
  selectedId: string | null;
  /** Which fact of a pair is meant. */
  side: number;
  ticked: ReadonlySet<string>;
  /** Reads counts alone, or what is shown too once it was. */
  refresh(): Promise<void>;
  open(): Promise<void>;
  setGroup(group: ReviewGroup): Promise<void>;
  loadMore(): Promise<void>;
  select(id: string | null, side?: number): void;
  tick(ids: readonly string[], on: boolean): void;
  /** Leaves facts as they are. */
  keep(items: readonly ReviewItem[]): Promise<void>;
  unkeep(items: readonly ReviewItem[]): Promise<void>;
  /** @returns what says them afterwards, and what undoes it */
  confirm(ids: readonly FactId[]): Promise<{ facts: Fact[]; undo: string }>;
  unconfirm(undo: string): Promise<void>;
  /** Facts are right whatever their notes say by now. */
  keepStale(ids: readonly FactId[]): Promise<void>;
  /** Ends a conflict with the facts note. */
  settleConflict(id: FactId, keep: 'fact' | 'note' | 'both'): Promise<void>;
  changeStale(id: FactId, content: string): Promise<void>;
}

export type ReviewStore = StoreApi<ReviewState>;

const NONE = Object.fromEntries(REVIEW_GROUPS.map((group) => [group, 0])) as Record<ReviewGroup, number>;

/** How many items wait for the user. What is never given can wait for ever. */
export const waiting = (counts: ReviewState['counts']): number =>
  REVIEW_GROUPS.reduce((sum, group) => sum + (group === 'unused' ? 0 : counts[group]), 0);

export const keyOf = ({ group, facts }: ReviewItem): ReviewKey => ({ group, ids: facts.map(({ id }) => id) });

export function createReviewStore({ client }: Api): ReviewStore {
  return createStore<ReviewState>()((set, get) => {
    let isOpen = false;
    /** Counts the readings, so that a slow one does not replace a later one. */
    let reading = 0;

    const read = async (wanted: ReviewGroup, limit: number): Promise<void> => {
      reading += 1;
      const turn = reading;
      let group = wanted;
      let page = await client.review.list({ group, limit });
      const has = (one: ReviewGroup) => page.counts.some((of) => of.group === one && of.count > 0);
      const first = REVIEW_GROUPS.find(has);
      if (!has(group) && first !== undefined) {
        group = first;
        page = await client.review.list({ group, limit });
      }
      if (turn !== reading) return;
      const { items, next, counts } = page;
      const there = new Set(items.map(({ id }) => id));
      set(({ ticked, items: before, selectedId }) => ({
        counts: { ...NONE, ...Object.fromEntries(counts.map((one) => [one.group, one.count])) },
        group,
        items,
        next,
        ticked: new Set([...ticked].filter((id) => there.has(id))),
        selectedId:
          selectedId !== null && there.has(selectedId) ? selectedId : near(before, items, selectedId),
      }));
    };

    return {
      counts: NONE,
      group: REVIEW_GROUPS[0],
      items: [],
      next: null,
      selectedId: null,
      side: 0,
      ticked: new Set(),

      refresh: async () => {
        if (isOpen) return read(get().group, Math.min(MOST, Math.max(PAGE, get().items.length)));
        const { counts } = await client.review.list({ limit: 0 });
        set({ counts: { ...NONE, ...Object.fromEntries(counts.map((one) => [one.group, one.count])) } });
      },
      open: async () => {
        isOpen = true;
        await get().refresh();
      },
      setGroup: async (group) => {
        // At once, so that a reading that begins meanwhile is of this group.
        set({ group, items: [], next: null, ticked: new Set(), selectedId: null, side: 0 });
        await read(group, PAGE);
      },
      loadMore: async () => {
        const { next, group } = get();
        if (next === null) return;
        const turn = reading;
        const page = await client.review.list({ group, limit: PAGE, cursor: next });
        if (turn !== reading || get().next !== next) return;
        set(({ items }) => ({ items: [...items, ...page.items], next: page.next }));
      },
      select: (selectedId, side = 0) => set({ selectedId, side }),
      tick: (ids, on) => set(({ ticked }) => ({ ticked: withTicks(ticked, ids, on) })),
      keep: async (items) => {
        await client.review.settle({ items: items.map(keyOf), act: 'keep' });
        await get().refresh();
      },
      unkeep: async (items) => {
        await client.review.unsettle({ items: items.map(keyOf) });
        await get().refresh();
      },
      keepStale: async (ids) => {
        for (const id of ids) await client.facts.settleStale({ id, act: 'confirm' });
        await get().refresh();
      },
      settleConflict: async (id, keep) => {
        await client.factsNote.settleConflict({ id, keep });
        await get().refresh();
      },
      changeStale: async (id, content) => {
        await client.facts.settleStale({ id, act: 'change', content });
        await get().refresh();
      },
      confirm: async (ids) => {
        const confirmed = await client.facts.confirm({ ids: [...ids] });
        await get().refresh();
        return confirmed;
      },
      unconfirm: async (undo) => {
        await client.facts.undoConfirm({ undo });
        await get().refresh();
      },
    };
  });
}

/** The item that stands where the selected one stood. */
function near(
  before: readonly ReviewItem[],
  items: readonly ReviewItem[],
  selectedId: string | null,
): string | null {
  const at = before.findIndex(({ id }) => id === selectedId);
  return (items[Math.max(0, Math.min(at, items.length - 1))] ?? null)?.id ?? null;
}
