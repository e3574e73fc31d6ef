import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { ConversationId } from '../../../shared/ids.ts';
import { paneStore, useApp, useAttempt } from '../../context.tsx';
import { useThrottled } from '../../ui/useThrottled.ts';
import { Composer } from './Composer.tsx';
import { ConversationList } from './ConversationList.tsx';
import { createChatStore } from './chatStore.ts';
import { Inspector } from './Inspector.tsx';
import { Turns } from './Turns.tsx';

const useChatStore = paneStore(createChatStore);

export function ChatPane() {
  const store = useChatStore();
  const attempt = useAttempt();
  const revision = useApp((state) => state.conversationsRevision);
  const notesRevision = useThrottled(
    useApp((state) => state.notesRevision),
    1_000,
  );
  const place = useApp((state) => state.place);
  const inspected = useStore(store, (state) => state.inspected);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision is what makes it read again.
  useEffect(() => {
    void attempt(() => store.getState().refreshList());
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
    const { openId, running } = store.getState();
    if (openId !== null && running === 0) void attempt(() => store.getState().open(openId));
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
