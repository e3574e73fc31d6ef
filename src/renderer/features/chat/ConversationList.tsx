import { Button, Select, TextInput } from '@mantine/core';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ConversationRow } from '../../../shared/contract/chat.ts';
import { useAttempt } from '../../context.tsx';
import { useChannelName } from '../../ui/channel.ts';
import { calendarDays } from '../../ui/format.ts';
import { moveInList } from '../../ui/moveInList.ts';
import { useNow } from '../../ui/useNow.ts';
import { ChannelDialog } from './ChannelDialog.tsx';
import { ConversationItem } from './ConversationItem.tsx';
import { ARCHIVED, type ChatStore } from './chatStore.ts';
import { useConversationActions } from './useConversationActions.ts';

type Period = 'pinned' | 'today' | 'yesterday' | 'week' | 'older';

function periodOf({ pinned, updatedAt }: ConversationRow, now: number): Period {
  if (pinned) return 'pinned';
  const days = -calendarDays(updatedAt, now);
  if (days <= 0) return 'today';
  if (days === 1) return 'yesterday';
  return days < 7 ? 'week' : 'older';
}

/** Conversations of every channel or of one: pinned ones first, then the latest. */
export function ConversationList({ store }: { store: ChatStore }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const channelName = useChannelName();
  const { conversations, query, openId, channel, channels, archivedCount } = useStore(store);
  const [renaming, setRenaming] = useState<string | null>(null);
  const [moving, setMoving] = useState<ConversationRow | null>(null);
  const actions = useConversationActions(store);
  const now = useNow();

  const rows: ReactNode[] = [];
  let period: Period | null = null;
  for (const conversation of conversations) {
    const next = periodOf(conversation, now);
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
            if (title) actions.change(conversation, { title });
          }}
        />
      ) : (
        <ConversationItem
          key={conversation.id}
          conversation={conversation}
          isOpen={conversation.id === openId}
          showsChannel={channel === null}
          actions={actions}
          onOpen={() => void attempt(() => store.getState().open(conversation.id))}
          onRename={() => setRenaming(conversation.id)}
          onMove={() => setMoving(conversation)}
        />
      ),
    );
  }

  const filtered = query !== '' || channel !== null;
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
        {(channels.length > 1 || archivedCount > 0 || channel !== null) && (
          <Select
            size="xs"
            allowDeselect={false}
            aria-label={t('chat.channel')}
            value={channel ?? ''}
            onChange={(value) => void attempt(() => store.getState().setChannel(value || null))}
            data={[
              { value: '', label: t('chat.allChannels') },
              ...channels.map(({ channel: value, conversations: count }) => ({
                value,
                label: `${channelName(value)} (${count})`,
              })),
              ...(archivedCount > 0 || channel === ARCHIVED
                ? [{ value: ARCHIVED, label: t('chat.archived', { count: archivedCount }) }]
                : []),
            ]}
          />
        )}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside take the focus; this moves it among them. */}
      <div className="scroll" onKeyDown={(event) => moveInList(event, '[data-conversation]')}>
        {rows}
        {conversations.length === 0 && (
          <div className="list-heading">
            {filtered ? t('chat.noMatch') : t('chat.noList')}
            {filtered && (
              <Button
                variant="subtle"
                size="compact-xs"
                onClick={() => void attempt(() => store.getState().clearFilter())}
              >
                {t('chat.clearFilter')}
              </Button>
            )}
          </div>
        )}
      </div>
      {moving && (
        <ChannelDialog
          channel={moving.channel}
          channels={channels.map((one) => one.channel)}
          onClose={() => setMoving(null)}
          onChoose={(to) => {
            setMoving(null);
            actions.change(moving, { channel: to });
          }}
        />
      )}
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
