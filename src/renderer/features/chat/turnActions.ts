import type { Turn, TurnEvent } from '../../../shared/contract/chat.ts';
import type { Client } from '../../../shared/contract/index.ts';
import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import { isCutOff } from '../../api.ts';
import {
  ARCHIVED,
  type ChatState,
  type ChatStore,
  isPending,
  questionOf,
  shownReply,
  type TurnState,
} from './chatState.ts';
import { keepSame } from './listActions.ts';
import { ReplyStreams } from './replyStreams.ts';

interface StorePorts {
  set: ChatStore['setState'];
  get: ChatStore['getState'];
  nextFrame: (work: () => void) => void;
}

/** New conversations do not begin in these. */
const NOT_WRITTEN_IN = [ARCHIVED, 'import', 'mcp'];
const draftKey = (id: ConversationId | null) => id ?? '';

/** Turns with one put in its place, or added at the end. */
function withTurn({ openId, turns }: ChatState, turn: Turn): Partial<ChatState> {
  if (openId !== turn.conversationId) return {};
  const known = turns.some(({ id }) => id === turn.id);
  return { turns: known ? turns.map((other) => (other.id === turn.id ? turn : other)) : [...turns, turn] };
}

/**
 * Turns as just read. One that changed here since the reading began is newer than what was read, and stays.
 * @param before the turns when the reading began
 */
function merge(before: readonly Turn[], now: readonly Turn[], read: readonly Turn[]): readonly Turn[] {
  const newer = new Map(now.filter((turn) => !before.includes(turn)).map((turn) => [turn.id, turn]));
  const known = new Set(read.map(({ id }) => id));
  const added = [...newer.values()].filter(({ id }) => !known.has(id));
  return keepSame(now, [...read.map((turn) => newer.get(turn.id) ?? turn), ...added], ({ id }) => id);
}

/** The draft of a conversation, with a text that could not be sent put back before it. */
function withUnsent({ drafts }: ChatState, key: string, text: string): Partial<ChatState> {
  const typed = drafts[key] ?? '';
  return { drafts: { ...drafts, [key]: typed === '' ? text : `${text}\n\n${typed}` } };
}

/** Calls that ask for a reply, and the events that they bring. */
class Calls {
  readonly #client: Client;
  readonly #store: StorePorts;
  readonly streams: ReplyStreams;
  /** Turns whose events come here. */
  readonly followed = new Set<TurnId>();
  /** A conversation that is being made: what is sent meanwhile goes there too. */
  #making: Promise<ConversationId> | null = null;

  constructor(client: Client, store: StorePorts) {
    this.#client = client;
    this.#store = store;
    this.streams = new ReplyStreams((streams) => store.set({ streams }), store.nextFrame);
  }

  /**
   * Sends a message and follows its turn to the end.
   * @throws what kept the message from being accepted; a stream that breaks later leaves the turn to be read again
   */
  async ask(text: string, conversationId: ConversationId | null): Promise<void> {
    const { chat } = this.#client;
    if (conversationId !== null) {
      await this.#follow(() => chat.runTurn({ text, conversationId }));
    } else if (this.#making) {
      await this.ask(text, await this.#making);
    } else await this.#askInNew(text);
  }

  async regenerate(turnId: TurnId): Promise<void> {
    await this.#follow(() => this.#client.chat.regenerate({ turnId }));
  }

  async #askInNew(text: string): Promise<void> {
    const { channel } = this.#store.get();
    const within = channel === null || NOT_WRITTEN_IN.includes(channel) ? {} : { channel };
    const { promise, resolve, reject } = Promise.withResolvers<ConversationId>();
    this.#making = promise;
    // The call below fails by itself; this only keeps a promise that nobody awaits from being reported.
    promise.catch(() => undefined);
    try {
      await this.#follow(
        () => this.#client.chat.runTurn({ text, ...within }),
        (id, turn) => {
          this.#making = null;
          this.#openNew(id, turn);
          resolve(id);
        },
      );
    } catch (error) {
      reject(error);
      throw error;
    } finally {
      if (this.#making === promise) this.#making = null;
    }
  }

