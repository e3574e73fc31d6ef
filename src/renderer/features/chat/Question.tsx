import { ActionIcon, Button, Textarea, Tooltip } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Attachment } from '../../../shared/contract/attachments.ts';
import type { Turn } from '../../../shared/contract/chat.ts';
import type { TurnId } from '../../../shared/ids.ts';
import { useAttempt } from '../../context.tsx';
import { PendingAttachments, SentAttachments } from './Attachments.tsx';
import { BranchSwitch } from './BranchSwitch.tsx';
import { type ChatStore, isReplying, questionOf } from './chatState.ts';

/** What was asked in a turn. It can be asked otherwise, and what was asked at its place before can be shown again. */
export function Question({ turn, store }: { turn: Turn; store: ChatStore }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const replying = useStore(store, isReplying);
  const [edited, setEdited] = useState<string | null>(null);
  const [kept, setKept] = useState<readonly Attachment[]>([]);
  const asked = questionOf(turn);

  const send = (text: string) => {
    setEdited(null);
    void attempt(async () => {
      try {
        await store.getState().editMessage(
          turn.id,
          text,
          kept.map(({ id }) => id),
        );
      } catch (error) {
        setEdited(text);
        throw error;
      }
    });
  };
  if (edited !== null)
    return (
      <EditedQuestion
        text={edited}
        attachments={kept}
        onDetach={(id) => setKept(kept.filter((one) => one.id !== id))}
        onChange={setEdited}
        onSend={send}
        onCancel={() => setEdited(null)}
      />
    );
  return (
    <>
      <div className="question">{asked}</div>
      <SentAttachments attachments={turn.attachments} />
      <div className="question-actions">
        <MessageSwitch turn={turn} store={store} />
        <Tooltip label={t('chat.editMessage')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('chat.editMessage')}
            disabled={replying}
            onClick={() => {
              setEdited(asked);
              setKept(turn.attachments);
            }}
          >
            <IconPencil size={16} />
          </ActionIcon>
        </Tooltip>
      </div>
    </>
  );
}

/** Switches between the turns at one place of a conversation; nothing where there is one alone. */
export function MessageSwitch({ turn, store }: { turn: Turn; store: ChatStore }) {
  const attempt = useAttempt();
  const replying = useStore(store, isReplying);
  if (turn.siblings.length < 2) return null;
  const choose = (place: number) => {
    const other = turn.siblings[place];
    if (other !== undefined)
      void attempt(async () => {
        await store.getState().showBranch(other);
        focusSwitch(other);
      });
  };
  return (
    <BranchSwitch
      of="message"
      at={turn.siblings.indexOf(turn.id)}
      count={turn.siblings.length}
      disabled={replying}
      onChoose={choose}
    />
  );
}

/** The switch of the turn that is shown now takes the focus of the one that was there: the arrow keys go on. */
function focusSwitch(turnId: TurnId): void {
  requestAnimationFrame(() =>
    document
      .querySelector<HTMLElement>(`[data-turn="${CSS.escape(turnId)}"] [data-switch="message"] button`)
      ?.focus({ preventScroll: true }),
  );
}

function EditedQuestion({
  text,
  attachments,
  onDetach,
  onChange,
  onSend,
  onCancel,
}: {
  text: string;
  attachments: readonly Attachment[];
  onDetach(id: string): void;
  onChange(text: string): void;
  onSend(text: string): void;
  onCancel(): void;
}) {
  const { t } = useTranslation();
  const isEmpty = text.trim() === '';
  return (
    <div className="question question-edited">
      <Textarea
        autosize
        autoFocus
        minRows={1}
        maxRows={10}
        variant="unstyled"
        aria-label={t('chat.editedMessage')}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Escape') onCancel();
          if (event.key !== 'Enter' || event.shiftKey) return;
          event.preventDefault();
          if (!isEmpty) onSend(text.trim());
        }}
      />
      <PendingAttachments
        pending={attachments.map((one) => ({ id: one.id, name: one.name, ready: one }))}
        onRemove={onDetach}
      />
      <p className="muted">{t('chat.editHint')}</p>
      <div className="question-edited-foot">
        <Button variant="default" size="compact-sm" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button size="compact-sm" disabled={isEmpty} onClick={() => onSend(text.trim())}>
          {t('chat.send')}
        </Button>
      </div>
    </div>
  );
}
