import { ActionIcon, FileButton, Textarea, Tooltip } from '@mantine/core';
import {
  IconArrowUp,
  IconPaperclip,
  IconPlayerStopFilled,
  IconQuote,
  IconWorldUpload,
} from '@tabler/icons-react';
import { type DragEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type StoreApi, useStore } from 'zustand';
import { choicesInForce } from '../../../shared/choices.ts';
import type { NoteId } from '../../../shared/ids.ts';
import type { Settings } from '../../../shared/settings.ts';
import { useApp, useAttempt } from '../../context.tsx';
import { keptHere } from '../../ui/keptHere.ts';
import { useRemoteHost } from '../../useRemoteHost.ts';
import { PendingAttachments } from './Attachments.tsx';
import {
  ARCHIVED,
  type AttachState,
  type ChatStore,
  isReplying,
  type Pending,
  type TalkState,
  type TalkStore,
} from './chatState.ts';
import type { MemorylessStore } from './memorylessStore.ts';
import { type NoteChoice, NotePicker, useNoteChoice, wantedNote, withNoteName } from './NotePicker.tsx';
import { useFits } from './useFits.ts';
import { useSendOnceRead } from './useSendOnceRead.ts';

/** The same list each time, so that nothing renders for it. */
const NOTHING: readonly Pending[] = [];
/** The channel of a new conversation. */
const NEW = 'chat';

/** How files and notes are attached to the message that is written. */
export function useAttaching(store: ChatStore | MemorylessStore): Attaching {
  const attempt = useAttempt();
  const pending = useStore<StoreApi<TalkState & AttachState>, readonly Pending[]>(
    store,
    (state) => state.attached[state.openId ?? ''] ?? NOTHING,
  );
  return {
    pending,
    attachFile: (file) => void attempt(() => store.getState().attachFile(file)),
    attachNote: (note) => void attempt(() => store.getState().attachNote(note)),
    detach: (id) => store.getState().detach(id),
  };
}

export function Composer({ store }: { store: ChatStore }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const model = useModelName(store);
  const attaching = useAttaching(store);
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
    <ComposerBox
      store={store}
      placeholder={t('chat.placeholder')}
      attaching={attaching}
      fits={useFits(store, attaching.pending)}
      onSend={send}
    >
      <Answerer name={model} model="chat.modelHint" passages="chat.answererHint" />
      <SentTo model={model} />
      {!gives && <span className="muted composer-hint">{t('chat.notGiven')}</span>}
    </ComposerBox>
  );
}

type Hint = 'modelHint' | 'answererHint' | 'memoryless.modelHint' | 'memoryless.answererHint';