  /** Opens the conversation that now exists, unless another was opened meanwhile. What is being typed belongs to it. */
  #openNew(id: ConversationId, turn: Turn): void {
    this.#store.set(({ openId, drafts }) => {
      if (openId !== null) return {};
      const { [draftKey(null)]: typed = '', ...others } = drafts;
      return { openId: id, turns: [], drafts: { ...others, [id]: typed }, title: questionOf(turn) };
    });
  }

  async #follow(
    call: () => Promise<AsyncIterable<TurnEvent>>,
    onAccepted?: (id: ConversationId, turn: Turn) => void,
  ): Promise<void> {
    let turnId: TurnId | null = null;
    let number = 0;
    try {
      const events = (await call())[Symbol.asyncIterator]();
      for (;;) {
        const event = await nextOf(events, turnId !== null);
        if (!event) return;
        if (event.type === 'accepted') {
          onAccepted?.(event.conversationId, event.turn);
          turnId = event.turn.id;
          this.#store.set((state) => withTurn(state, event.turn));
          number = this.streams.begin(turnId);
          this.followed.add(turnId);
        } else if (turnId !== null) this.#apply(event, turnId, number);
      }
    } finally {
      // A later call that follows the same turn goes on.
      if (turnId !== null && this.streams.isLatest(turnId, number)) this.followed.delete(turnId);
    }
  }

  #apply(event: TurnEvent, turnId: TurnId, call: number): void {
    if (event.type === 'citation') this.streams.addCitation(turnId, call, event.citation);
    else if (event.type === 'text') this.streams.addText(turnId, call, event.delta);
    else if (event.type === 'reasoning') this.streams.addReasoning(turnId, call, event.delta);
    else if (event.type === 'done') {
      this.#store.set((state) => withTurn(state, event.turn));
      this.streams.end(turnId, call);
    }
  }
}

/**
 * The next event; null at the end. An accepted message is answered whether or not it is followed, so a connection that breaks
 * after that only ends the following: the turn is read again once the connection is back.
 */
async function nextOf(events: AsyncIterator<TurnEvent>, isAccepted: boolean): Promise<TurnEvent | null> {
  try {
    const { done, value } = await events.next();
    return done ? null : value;
  } catch (error) {
    if (isAccepted && isCutOff(error)) return null;
    throw error;
  }
}

/** A conversation with all its turns. */
async function readConversation(client: Client, id: ConversationId) {
  let page = await client.chat.get({ id, limit: 200 });
  const turns = [...page.turns];
  while (page.hasMore) {
    page = await client.chat.get({ id, limit: 200, before: turns[0]?.id });
    turns.unshift(...page.turns);
  }
  return { conversation: page.conversation, turns };
}

/** Opening a conversation, asking in it, and what can be done to its turns. */
export function createTurnActions(client: Client, store: StorePorts): TurnState {
  const { set, get } = store;
  const calls = new Calls(client, store);

  return {
    openId: null,
    title: '',
    turns: [],
    loading: false,
    streams: new Map(),
    drafts: {},
    inspected: null,

    open: async (id) => {
      if (id === null) {
        set({ openId: null, title: '', turns: [], inspected: null, loading: false });
        return;
      }
      const same = get().openId === id;
      const before = same ? get().turns : [];
      set({
        openId: id,
        inspected: same ? get().inspected : null,
        loading: !same,
        ...(same ? {} : { turns: [] }),
      });
      try {
        const { conversation, turns } = await readConversation(client, id);
        if (get().openId === id) {
          set((state) => ({ turns: merge(before, state.turns, turns), title: conversation.title }));
        }
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
        await calls.ask(text, openId);
      } catch (error) {
        set((state) => withUnsent(state, draftKey(openId), text));
        throw error;
      }
    },
    regenerate: (turnId) => calls.regenerate(turnId),
    stop: async () => {
      const underWay = get().turns.filter(isPending);
      await Promise.all(underWay.map(({ id }) => client.chat.stop({ turnId: id })));
    },
    readPending: async () => {
      const pending = get().turns.filter((turn) => isPending(turn) && !calls.followed.has(turn.id));
      if (pending.length === 0) return;
      const { turns } = await client.chat.turns({ ids: pending.map(({ id }) => id) });
      for (const turn of turns) {
        if (calls.followed.has(turn.id)) continue;
        set((state) => withTurn(state, turn));
        const shown = get().streams.get(turn.id)?.text ?? '';
        const stored = shownReply(turn)?.content ?? '';
        if (!isPending(turn) || stored.length >= shown.length) calls.streams.drop(turn.id);
      }
    },
    chooseVersion: async (turnId, version) => {
      const turn = await client.chat.chooseVersion({ turnId, version });
      set((state) => withTurn(state, turn));
    },
    unlearn: async (conversationId, factId) => {
      await client.facts.remove({ ids: [factId] });
      await get().open(conversationId);
    },
    givenNotCited: async (turn) => {
      const trace = await client.traces.ofTurn({ turnId: turn.id });
      const cited = new Set<string>(shownReply(turn)?.citations.map(({ id }) => id));
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
}
