import { Skeleton, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useApp } from '../../context.tsx';
import { useDelayed } from '../../ui/useDelayed.ts';
import { type ChatStore, isReplying, type TalkStore } from './chatState.ts';
import { TurnList } from './TurnList.tsx';

/** Turns that are read, and what can be done to them. */
export interface TurnsProps {
  store: TalkStore;
  /** What can be done to turns that are stored; null in a chat without memory. */
  stored: ChatStore | null;
}

/** The open conversation. */
export function Turns({ store, stored }: TurnsProps) {
  const { t } = useTranslation();
  const isEmpty = useStore(
    store,
    ({ openId, turns }) => turns.length === 0 && (openId === null || stored === null),
  );
  const openId = useStore(store, (state) => state.openId);
  const loading = useDelayed(useStore(store, (state) => state.loading));
  const hasVault = useApp((state) => state.vaults.length > 0);

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
  if (isEmpty) {
    return (
      <div className="scroll">
        <div className="turns empty">
          <h1>{t(stored ? 'chat.emptyTitle' : 'chat.memoryless.name')}</h1>
          <p className="muted">
            {stored ? t(hasVault ? 'chat.emptyBody' : 'chat.emptyNoVault') : t('chat.memoryless.emptyBody')}
          </p>
        </div>
      </div>
    );
  }
  return (
    <>
      <TurnList key={openId} store={store} stored={stored} />
      <ReplyStatus store={store} />
    </>
  );
}

/** Tells screen readers when a reply begins and ends. */
function ReplyStatus({ store }: { store: TalkStore }) {
  const { t } = useTranslation();
  const replying = useStore(store, isReplying);
  const [began, setBegan] = useState(false);
  if (replying && !began) setBegan(true);
  return (
    <VisuallyHidden role="status">
      {replying ? t('chat.answering') : began ? t('chat.answered') : ''}
    </VisuallyHidden>
  );
}
