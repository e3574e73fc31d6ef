import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Turn } from '../../../shared/contract/chat.ts';
import type { Client } from '../../../shared/contract/index.ts';
import type { ConversationId } from '../../../shared/ids.ts';
import type { Api } from '../../api.ts';
import { createAttaching, readyIds } from './attaching.ts';
import { type AttachState, draftKey, isPending, type TalkState, withUnsentMessage } from './chatState.ts';
import { Following } from './following.ts';

/** The chat without memory of this window. Of it, nothing is anywhere else than here and in the core's memory. */
export interface MemorylessState extends TalkState, AttachState {
  /** May the notes be read to answer? */
  readsNotes: boolean;
  setReadsNotes(reads: boolean): void;
  /** Sends the draft. */
  send(): Promise<void>;
  /** Makes an ordinary conversation of the chat, and returns its id; null if nothing was said. */
  keep(): Promise<ConversationId | null>;
  close(): void;
}

export type MemorylessStore = StoreApi<MemorylessState>;

const EMPTY = {
  openId: null,
  turns: [],
  streams: new Map(),
  drafts: {},
  attached: {},
  inspected: null,
  isOver: false,
} satisfies Partial<MemorylessState>;

/** @param nextFrame runs work before the next painting of the window */
export function createMemorylessStore(
  { client }: Api,
  nextFrame: (work: () => void) => void = (work) => void requestAnimationFrame(work),
): MemorylessStore {
  return createStore<MemorylessState>()((set, get) => {
    const line = new Line(client.memoryless, (id) => {
      if (get().openId !== id) return;
      if (get().turns.length > 0) set(({ turns }) => ({ isOver: true, turns: turns.map(asCutOff) }));
      else {
        // Nothing was said: the next message opens another.
        line.close();
        set(({ drafts, attached }) => ({
          openId: null,
          drafts: { [draftKey(null)]: drafts[id] ?? '' },
          attached: { [draftKey(null)]: attached[id] ?? [] },
        }));
      }
    });
    /** Counts the chats: what still comes of one that was closed is not of the next. */
    let chat = 0;
    const follow = () => {
      const mine = chat;
      return new Following({ set: (change) => mine === chat && set(change), nextFrame });
    };
    let following = follow();
    const clear = () => {
      chat += 1;
      following = follow();
      line.close();
      for (const id of readyIds(Object.values(get().attached).flat()))
        client.attachments.drop({ id }).catch(() => undefined);
      set(EMPTY);
    };
    /** The chat's id; it is opened by its first message. */
    const opened = async (): Promise<ConversationId> => {
      const id = await line.open();
      const { drafts, attached, openId } = get();
      const key = draftKey(null);
      if (openId === null)
        set({ openId: id, drafts: { [id]: drafts[key] ?? '' }, attached: { [id]: attached[key] ?? [] } });
      return id;
    };
    const known = (): ConversationId => {
      const { openId } = get();
      if (openId === null) throw new Error('there is no chat yet');
      return openId;
    };
    return {
      ...createAttaching(client, { set, get }),
      ...EMPTY,
      hasOlder: false,
      loading: false,
      held: null,
      readsNotes: false,
      setReadsNotes: (reads) => set({ readsNotes: reads }),
      setDraft: (text) => set(({ openId }) => ({ drafts: { [draftKey(openId)]: text } })),
      inspect: (citation) => set({ inspected: citation }),
      readOlder: async () => undefined,
      send: async () => {
        const { drafts, attached, openId, readsNotes: notes } = get();
        const text = (drafts[draftKey(openId)] ?? '').trim();
        const pending = attached[draftKey(openId)] ?? [];
        if (text === '' || pending.some(({ ready }) => ready === null)) return;
        get().setDraft('');
        set({ attached: {} });
        const mine = chat;
        try {
          const id = await opened();
          await following.follow(() =>
            client.memoryless.runTurn({ id, text, notes, attachments: readyIds(pending) }),
          );
        } catch (error) {
          if (mine !== chat) return;
          set((state) => withUnsentMessage(state, draftKey(state.openId), { text, pending }));
          throw error;
        }
      },
      regenerate: async () => {
        const { readsNotes: notes } = get();
        const id = known();
        await following.follow(() => client.memoryless.regenerate({ id, notes }));
      },
      stop: async () => {
        await client.memoryless.stop({ id: known() });
      },
      chooseVersion: async (turnId, version) => {
        const turn = await client.memoryless.chooseVersion({ id: known(), version });
        set(({ turns }) => ({ turns: turns.map((other) => (other.id === turnId ? turn : other)) }));
      },
      keep: async () => {
        const { openId } = get();
        if (openId === null) return null;
        await client.memoryless.keep({ id: openId });
        clear();
        return openId;
      },
      close: clear,
    };
  });
}

/** A turn whose reply will not be told any more. */
function asCutOff(turn: Turn): Turn {
  if (!isPending(turn)) return turn;
  const replies = turn.replies.map((reply) =>
    reply.state === 'pending' ? { ...reply, state: 'stopped' as const } : reply,
  );
  return { ...turn, replies };
}

/** What a chat without memory lives by: the stream of events that opened it. */
class Line {
  readonly #client: Client['memoryless'];
  readonly #onEnd: (id: ConversationId) => void;
  #opened: Promise<ConversationId> | null = null;
  #end: (() => void) | null = null;

  constructor(client: Client['memoryless'], onEnd: (id: ConversationId) => void) {
    this.#client = client;
    this.#onEnd = onEnd;
  }

  /** The id of the chat, which is opened if there is none. */
  open(): Promise<ConversationId> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }

  close(): void {
    this.#end?.();
    this.#opened = null;
    this.#end = null;
  }

  async #open(): Promise<ConversationId> {
    const stop = new AbortController();
    this.#end = () => stop.abort();
    const events = (await this.#client.open(undefined, { signal: stop.signal }))[Symbol.asyncIterator]();
    const opened = await events.next();
    if (opened.done) throw new Error('the chat was not opened');
    const { id } = opened.value;
    const ended = () => {
      if (!stop.signal.aborted) this.#onEnd(id);
    };
    // Nothing else comes: however the stream ends, the chat is gone.
    events.next().then(ended, ended);
    return id;
  }
}
