import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Citation, ConversationRow, Turn, TurnEvent } from '../../../shared/contract/chat.ts';
import type { Candidate } from '../../../shared/contract/retrieval.ts';
import type { TraceItem } from '../../../shared/contract/traces.ts';
import type { ConversationId, FactId, TurnId } from '../../../shared/ids.ts';
import type { Api } from '../../api.ts';

/** Shown in the place of a channel: what was put away. No channel has this name, since names are trimmed. */
export const ARCHIVED = ' archived';

/** New conversations do not begin there. */
const NOT_WRITTEN_IN = [ARCHIVED, 'import', 'mcp'];

export type ConversationChange = Partial<Pick<ConversationRow, 'title' | 'channel' | 'pinned' | 'archived'>>;

export interface ChatState {
  conversations: ConversationRow[];
  query: string;
  /** Of which the list is; null for every channel. */
  channel: string | null;
  channels: { channel: string; conversations: number }[];
  archivedCount: number;
  /** Null: a new conversation, which exists once its first message is sent. */
  openId: ConversationId | null;
  title: string;
  turns: Turn[];
  loading: boolean;
  /** Text and citations of the turns under way, as they come. */
  streams: ReadonlyMap<TurnId, Stream>;
  /** Calls whose events still come. */
  running: number;
  /** Unsent text, by conversation; '' is the new one's. */
  drafts: Record<string, string>;
  inspected: Citation | null;
  setQuery(query: string): Promise<void>;
  setChannel(channel: string | null): Promise<void>;
  clearFilter(): Promise<void>;
  refreshList(): Promise<void>;
  open(id: ConversationId | null): Promise<void>;
  setDraft(text: string): void;
  send(): Promise<void>;
  regenerate(turnId: TurnId): Promise<void>;
  askAgain(turn: Turn): Promise<void>;
  stop(): Promise<void>;
  change(id: ConversationId, change: ConversationChange): Promise<void>;
  /** Gives the facts that came from it: they stay. */
  remove(id: ConversationId): Promise<FactId[]>;
  removeFacts(ids: readonly FactId[]): Promise<void>;
  restoreFacts(ids: readonly FactId[]): Promise<void>;
  restore(id: ConversationId): Promise<void>;
  chooseVersion(turnId: TurnId, version: number): Promise<void>;
  /** Takes back a fact that a turn taught. */
  unlearn(conversationId: ConversationId, factId: FactId): Promise<void>;
  /** What a turn was given and its reply does not cite. */
  givenNotCited(turn: Turn): Promise<TraceItem[]>;
  /** Candidates of a turn that were not given, best first. */
  nearest(turn: Turn): Promise<Candidate[]>;
  inspect(citation: Citation | null): void;
}

/** What has come of a reply. Of several calls that follow one turn, the latest tells it. */
export interface Stream {
  call: number;
  citations: Citation[];
  text: string;
}

export type ChatStore = StoreApi<ChatState>;

const draftKey = (id: ConversationId | null) => id ?? '';

/** The text that was asked in a turn. */
export function questionOf(turn: Turn): string {
  return turn.messages
    .filter((message) => message.role === 'user')
    .map((message) => message.content)
    .join('\n\n');
}

