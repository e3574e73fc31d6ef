import type { Turn } from '../../../shared/contract/chat.ts';
import type { Client } from '../../../shared/contract/index.ts';
import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import { isGone } from '../../api.ts';
import type { StoreAccess } from './chatState.ts';
import { keepSame } from './listActions.ts';

/** Turns that are read at once. */
const PAGE = 30;
const LARGE_PAGE = 200;

interface Reading {
  /** The turns when the reading began. */
  before: readonly Turn[];
  now: readonly Turn[];
  read: readonly Turn[];
}

/** Turns that changed here since a reading began: they are newer than what was read. */
const newerOf = ({ before, now }: Reading) => now.filter((turn) => !before.includes(turn));

/** The turns, with those that were read again in their places. */
function withRead(reading: Reading): readonly Turn[] {
  const { now, read } = reading;
  const newer = new Set(newerOf(reading));
  const byId = new Map(read.map((turn) => [turn.id, turn]));
  const turns = now.map((turn) => (newer.has(turn) ? turn : (byId.get(turn.id) ?? turn)));
  return keepSame(now, turns, ({ id }) => id);
}

/**
 * The turns before the latest page, that page, and the turns that were asked since.
 * @param joins false if there may be others between the page and the turns before it: then these are left out
 */
function withLatest(reading: Reading, joins: boolean): readonly Turn[] {
  const { before, now, read } = reading;
  const inPage = new Set(read.map(({ id }) => id));
  const newer = new Map(newerOf(reading).map((turn) => [turn.id, turn]));
  // What stands further down but not in the page is on another branch, or gone.
  const start = before.findIndex(({ id }) => id === read[0]?.id);
  const earlier = joins ? before.slice(0, Math.max(0, start)).filter(({ id }) => !newer.has(id)) : [];
  const page = read.map((turn) => newer.get(turn.id) ?? turn);
  const asked = [...newer.values()].filter(({ id }) => !inPage.has(id));
  return keepSame(now, [...earlier, ...page, ...asked], ({ id }) => id);
}

/** Reading the turns of the open conversation. */
export class Opening {
  readonly #client: Client;
  readonly #store: StoreAccess;
  #older: Promise<void> | null = null;

  constructor(client: Client, store: StoreAccess) {
    this.#client = client;
    this.#store = store;
  }

  /** Opens a conversation at its latest turns; one that is open already keeps the turns before them. */
  async open(id: ConversationId | null): Promise<void> {
    const { set, get } = this.#store;
    if (id === null) {
      set({
        openId: null,
        title: '',
        turns: [],
        hasOlder: false,
        inspected: null,
        held: null,
        loading: false,
      });
      return;
    }
    const same = get().openId === id;
    const before = same ? get().turns : [];
    set({
      openId: id,
      loading: !same,
      ...(same ? {} : { turns: [], hasOlder: false, inspected: null, held: null }),
    });
    try {
      const { conversation, turns, hasMore } = await this.#client.chat.get({ id, limit: PAGE });
      if (get().openId !== id) return;
      // Turns between those that are here and those that were read may be missing.
      const joins = turns[0] === undefined || before.some((turn) => turn.id === turns[0]?.id);
      set((state) => ({
        turns: withLatest({ before, now: state.turns, read: turns }, joins),
        hasOlder: joins ? state.hasOlder : hasMore,
        title: conversation.title,
        opened: conversation,
      }));
    } catch (error) {
      // A conversation that cannot be read leaves no empty page behind.
      if (get().openId === id && !same) set({ openId: null, title: '' });
      throw error;
    } finally {
      if (get().openId === id || get().openId === null) set({ loading: false });
    }
  }

  /** Reads the latest turns of the open conversation in the place of those that are here; closes one that is gone. */
  async reopen(): Promise<void> {
    const { set, get } = this.#store;
    const { openId: id, turns: before } = get();
    if (id === null) return;
    try {
      const { conversation, turns, hasMore } = await this.#client.chat.get({ id, limit: PAGE });
      if (get().openId !== id) return;
      set((state) => ({
        turns: withLatest({ before, now: state.turns, read: turns }, false),
        hasOlder: hasMore,
        title: conversation.title,
        opened: conversation,
      }));
    } catch (error) {
      if (!isGone(error)) throw error;
      if (get().openId === id) await this.open(null);
    }
  }

  /** Opens a conversation with its turns from the latest back to `turnId`, whose branch is shown if it is not. */
  async openAt(id: ConversationId, turnId: TurnId): Promise<void> {
    const { turns } = await this.#client.chat.turns({ ids: [turnId] });
    if (turns[0]?.isActive === false) await this.#client.chat.showBranch({ turnId });
    await this.#openBackTo(id, turnId);
  }

  /** Reads the branch that is shown since, from the latest turn back to `turnId`, where the reader stays. */
  async openBranch(id: ConversationId, turnId: TurnId): Promise<void> {
    this.#store.set({ held: turnId });
    await this.#openBackTo(id, turnId);
  }

  async #openBackTo(id: ConversationId, turnId: TurnId): Promise<void> {
    const { get } = this.#store;
    await this.open(id);
    while (get().openId === id && get().hasOlder && !get().turns.some((turn) => turn.id === turnId))
      await this.readOlder(LARGE_PAGE);
  }

  /** Reads a page of the turns before those that are here; a second call waits for the first one's page. */
  async readOlder(limit = PAGE): Promise<void> {
    this.#older ??= this.#readOlder(limit).finally(() => {
      this.#older = null;
    });
    await this.#older;
  }

  async #readOlder(limit: number): Promise<void> {
    const { set, get } = this.#store;
    const { openId: id, turns: before, hasOlder } = get();
    const first = before[0];
    if (id === null || first === undefined || !hasOlder) return;
    const { turns, hasMore } = await this.#client.chat.get({ id, before: first.id, limit });
    if (get().openId !== id) return;
    set((state) => ({ turns: [...turns, ...state.turns], hasOlder: hasMore }));
  }

  /** Reads again those of the turns that are here and match; gives them as they are now. */
  async readAgain(matches: (turn: Turn) => boolean): Promise<Turn[]> {
    const { set, get } = this.#store;
    const { openId, turns: before } = get();
    const ids = before.filter(matches).map(({ id }) => id);
    const read: Turn[] = [];
    for (let at = 0; at < ids.length; at += LARGE_PAGE) {
      const { turns } = await this.#client.chat.turns({ ids: ids.slice(at, at + LARGE_PAGE) });
      read.push(...turns);
    }
    if (get().openId === openId && read.length > 0)
      set((state) => ({ turns: withRead({ before, now: state.turns, read }) }));
    return read;
  }
}
