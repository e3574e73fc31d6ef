import { Skeleton } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useApp } from '../../context.tsx';
import { useDelayed } from '../../ui/useDelayed.ts';
import { type ChatStore, questionOf } from './chatStore.ts';
import { Reply } from './Reply.tsx';

export function Turns({ store }: { store: ChatStore }) {
  const { t } = useTranslation();
  const turns = useStore(store, (state) => state.turns);
  const streams = useStore(store, (state) => state.streams);
  const openId = useStore(store, (state) => state.openId);
  const loading = useDelayed(useStore(store, (state) => state.loading));
  const hasVault = useApp((state) => state.vaults.length > 0);
  const wantedTurn = useApp((state) => (state.place.pane === 'chat' ? state.place.turnId : undefined));
  const last = useRef<HTMLElement>(null);

  // A question is brought to the top of the view, so that its answer reads from its beginning.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new turn or another conversation scrolls.
  useEffect(() => {
    // Newer browsers return a promise, which must not be taken for a clean-up.
    last.current?.scrollIntoView({ block: 'start' });
  }, [turns.length, openId]);

  // A turn that another pane led to takes the focus, so that reading goes on from there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: turns that have just come may hold it.
  useEffect(() => {
    if (wantedTurn === undefined) return;
    const article = document.querySelector<HTMLElement>(`[data-turn="${wantedTurn}"]`);
    article?.scrollIntoView({ block: 'center' });
    article?.focus();
  }, [wantedTurn, turns.length, openId]);

  if (loading) {
    return (
      <div className="scroll" role="status" aria-busy aria-label={t('common.loading')}>
        <div className="turns">
          <Skeleton height={40} width="60%" ml="auto" />
          <Skeleton height={120} />
        </div>
      </div>
    );
  }
  if (openId === null && turns.length === 0) {
    return (
      <div className="scroll">
        <div className="turns empty">
          <h1>{t('chat.emptyTitle')}</h1>
          <p className="muted">{hasVault ? t('chat.emptyBody') : t('chat.emptyNoVault')}</p>
        </div>
      </div>
    );
  }
  return (
    <div className="scroll" data-turns>
      <div className="turns" aria-live="polite" aria-relevant="additions">
        {turns.map((turn, index) => (
          <article
            key={turn.id}
            ref={index === turns.length - 1 ? last : null}
            className="turn"
            data-turn={turn.id}
            tabIndex={-1}
          >
            {turn.replies.length === 0 ? (
              turn.messages.map((message) => (
                <div key={message.id} className={message.role === 'user' ? 'question' : 'imported'}>
                  {message.author && <div className="muted">{message.author}</div>}
                  {message.content}
                </div>
              ))
            ) : (
              <>
                <div className="question">{questionOf(turn)}</div>
                <Reply turn={turn} store={store} streaming={streams.get(turn.id) ?? null} />
              </>
            )}
          </article>
        ))}
      </div>
    </div>
  );
}
