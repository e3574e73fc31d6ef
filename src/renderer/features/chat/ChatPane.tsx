import { useThrottledValue } from '@mantine/hooks';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import { paneStore, useApp, useAttempt } from '../../context.tsx';
import { Composer } from './Composer.tsx';
import { ConversationList } from './ConversationList.tsx';
import type { TalkStore } from './chatState.ts';
import { createChatStore } from './chatStore.ts';
import { Inspector } from './Inspector.tsx';
import { MemorylessChat, useMemorylessStore } from './MemorylessChat.tsx';
import { Turns } from './Turns.tsx';

const useChatStore = paneStore(createChatStore);
/** One turn sends several events. The list follows the first one at once, and later ones at this interval. */
const LIST_EVERY_MS = 300;
const CITED_EVERY_MS = 1_000;

export function ChatPane() {
  const store = useChatStore();
  const attempt = useAttempt();
  const revision = useThrottledValue(
    useApp((state) => state.conversationsRevision),
    LIST_EVERY_MS,
  );
  const notesRevision = useThrottledValue(
    useApp((state) => state.notesRevision),
    CITED_EVERY_MS,
  );
  const factsRevision = useThrottledValue(
    useApp((state) => state.factsRevision),
    CITED_EVERY_MS,
  );
  const connections = useApp((state) => state.connections);
  const place = useApp((state) => state.place);
  const memoryless = useMemorylessStore();
  const showsMemoryless = useStore(store, (state) => state.showsMemoryless);
  const shown: TalkStore = showsMemoryless ? memoryless : store;
  const inspected = useStore(shown, (state) => state.inspected);
  const title = useStore(store, (state) => state.title);
  const toForget = useStore(store, (state) => state.toForget);
  const forget = useApp((state) => state.forget);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision is what makes it read again.
  useEffect(() => {
    void attempt(() => Promise.all([store.getState().refreshList(), store.getState().readPending()]));
  }, [attempt, store, revision]);

  useEffect(() => {
    const { conversationId, turnId, draft, memoryless } = place;
    const { open, openAt, setDraft, showMemoryless } = store.getState();
    if (memoryless || conversationId !== undefined || draft !== undefined)
      showMemoryless(memoryless === true);
    if (memoryless) document.querySelector<HTMLElement>('[data-composer]')?.focus();
    else if (conversationId !== undefined) {
      const id = conversationId as ConversationId;
      void attempt(() => (turnId === undefined ? open(id) : openAt(id, turnId as TurnId)));
    } else if (draft !== undefined) {
      void open(null);
      if (draft !== '') setDraft(draft);
      document.querySelector<HTMLElement>('[data-composer]')?.focus();
    }
  }, [attempt, store, place]);

  // Reads what happened while this pane was not shown or the core could not be reached.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a connection that is back is what makes it read again.
  useEffect(() => {
    const { openId, open } = store.getState();
    if (openId !== null) void attempt(() => open(openId));
  }, [attempt, store, connections]);

  const turnsRevision = useApp((state) => state.turnsRevision);
  useEffect(() => {
    if (turnsRevision > 0) void attempt(() => store.getState().reopen());
  }, [attempt, store, turnsRevision]);

  // Citations show their notes and facts as they are now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision is what makes it read again.
  useEffect(() => {
    void attempt(() => store.getState().followNotes());
  }, [attempt, store, notesRevision]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision is what makes it read again.
  useEffect(() => {
    void attempt(() => store.getState().followFacts());
  }, [attempt, store, factsRevision]);

  useEffect(() => {
    if (toForget === null) return;
    store.getState().planOpened();
    forget({ subject: { topic: toForget } });
  }, [store, toForget, forget]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') shown.getState().inspect(null);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [shown]);

  const leave = () => store.getState().showMemoryless(false);
  return (
    <div className="columns">
      <ConversationList store={store} memoryless={memoryless} />
      {showsMemoryless ? (
        <MemorylessChat
          store={memoryless}
          onKept={(id) => {
            leave();
            void attempt(() => store.getState().open(id));
          }}
          onClose={leave}
        />
      ) : (
        <section className="main" aria-label={title || undefined}>
          <Turns store={store} stored={store} />
          <Composer store={store} />
        </section>
      )}
      {inspected && <Inspector citation={inspected} onClose={() => shown.getState().inspect(null)} />}
    </div>
  );
}
