import { Button, Checkbox, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ConversationId } from '../../../shared/ids.ts';
import { paneStore, useApp, useAttempt } from '../../context.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { useRemoteHost } from '../../useRemoteHost.ts';
import { Answerer, ComposerBox, SentTo, useAttaching, useMemorylessModel } from './Composer.tsx';
import { isReplying } from './chatState.ts';
import { createMemorylessStore, type MemorylessStore } from './memorylessStore.ts';
import { Turns } from './Turns.tsx';

/** The one chat without memory of this window. */
export const useMemorylessStore = paneStore(createMemorylessStore);

interface Props {
  store: MemorylessStore;
  /** It is a conversation like every other now. */
  onKept: (id: ConversationId) => void;
  onClose: () => void;
}

/** The chat without memory, in the place of the open conversation. */
export function MemorylessChat({ store, onKept, onClose }: Props) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const isOver = useStore(store, (state) => state.isOver);
  const model = useMemorylessModel();
  const attaching = useAttaching(store);
  const send = () => void attempt(() => store.getState().send());
  return (
    <section className="main" aria-label={t('chat.memoryless.name')}>
      <Head store={store} onKept={onKept} onClose={onClose} />
      <Turns store={store} stored={null} />
      {isOver ? (
        <p className="composer muted" role="status">
          {t('chat.memoryless.isOver')}
        </p>
      ) : (
        <ComposerBox
          store={store}
          placeholder={t('chat.memoryless.placeholder')}
          isMemoryless
          attaching={attaching}
          onSend={send}
        >
          <Answerer name={model} model="chat.memoryless.modelHint" passages="chat.memoryless.answererHint" />
          <SentTo model={model} />
          <ReadsNotes store={store} model={model} />
        </ComposerBox>
      )}
    </section>
  );
}

/** What it means that the chat has no memory, and the two ways out of it. */
function Head({ store, onKept, onClose }: Props) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const isEmpty = useStore(store, ({ turns }) => turns.length === 0);
  const replying = useStore(store, isReplying);
  const isOver = useStore(store, (state) => state.isOver);
  const [isAsking, setAsking] = useState(false);
  const close = () => {
    store.getState().close();
    onClose();
  };
  const keep = () =>
    void attempt(async () => {
      const id = await store.getState().keep();
      if (id !== null) onKept(id);
    });
  return (
    <div className="memoryless-head">
      <p className="muted">{t('chat.memoryless.means')}</p>
      <div className="memoryless-acts">
        {!isEmpty && !isOver && (
          <Tooltip label={t('chat.memoryless.keepHint')} multiline w={300}>
            <Button variant="default" size="compact-sm" disabled={replying} onClick={keep}>
              {t('chat.memoryless.keep')}
            </Button>
          </Tooltip>
        )}
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => (isEmpty || isOver ? close() : setAsking(true))}
        >
          {t('common.close')}
        </Button>
      </div>
      {isAsking && (
        <Confirm
          title={t('chat.memoryless.closeTitle')}
          action={t('common.close')}
          onConfirm={close}
          onClose={() => setAsking(false)}
        >
          {t('chat.memoryless.closeBody')}
        </Confirm>
      )}
    </div>
  );
}

/** May the notes be read? Not for a model elsewhere that notes are not sent to. */
function ReadsNotes({ store, model }: { store: MemorylessStore; model: string }) {
  const { t } = useTranslation();
  const reads = useStore(store, (state) => state.readsNotes);
  const host = useRemoteHost(model);
  const mayBeSent = useApp(({ settings }) => settings['chat.sendNotes']);
  const isWithheld = host !== null && !mayBeSent;
  return (
    <Checkbox
      size="xs"
      label={isWithheld ? t('chat.memoryless.notesWithheld') : t('chat.memoryless.readNotes')}
      disabled={isWithheld}
      checked={reads && !isWithheld}
      onChange={(event) => store.getState().setReadsNotes(event.currentTarget.checked)}
    />
  );
}
