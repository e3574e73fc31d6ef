import { ActionIcon, Textarea, Tooltip } from '@mantine/core';
import { IconArrowUp, IconPlayerStopFilled, IconQuote } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useApp, useAttempt } from '../../context.tsx';
import { type ChatStore, isReplying, type TalkStore } from './chatState.ts';

export function Composer({ store }: { store: ChatStore }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const gives = useApp(({ settings }) => settings.autoRetrieve);
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
    <ComposerBox store={store} placeholder={t('chat.placeholder')} onSend={send}>
      <Answerer model="chat.modelHint" passages="chat.answererHint" />
      {!gives && <span className="muted composer-hint">{t('chat.notGiven')}</span>}
    </ComposerBox>
  );
}

type Hint = 'modelHint' | 'answererHint' | 'memoryless.modelHint' | 'memoryless.answererHint';

/** What answers, and from what. */
export function Answerer({
  model: modelHint,
  passages,
}: {
  model: `chat.${Hint}`;
  passages: `chat.${Hint}`;
}) {
  const { t } = useTranslation();
  const model = useApp(({ settings }) => (settings['chat.baseUrl'] === '' ? '' : settings['chat.model']));
  return (
    <Tooltip
      label={model ? t(modelHint, { model }) : t(passages)}
      multiline
      w={300}
      position="top-start"
      events={{ hover: true, focus: true, touch: true }}
    >
      <button type="button" className="mantine-focus-auto muted answerer">
        <IconQuote size={14} aria-hidden /> {model || t('chat.answerer')}
      </button>
    </Tooltip>
  );
}

interface BoxProps {
  store: TalkStore;
  placeholder: string;
  /** What is typed must not be kept anywhere, by the browser neither. */
  isMemoryless?: boolean;
  onSend: () => void;
  /** In the foot, before the buttons. */
  children: ReactNode;
}

/** The field of a message, and the buttons that send it or stop its reply. */
export function ComposerBox({ store, placeholder, isMemoryless = false, onSend, children }: BoxProps) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const openId = useStore(store, (state) => state.openId);
  const draft = useStore(store, (state) => state.drafts[state.openId ?? ''] ?? '');
  const replying = useStore(store, isReplying);
  const field = useRef<HTMLTextAreaElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each conversation that opens takes the focus.
  useEffect(() => {
    field.current?.focus();
  }, [openId]);

  return (
    <div className="composer">
      <div className="composer-box" data-memoryless={isMemoryless || undefined}>
        <Textarea
          ref={field}
          data-composer
          variant="unstyled"
          autosize
          minRows={1}
          maxRows={10}
          {...(isMemoryless ? { autoComplete: 'off' } : {})}
          aria-label={t('chat.composer')}
          placeholder={placeholder}
          value={draft}
          onChange={(event) => store.getState().setDraft(event.currentTarget.value)}
          onKeyDown={(event) => {
            // With an input method, Enter accepts a suggestion and must not send.
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            onSend();
          }}
        />
        <div className="composer-foot">
          {children}
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
            <ActionIcon size={32} aria-label={t('chat.send')} disabled={draft.trim() === ''} onClick={onSend}>
              <IconArrowUp size={18} />
            </ActionIcon>
          )}
        </div>
      </div>
    </div>
  );
}