/** What answers, and from what. */
export function Answerer({
  name: model,
  model: modelHint,
  passages,
}: {
  /** The model that answers, empty for Passages. */
  name: string;
  model: `chat.${Hint}`;
  passages: `chat.${Hint}`;
}) {
  const { t } = useTranslation();
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

/** Says before a message is sent that it leaves this computer, as the model of this very conversation has it. */
export function SentTo({ model }: { model: string }) {
  const { t } = useTranslation();
  const settings = useApp((state) => state.settings);
  const host = useRemoteHost(model);
  if (host === null) return null;
  return (
    <Tooltip
      label={t('settings.modelRemote', { host, kept: t(`settings.kept.${keptHere(settings)}`) })}
      multiline
      w={300}
      position="top-start"
      events={{ hover: true, focus: true, touch: true }}
    >
      <button type="button" className="mantine-focus-auto answerer sent-to">
        <IconWorldUpload size={14} aria-hidden /> {t('chat.sentTo', { host })}
      </button>
    </Tooltip>
  );
}

interface BoxProps {
  store: TalkStore;
  placeholder: string;
  /** What is typed must not be kept anywhere, by the browser neither. */
  isMemoryless?: boolean;
  attaching: Attaching;
  fits?: ReadonlyMap<string, number>;
  onSend: () => void;
  /** In the foot, before the buttons. */
  children: ReactNode;
}

/** The field of a message, and the buttons that send it or stop its reply. */
export function ComposerBox({
  store,
  placeholder,
  isMemoryless = false,
  attaching,
  fits,
  onSend,
  children,
}: BoxProps) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const openId = useStore(store, (state) => state.openId);
  const draft = useStore(store, (state) => state.drafts[state.openId ?? ''] ?? '');
  const replying = useStore(store, isReplying);
  const field = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState<number | null>(null);
  const wanted = caret !== null ? wantedNote(draft, caret) : null;
  const choice = useNoteChoice(wanted);
  const { isWaiting, send } = useSendOnceRead({ openId, draft, pending: attaching.pending }, onSend);
  const pick = (note: { id: NoteId; title: string }) => {
    store.getState().setDraft(withNoteName(draft, caret ?? draft.length, note.title));
    setCaret(null);
    attaching.attachNote(note);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: each conversation that opens takes the focus.
  useEffect(() => {
    field.current?.focus();
  }, [openId]);

  return (
    <div className="composer">
      {wanted !== null && <NotePicker choice={choice} onPick={pick} />}
      <div className="composer-box" data-memoryless={isMemoryless || undefined} {...dropping(attaching)}>
        <PendingAttachments
          pending={attaching.pending}
          {...(fits ? { fits } : {})}
          onRemove={attaching.detach}
        />
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
          {...(wanted !== null && choice.notes.length > 0
            ? {
                'aria-controls': 'note-picker',
                'aria-activedescendant': `note-choice-${choice.at}`,
              }
            : {})}
          onChange={(event) => {
            store.getState().setDraft(event.currentTarget.value);
            setCaret(event.currentTarget.selectionStart);
          }}
          onBlur={() => setCaret(null)}
          onKeyDown={(event) => {
            const chosen = wanted === null ? undefined : choice.notes[choice.at];
            if (chosen && !event.nativeEvent.isComposing && choosesNote(event, choice, () => pick(chosen)))
              return;
            if (wanted !== null && event.key === 'Escape') setCaret(null);
            // With an input method, Enter accepts a suggestion and must not send.
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        <div className="composer-foot">
          <AttachButton onFile={attaching.attachFile} />
          {children}
          <span className="rail-spacer" />
          <span className="muted" role="status">
            {isWaiting && t('attachment.sendsOnceRead')}
          </span>
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
            <ActionIcon
              size={32}
              aria-label={t('chat.send')}
              disabled={draft.trim() === '' || isWaiting}
              onClick={send}
            >
              <IconArrowUp size={18} />
            </ActionIcon>
          )}
        </div>
      </div>
    </div>
  );
}

/** How files and notes are attached to a message. */
interface Attaching {
  pending: readonly Pending[];
  attachFile(file: File): void;
  attachNote(note: { id: NoteId; title: string }): void;
  detach(id: string): void;
}

/** Files that are dropped on it are attached; text is left to the field. */
const dropping = ({ attachFile }: Attaching) => ({
  onDragOver: (event: DragEvent) => {
    if (event.dataTransfer.types.includes('Files')) event.preventDefault();
  },
  onDrop: (event: DragEvent) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    for (const file of event.dataTransfer.files) attachFile(file);
  },
});

/** Keys that choose among the notes that are offered. @returns whether it was one */
function choosesNote(event: KeyboardEvent, choice: NoteChoice, pick: () => void): boolean {
  if (event.key === 'ArrowDown') choice.move(1);
  else if (event.key === 'ArrowUp') choice.move(-1);
  else if (event.key === 'Enter' || event.key === 'Tab') pick();
  else return false;
  event.preventDefault();
  return true;
}

function AttachButton({ onFile }: { onFile(file: File): void }) {
  const { t } = useTranslation();
  return (
    <FileButton
      multiple
      onChange={(files) => {
        for (const file of files) onFile(file);
      }}
    >
      {(props) => (
        <Tooltip label={t('attachment.add')} events={{ hover: true, focus: true, touch: true }}>
          <ActionIcon {...props} variant="subtle" color="gray" size={32} aria-label={t('attachment.add')}>
            <IconPaperclip size={16} />
          </ActionIcon>
        </Tooltip>
      )}
    </FileButton>
  );
}

/** The model that answers the next message; empty for Passages. */
function useModelName(store: ChatStore): string {
  const settings = useApp((state) => state.settings);
  const place = useStore(store, ({ conversations, opened, openId, channel }) => {
    const open = [...conversations, ...(opened ? [opened] : [])].find(({ id }) => id === openId);
    return open ?? (channel === null || channel === ARCHIVED ? NEW : channel);
  });
  return modelIn(settings, typeof place === 'string' ? { channel: place } : place);
}

/** The model that answers a chat without memory, as a new conversation's; empty for Passages. */
export const useMemorylessModel = (): string => useApp(({ settings }) => modelIn(settings, { channel: NEW }));

function modelIn(settings: Settings, place: Parameters<typeof choicesInForce>[1]): string {
  const model = choicesInForce(settings, place).model ?? settings['chat.model'];
  return settings['chat.baseUrl'] === '' || model === 'passages' ? '' : model;
}
