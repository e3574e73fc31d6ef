import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Citation, ConversationRow, Turn, TurnEvent } from '../../../shared/contract/chat.ts';
import type { Candidate } from '../../../shared/contract/retrieval.ts';
import type { ConversationId, FactId, TurnId } from '../../../shared/ids.ts';
import type { Api } from '../../api.ts';

export interface ChatState {
  conversations: ConversationRow[];
  query: string;
  /** Null: a new conversation, which exists once its first message is sent. */
  openId: ConversationId | null;
  title: string;
  turns: Turn[];
  loading: boolean;
  /** Text and citations of the turn under way, as they come. */
  streaming: { turnId: TurnId; citations: Citation[]; text: string } | null;
  sending: boolean;
  /** Unsent text, by conversation; '' is the new one's. */
  drafts: Record<string, string>;
  inspected: Citation | null;
  setQuery(query: string): Promise<void>;
  refreshList(): Promise<void>;
  open(id: ConversationId | null): Promise<void>;
  setDraft(text: string): void;
  send(): Promise<void>;
  regenerate(turnId: TurnId): Promise<void>;
  askAgain(turn: Turn): Promise<void>;
  stop(): Promise<void>;
  rename(id: ConversationId, title: string): Promise<void>;
  remove(id: ConversationId): Promise<void>;
  restore(id: ConversationId): Promise<void>;
  chooseVersion(turnId: TurnId, version: number): Promise<void>;
  /** Takes back a fact that a turn taught. */
  unlearn(conversationId: ConversationId, factId: FactId): Promise<void>;
  /** Candidates of a turn that were not given, best first. */
  nearest(turn: Turn): Promise<Candidate[]>;
  inspect(citation: Citation | null): void;
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

    const follow = async (events: AsyncIterable<TurnEvent>, isNew: boolean) => {
      for await (const event of events) {
        if (event.type === 'accepted') {
          const { conversationId, turn } = event;
          if (isNew) {
            const draft = { ...get().drafts, [draftKey(null)]: '' };
            set({ openId: conversationId, turns: [], drafts: draft, title: questionOf(turn) });
          } else set((state) => ({ drafts: { ...state.drafts, [draftKey(conversationId)]: '' } }));
          replaceTurn(turn);
          set({ streaming: { turnId: turn.id, citations: [], text: '' } });
        } else if (event.type === 'citation') {
          set(({ streaming }) =>
            streaming
              ? { streaming: { ...streaming, citations: [...streaming.citations, event.citation] } }
              : {},
          );
        } else if (event.type === 'text') {
          set(({ streaming }) =>
            streaming ? { streaming: { ...streaming, text: streaming.text + event.delta } } : {},
          );
        } else if (event.type === 'done') {
          replaceTurn(event.turn);
          set({ streaming: null });
        }
      }
    };

    const run = async (work: () => Promise<void>) => {
      if (get().sending) return;
      set({ sending: true });
      try {
        await work();
      } finally {
        set({ sending: false, streaming: null });
        await get().refreshList();
      }
    };

    const ask = (text: string, conversationId: ConversationId | null) =>
      run(async () =>
        follow(
          await client.chat.runTurn(conversationId === null ? { text } : { text, conversationId }),
          conversationId === null,
        ),
      );

    return {
      conversations: [],
      query: '',
      openId: null,
      title: '',
      turns: [],
      loading: false,
      streaming: null,
      sending: false,
      drafts: {},
      inspected: null,

      setQuery: async (query) => {
        set({ query });
        await get().refreshList();
      },
      refreshList: async () => {
        const { query } = get();
        const conversations = await client.chat.list({ query });
        // A slower answer to an older query must not replace a newer one's.
        if (get().query !== query) return;
        const open = conversations.find((conversation) => conversation.id === get().openId);
        set({ conversations, ...(open ? { title: open.title } : {}) });
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
        } finally {
          if (get().openId === id) set({ loading: false });
        }
      },
      setDraft: (text) => set((state) => ({ drafts: { ...state.drafts, [draftKey(state.openId)]: text } })),
      send: async () => {
        const { drafts, openId } = get();
        const text = (drafts[draftKey(openId)] ?? '').trim();
        if (text !== '') await ask(text, openId);
      },
      regenerate: (turnId) => run(async () => follow(await client.chat.regenerate({ turnId }), false)),
      askAgain: (turn) => get().regenerate(turn.id),
      stop: async () => {
        const { streaming } = get();
        if (streaming) await client.chat.stop({ turnId: streaming.turnId });
      },
      rename: async (id, title) => {
        await client.chat.rename({ id, title });
        await get().refreshList();
      },
      remove: async (id) => {
        await client.chat.remove({ id });
        if (get().openId === id) await get().open(null);
        await get().refreshList();
      },
      restore: async (id) => {
        await client.chat.restore({ id });
        await get().refreshList();
        await get().open(id);
      },
      chooseVersion: async (turnId, version) =>
        replaceTurn(await client.chat.chooseVersion({ turnId, version })),
      unlearn: async (conversationId, factId) => {
        await client.facts.remove({ id: factId });
        await get().open(conversationId);
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
