import { useThrottledValue } from '@mantine/hooks';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { ConversationId } from '../../../shared/ids.ts';
import { paneStore, useApp, useAttempt } from '../../context.tsx';
import { Composer } from './Composer.tsx';
import { ConversationList } from './ConversationList.tsx';
import { createChatStore } from './chatStore.ts';
import { Inspector } from './Inspector.tsx';
import { Turns } from './Turns.tsx';

const useChatStore = paneStore(createChatStore);
/** A turn tells of changes several times: the list follows the first one at once, then at this interval. */
const LIST_EVERY_MS = 300;
const NOTES_EVERY_MS = 1_000;

export function ChatPane() {
  const store = useChatStore();
  const attempt = useAttempt();
  const revision = useThrottledValue(
    useApp((state) => state.conversationsRevision),
    LIST_EVERY_MS,
  );
  const notesRevision = useThrottledValue(
    useApp((state) => state.notesRevision),
    NOTES_EVERY_MS,
  );
  const place = useApp((state) => state.place);
  const inspected = useStore(store, (state) => state.inspected);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision is what makes it read again.
  useEffect(() => {
    void attempt(() => Promise.all([store.getState().refreshList(), store.getState().readPending()]));
  }, [attempt, store, revision]);

  useEffect(() => {
    const { conversationId, draft } = place;
    if (conversationId !== undefined)
      void attempt(() => store.getState().open(conversationId as ConversationId));
    else if (draft !== undefined) {
      void store.getState().open(null);
      if (draft !== '') store.getState().setDraft(draft);
      document.querySelector<HTMLElement>('[data-composer]')?.focus();
    }
  }, [attempt, store, place]);

  // Citations read as their notes stand: an edited note changes them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision is what makes it read again.
  useEffect(() => {
    const { openId } = store.getState();
    if (openId !== null) void attempt(() => store.getState().open(openId));
  }, [attempt, store, notesRevision]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') store.getState().inspect(null);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [store]);

  return (
    <div className="columns">
      <ConversationList store={store} />
      <section className="main" aria-label={useStore(store, (state) => state.title) || undefined}>
        <Turns store={store} />
        <Composer store={store} />
      </section>
      {inspected && <Inspector citation={inspected} onClose={() => store.getState().inspect(null)} />}
    </div>
  );
}
