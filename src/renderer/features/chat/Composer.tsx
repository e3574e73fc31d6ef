import { ActionIcon, Textarea, Tooltip } from '@mantine/core';
import { IconArrowUp, IconPlayerStopFilled, IconQuote } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useApp, useAttempt } from '../../context.tsx';
import { type ChatStore, isReplying } from './chatState.ts';

export function Composer({ store }: { store: ChatStore }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const openId = useStore(store, (state) => state.openId);
  const draft = useStore(store, (state) => state.drafts[state.openId ?? ''] ?? '');
  const replying = useStore(store, isReplying);
  const model = useApp(({ settings }) => (settings['chat.baseUrl'] === '' ? '' : settings['chat.model']));
  const gives = useApp(({ settings }) => settings.autoRetrieve);
  const field = useRef<HTMLTextAreaElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each conversation that opens takes the focus.
  useEffect(() => {
    field.current?.focus();
  }, [openId]);

  const forget = useApp((state) => state.forget);
  const send = () =>
    void attempt(async () => {
      const request = await store.getState().send();
      if (request.asks === 'nothing') return;
      forget({
        ...(request.asks === 'plan' ? request : { subject: null, recent: request.recent }),
        onSend: () => void attempt(() => store.getState().send(true)),
        onForgotten: () => store.getState().setDraft(''),
      });
    });

  return (
    <div className="composer">
      <div className="composer-box">
        <Textarea
          ref={field}
          data-composer
          variant="unstyled"
          autosize
          minRows={1}
          maxRows={10}
          aria-label={t('chat.composer')}
          placeholder={t('chat.placeholder')}
          value={draft}
          onChange={(event) => store.getState().setDraft(event.currentTarget.value)}
          onKeyDown={(event) => {
            // With an input method, Enter accepts a suggestion and must not send.
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        <div className="composer-foot">
          <Tooltip
            label={model ? t('chat.modelHint', { model }) : t('chat.answererHint')}
            multiline
            w={300}
            position="top-start"
            events={{ hover: true, focus: true, touch: true }}
          >
            <button type="button" className="mantine-focus-auto muted answerer">
              <IconQuote size={14} aria-hidden /> {model || t('chat.answerer')}
            </button>
          </Tooltip>
          {!gives && <span className="muted composer-hint">{t('chat.notGiven')}</span>}
          <span className="rail-spacer" />
          {replying && (
            <ActionIcon
              variant="default"
              size={32}
              aria-label={t('chat.stop')}
              onClick={() => void attempt(() => store.getState().stop())}
            >
              <IconPlayerStopFilled size={16} />
            </ActionIcon>
          )}
          {(!replying || draft.trim() !== '') && (
            <ActionIcon size={32} aria-label={t('chat.send')} disabled={draft.trim() === ''} onClick={send}>
              <IconArrowUp size={18} />
            </ActionIcon>
          )}
        </div>
      </div>
    </div>
  );
}
