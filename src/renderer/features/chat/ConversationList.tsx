import { ActionIcon, Button, Menu, TextInput, UnstyledButton } from '@mantine/core';
import { IconDots, IconPencil, IconPlus, IconSearch, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ConversationRow } from '../../../shared/contract/chat.ts';
import { useAttempt } from '../../context.tsx';
import { calendarDays } from '../../ui/format.ts';
import { moveInList } from '../../ui/moveInList.ts';
import { showUndo } from '../../ui/undo.tsx';
import { useNow } from '../../ui/useNow.ts';
import type { ChatStore } from './chatStore.ts';

type Period = 'today' | 'yesterday' | 'week' | 'older';

function periodOf(at: number, now: number): Period {
  const days = -calendarDays(at, now);
  if (days <= 0) return 'today';
  if (days === 1) return 'yesterday';
  return days < 7 ? 'week' : 'older';
}

export function ConversationList({ store }: { store: ChatStore }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const conversations = useStore(store, (state) => state.conversations);
  const query = useStore(store, (state) => state.query);
  const openId = useStore(store, (state) => state.openId);
  const [renaming, setRenaming] = useState<string | null>(null);
  const now = useNow();

  const remove = (conversation: ConversationRow) =>
    void attempt(async () => {
      await store.getState().remove(conversation.id);
      showUndo(
        t('chat.removed', { title: conversation.title }),
        t('common.undo'),
        () => void attempt(() => store.getState().restore(conversation.id)),
      );
    });

  const rows: ReactNode[] = [];
  let period: Period | null = null;
  for (const conversation of conversations) {
    const next = periodOf(conversation.updatedAt, now);
    if (next !== period) {
      period = next;
      rows.push(
        <div key={next} className="list-heading">
          {t(`chat.${next}`)}
        </div>,
      );
    }
    rows.push(
      renaming === conversation.id ? (
        <RenameField
          key={conversation.id}
          title={conversation.title}
          label={t('chat.renameTitle')}
          onEnd={(title) => {
            setRenaming(null);
            if (title) void attempt(() => store.getState().rename(conversation.id, title));
          }}
        />
      ) : (
        <div key={conversation.id} className="row" data-selected={conversation.id === openId}>
          <UnstyledButton
            className="row-label"
            data-conversation
            title={conversation.title}
            aria-current={conversation.id === openId ? 'true' : undefined}
            onClick={() => void attempt(() => store.getState().open(conversation.id))}
            onKeyDown={(event) => {
              if (event.key === 'Delete') remove(conversation);
              if (event.key === 'F2') setRenaming(conversation.id);
            }}
          >
            {conversation.title}
          </UnstyledButton>
          <Menu position="bottom-end" withinPortal>
            <Menu.Target>
              <ActionIcon
                className="row-actions"
                variant="subtle"
                color="gray"
                size={24}
                aria-label={t('common.more')}
              >
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setRenaming(conversation.id)}>
                {t('common.rename')}
              </Menu.Item>
              <Menu.Item leftSection={<IconTrash size={16} />} onClick={() => remove(conversation)}>
                {t('common.delete')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </div>
      ),
    );
  }

  return (
    <nav className="side" aria-label={t('chat.list')}>
      <div className="side-head">
        <Button
          variant="default"
          justify="flex-start"
          leftSection={<IconPlus size={16} />}
          onClick={() => void store.getState().open(null)}
        >
          {t('chat.new')}
        </Button>
        <TextInput
          data-pane-search
          size="xs"
          leftSection={<IconSearch size={14} />}
          placeholder={t('chat.searchList')}
          aria-label={t('chat.searchList')}
          value={query}
          onChange={(event) => {
            const { value } = event.currentTarget;
            void attempt(() => store.getState().setQuery(value));
          }}
        />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside take the focus; this moves it among them. */}
      <div className="scroll" onKeyDown={(event) => moveInList(event, '[data-conversation]')}>
        {rows}
        {conversations.length === 0 && (
          <div className="list-heading">
            {query === '' ? t('chat.noList') : t('chat.noMatch')}
            {query !== '' && (
              <Button
                variant="subtle"
                size="compact-xs"
                onClick={() => void attempt(() => store.getState().setQuery(''))}
              >
                {t('chat.clearFilter')}
              </Button>
            )}
          </div>
        )}
      </div>
    </nav>
  );
}

function RenameField({
  title,
  label,
  onEnd,
}: {
  title: string;
  label: string;
  onEnd: (title: string | null) => void;
}) {
  const [value, setValue] = useState(title);
  return (
    <TextInput
      autoFocus
      size="xs"
      mx={8}
      my={3}
      aria-label={label}
      value={value}
      onChange={(event) => setValue(event.currentTarget.value)}
      onFocus={(event) => event.currentTarget.select()}
      onBlur={() => onEnd(value.trim() === title ? null : value.trim())}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') {
          event.stopPropagation();
          onEnd(null);
        }
      }}
    />
  );
}