export function createChatStore({ client }: Api): ChatStore {
  return createStore<ChatState>()((set, get) => {
    const replaceTurn = (turn: Turn) =>
      set((state) => {
        if (state.openId !== turn.conversationId) return {};
        const known = state.turns.some((other) => other.id === turn.id);
        return {
          turns: known
            ? state.turns.map((other) => (other.id === turn.id ? turn : other))
            : [...state.turns, turn],
        };
      });

    let calls = 0;
    /** A conversation that is being made: what is sent meanwhile goes there too. */
    let making: Promise<ConversationId> | null = null;

    const setStream = (turnId: TurnId, stream: Stream | null) =>
      set(({ streams }) => {
        const next = new Map(streams);
        if (stream) next.set(turnId, stream);
        else next.delete(turnId);
        return { streams: next };
      });

    const follow = async (
      events: AsyncIterable<TurnEvent>,
      isNew: boolean,
      onAccepted?: (id: ConversationId) => void,
    ) => {
      calls += 1;
      const call = calls;
      let turnId: TurnId | null = null;
      const mine = (): Stream | null => {
        const stream = turnId === null ? undefined : get().streams.get(turnId);
        return stream?.call === call ? stream : null;
      };
      for await (const event of events) {
        const stream = mine();
        if (event.type === 'accepted') {
          const { conversationId, turn } = event;
          if (isNew && get().openId === null) {
            // What is being typed already belongs to the conversation that now exists.
            const { [draftKey(null)]: typed = '', ...drafts } = get().drafts;
            set({
              openId: conversationId,
              turns: [],
              drafts: { ...drafts, [conversationId]: typed },
              title: questionOf(turn),
            });
          }
          replaceTurn(turn);
          turnId = turn.id;
          setStream(turn.id, { call, citations: [], text: '' });
          onAccepted?.(conversationId);
        } else if (event.type === 'citation' && turnId && stream) {
          setStream(turnId, { ...stream, citations: [...stream.citations, event.citation] });
        } else if (event.type === 'text' && turnId && stream) {
          setStream(turnId, { ...stream, text: stream.text + event.delta });
        } else if (event.type === 'done') {
          replaceTurn(event.turn);
          if (turnId && stream) setStream(turnId, null);
        }
      }
    };

    const run = async (work: () => Promise<void>) => {
      set(({ running }) => ({ running: running + 1 }));
      try {
        await work();
      } finally {
        set(({ running }) => ({ running: running - 1, ...(running === 1 ? { streams: new Map() } : {}) }));
        await get().refreshList();
      }
    };

    const ask = async (text: string, conversationId: ConversationId | null): Promise<void> => {
      if (conversationId !== null) {
        await run(async () => follow(await client.chat.runTurn({ text, conversationId }), false));
        return;
      }
      if (making) {
        await ask(text, await making);
        return;
      }
      const { promise, resolve, reject } = Promise.withResolvers<ConversationId>();
      making = promise;
      // Whoever waits is told; where nobody does, the call below fails by itself.
      promise.catch(() => undefined);
      try {
        await run(async () => {
          try {
            const { channel } = get();
            const within = channel === null || NOT_WRITTEN_IN.includes(channel) ? {} : { channel };
            await follow(await client.chat.runTurn({ text, ...within }), true, (id) => {
              making = null;
              resolve(id);
            });
          } catch (error) {
            reject(error);
            throw error;
          }
        });
      } finally {
        if (making === promise) making = null;
      }
    };

    return {
      conversations: [],
      query: '',
      channel: null,
      channels: [],
      archivedCount: 0,
      openId: null,
      title: '',
      turns: [],
      loading: false,
      streams: new Map(),
      running: 0,
      drafts: {},
      inspected: null,

      setQuery: async (query) => {
        set({ query });
        await get().refreshList();
      },
      setChannel: async (channel) => {
        set({ channel });
        await get().refreshList();
      },
      clearFilter: async () => {
        set({ query: '', channel: null });
        await get().refreshList();
      },
      refreshList: async () => {
        const { query, channel } = get();
        const archived = channel === ARCHIVED;
        const [conversations, { channels, archived: archivedCount }] = await Promise.all([
          client.chat.list({ query, archived, ...(channel === null || archived ? {} : { channel }) }),
          client.chat.channels(),
        ]);
        // A slower answer to an older query must not replace a newer one's.
        if (get().query !== query || get().channel !== channel) return;
        const open = conversations.find((conversation) => conversation.id === get().openId);
        set({ conversations, channels, archivedCount, ...(open ? { title: open.title } : {}) });
      },
      open: async (id) => {
        if (id === null) {
          set({ openId: null, title: '', turns: [], inspected: null, loading: false });
          return;
        }
        const same = get().openId === id;
        set({
          openId: id,
          inspected: same ? get().inspected : null,
          loading: !same,
          ...(same ? {} : { turns: [] }),
        });
        try {
          const { conversation, turns } = await client.chat.get({ id });
          if (get().openId === id) set({ turns, title: conversation.title });
        } catch (error) {
          // One that cannot be read leaves no empty page behind.
          if (get().openId === id && !same) set({ openId: null, title: '' });
          throw error;
        } finally {
          if (get().openId === id || get().openId === null) set({ loading: false });
        }
      },
      setDraft: (text) => set((state) => ({ drafts: { ...state.drafts, [draftKey(state.openId)]: text } })),
      send: async () => {
        const { drafts, openId } = get();
        const text = (drafts[draftKey(openId)] ?? '').trim();
        if (text === '') return;
        get().setDraft('');
        try {
          await ask(text, openId);
        } catch (error) {
          // What was not accepted is not lost.
          if ((get().drafts[draftKey(openId)] ?? '') === '' && get().openId === openId) get().setDraft(text);
          throw error;
        }
      },
      regenerate: (turnId) => run(async () => follow(await client.chat.regenerate({ turnId }), false)),
      askAgain: (turn) => get().regenerate(turn.id),
      stop: async () => {
        const open = new Set(get().turns.map((turn) => turn.id));
        await Promise.all(
          [...get().streams.keys()]
            .filter((turnId) => open.has(turnId))
            .map((turnId) => client.chat.stop({ turnId })),
        );
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
      removeFacts: async (ids) => {
        await client.facts.remove({ ids: [...ids] });
      },
      restoreFacts: async (ids) => {
        await client.facts.restore({ ids: [...ids] });
      },
      restore: async (id) => {
        await client.chat.restore({ id });
        await get().refreshList();
        await get().open(id);
      },
      chooseVersion: async (turnId, version) =>
        replaceTurn(await client.chat.chooseVersion({ turnId, version })),
      unlearn: async (conversationId, factId) => {
        await client.facts.remove({ ids: [factId] });
        await get().open(conversationId);
      },
      givenNotCited: async (turn) => {
        const trace = await client.traces.ofTurn({ turnId: turn.id });
        const reply = turn.replies.find(({ version }) => version === turn.activeVersion);
        const cited = new Set<string>(reply?.citations.map(({ id }) => id));
        return (trace?.items ?? []).filter(
          ({ verdict, itemId }) => verdict === 'injected' && !cited.has(itemId),
        );
      },
      nearest: async (turn) => {
        const { conversationId } = turn;
        const { candidates } = await client.retrieval.preview({ text: questionOf(turn), conversationId });
        return candidates.filter((candidate) => candidate.verdict === 'below-minimum').slice(0, 3);
      },
      inspect: (citation) => set({ inspected: citation }),
    };
  });
}
