import { Skeleton, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useApp } from '../../context.tsx';
import { useDelayed } from '../../ui/useDelayed.ts';
import { type ChatStore, isReplying } from './chatState.ts';
import { TurnList } from './TurnList.tsx';

/** The open conversation. */
export function Turns({ store }: { store: ChatStore }) {
  const { t } = useTranslation();
  const isEmpty = useStore(store, ({ openId, turns }) => openId === null && turns.length === 0);
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
          <h1>{t('chat.emptyTitle')}</h1>
          <p className="muted">{hasVault ? t('chat.emptyBody') : t('chat.emptyNoVault')}</p>
        </div>
      </div>
    );
  }
  return (
    <>
      <TurnList key={openId} store={store} />
      <ReplyStatus store={store} />
    </>
  );
}

/** Tells screen readers when a reply begins and ends. */
function ReplyStatus({ store }: { store: ChatStore }) {
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
