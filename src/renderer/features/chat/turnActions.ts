import type { Turn } from '../../../shared/contract/chat.ts';
import type { ForgetRequest } from '../../../shared/contract/forget.ts';
import type { Client } from '../../../shared/contract/index.ts';
import type { NoteId } from '../../../shared/ids.ts';
import { readyIds } from './attaching.ts';
import { Calls, type Destination } from './calls.ts';
import {
  draftKey,
  isPending,
  questionOf,
  type StoreAccess,
  shownReply,
  type TurnState,
  withTurn,
  withUnsentMessage,
} from './chatState.ts';
import { Opening } from './opening.ts';

const NOTHING_ASKED: ForgetRequest = { asks: 'nothing' };
/** Notes whose stamps are asked for at once. */
const STAMPS = 2_000;
/** Turns that may have taught something since they were read: what a model reads in them is learnt after the reply. */
const LATEST = 5;

const citationsOf = (turn: Turn) => turn.replies.flatMap(({ citations }) => citations);

/** The stamps of every note that some turns cite. */
async function readStamps(client: Client, turns: readonly Turn[]): Promise<Map<NoteId, string | null>> {
  const cited = turns.flatMap(citationsOf).flatMap(({ noteId }) => noteId ?? []);
  const ids = [...new Set(cited)].slice(-STAMPS);
  if (ids.length === 0) return new Map();
  const { stamps } = await client.notes.stamps({ ids });
  return new Map(stamps.map(({ id, stamp }) => [id, stamp]));
}

/** Opening a conversation, asking in it, and what can be done to its turns. */
export function createTurnActions(client: Client, store: StoreAccess): TurnState {
  const { set, get } = store;
  const calls = new Calls(client, store);
  const opening = new Opening(client, store);
  let lastRead: Promise<unknown> = Promise.resolve();

  /** What a message asks to forget. Messages are read one after another, so that they are sent in their order. */
  function readRequest(message: string, { id }: Destination): Promise<ForgetRequest> {
    const within = id === null ? {} : { conversationId: id };
    const read = lastRead.then(() => client.forget.read({ message, ...within }));
    // A message that could not be read is told of where it was sent; the next one is read all the same.
    lastRead = read.catch(() => undefined);
    return read;
  }

  return {
    openId: null,
    title: '',
    opened: null,
    turns: [],
    hasOlder: false,
    loading: false,
    held: null,
    streams: new Map(),
    drafts: {},
    inspected: null,
    toForget: null,
    isOver: false,
    showsMemoryless: false,

    showMemoryless: (shown) => set({ showsMemoryless: shown }),
    open: (id) => opening.open(id),
    reopen: () => opening.reopen(),
    openAt: (id, turnId) => opening.openAt(id, turnId),
    readOlder: () => opening.readOlder(),
    setDraft: (text) => set((state) => ({ drafts: { ...state.drafts, [draftKey(state.openId)]: text } })),
    send: async (asIs = false) => {
      const { drafts, attached, openId } = get();
      const text = (drafts[draftKey(openId)] ?? '').trim();
      const pending = attached[draftKey(openId)] ?? [];
      if (text === '' || pending.some(({ ready }) => ready === null)) return NOTHING_ASKED;
      get().setDraft('');
      set((state) => ({ attached: { ...state.attached, [draftKey(openId)]: [] } }));
      // Known before anything is waited for: a message that is sent right after the first one goes where that one goes.
      const destination = calls.destination(openId);
      try {
        const request = asIs ? NOTHING_ASKED : await readRequest(text, destination);
        if (request.asks === 'nothing')
          await calls.ask({ text, attachments: readyIds(pending) }, destination);
        else set((state) => withUnsentMessage(state, draftKey(destination.id), { text, pending }));
        return request;
      } catch (error) {
        set((state) => withUnsentMessage(state, draftKey(destination.id), { text, pending }));
        throw error;
      }
    },
    regenerate: (turnId) => calls.regenerate(turnId),
    stop: async () => {
      const underWay = get().turns.filter(isPending);
      await Promise.all(underWay.map(({ id }) => client.chat.stop({ turnId: id })));
    },
    readPending: async () => {
      const turns = await opening.readAgain(
        (turn) => isPending(turn) && !calls.following.followed.has(turn.id),
      );
      for (const turn of turns) {
        const shown = get().streams.get(turn.id)?.text ?? '';
        const stored = shownReply(turn)?.content ?? '';
        if (!isPending(turn) || stored.length >= shown.length) calls.following.streams.drop(turn.id);
      }
    },
    followNotes: async () => {
      const stamps = await readStamps(client, get().turns);
      await opening.readAgain((turn) =>
        citationsOf(turn).some(
          ({ noteId, noteStamp }) => noteId !== undefined && stamps.get(noteId) !== noteStamp,
        ),
      );
    },
    followFacts: async () => {
      const latest = new Set(get().turns.slice(-LATEST));
      await opening.readAgain(
        (turn) =>
          latest.has(turn) ||
          turn.learnt.length > 0 ||
          turn.toReview > 0 ||
          citationsOf(turn).some(({ kind }) => kind === 'fact'),
      );
    },
    chooseVersion: async (turnId, version) => {
      const turn = await client.chat.chooseVersion({ turnId, version });
      set((state) => withTurn(state, turn));
      // What follows is what was said after that version.
      await opening.openBranch(turn.conversationId, turnId);
    },
    editMessage: (turnId, text, attachments) => calls.edit(turnId, { text, attachments: [...attachments] }),
    showBranch: async (turnId) => {
      const turn = await client.chat.showBranch({ turnId });
      await opening.openBranch(turn.conversationId, turnId);
    },
    unlearn: async (turnId, factId) => {
      try {
        await client.facts.undoLearnt({ id: factId, turnId });
      } finally {
        await opening.readAgain((turn) => turn.id === turnId);
      }
    },
    editLearnt: async (turnId, factId, content) => {
      await client.facts.edit({ id: factId, content });
      await opening.readAgain((turn) => turn.id === turnId);
    },
    givenNotCited: async (turn) => {
      const trace = await client.traces.ofTurn({ turnId: turn.id });
      const cited = new Set<string>(shownReply(turn)?.citations.map(({ id }) => id));
      return (trace?.items ?? []).filter(
        ({ verdict, itemId }) => verdict === 'injected' && !cited.has(itemId),
      );
    },
    mark: async (input) => {
      await client.traces.mark(input);
      await opening.readAgain((turn) => turn.id === input.turnId);
    },
    nearest: async (turn) => {
      const { conversationId } = turn;
      const { candidates } = await client.retrieval.preview({ text: questionOf(turn), conversationId });
      return candidates.filter((candidate) => candidate.verdict === 'below-minimum').slice(0, 3);
    },
    inspect: (citation) => set({ inspected: citation }),
    planOpened: () => set({ toForget: null }),
  };
}
