import { Button, Select, TextInput, VisuallyHidden } from '@mantine/core';
import { IconMessageOff, IconPlus, IconSearch } from '@tabler/icons-react';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import type { ConversationRow } from '../../../shared/contract/chat.ts';
import { useAttempt, useLanguage } from '../../context.tsx';
import { useChannelName } from '../../ui/channel.ts';
import { folderName, formatWhen } from '../../ui/format.ts';
import { useNow } from '../../ui/useNow.ts';
import { useRows } from '../../ui/useRows.ts';
import { ChannelDialog } from './ChannelDialog.tsx';
import { ConversationItem } from './ConversationItem.tsx';
import { ConversationSettings } from './ConversationSettings.tsx';
import { ARCHIVED, type ChatState, type ChatStore } from './chatState.ts';
import { toRows } from './conversationRows.ts';
import type { MemorylessStore } from './memorylessStore.ts';
import { SaveToVaultDialog } from './SaveToVaultDialog.tsx';
import { SummariesDrawer } from './SummariesDrawer.tsx';
import { useConversationActions } from './useConversationActions.ts';

/** Conversations of every channel or of one: pinned ones first, then the latest. */
export function ConversationList({ store, memoryless }: { store: ChatStore; memoryless: MemorylessStore }) {
  const { t } = useTranslation();
  return (
    <nav className="side" aria-label={t('chat.list')}>
      <ListFilter store={store} memoryless={memoryless} />
      <Conversations store={store} />
    </nav>
  );
}

function ListFilter({ store, memoryless }: { store: ChatStore; memoryless: MemorylessStore }) {
  const { t } = useTranslation();
  const isUnderWay = useStore(memoryless, ({ turns }) => turns.length > 0);
  const showsMemoryless = useStore(store, (state) => state.showsMemoryless);
  const attempt = useAttempt();
  const channelName = useChannelName();
  const { query, channel, channels, archivedCount, folder, folders } = useStore(
    store,
    useShallow(({ query, channel, channels, archivedCount, folder, folders }) => ({
      query,
      channel,
      channels,
      archivedCount,
      folder,
      folders,
    })),
  );
  return (
    <div className="side-head">
      <Button
        variant="default"
        justify="flex-start"
        leftSection={<IconPlus size={16} />}
        onClick={() => {
          store.getState().showMemoryless(false);
          void store.getState().open(null);
        }}
      >
        {t('chat.new')}
      </Button>
      <Button
        className="memoryless-open"
        variant="default"
        justify="flex-start"
        leftSection={<IconMessageOff size={16} />}
        rightSection={
          isUnderWay && (
            <span className="dot" title={t('chat.memoryless.underWay')}>
              <VisuallyHidden>{t('chat.memoryless.underWay')}</VisuallyHidden>
            </span>
          )
        }
        aria-current={showsMemoryless || undefined}
        onClick={() => store.getState().showMemoryless(true)}
      >
        {t('chat.memoryless.name')}
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
      {(folders.length > 0 || folder !== null) && (
        <Select
          size="xs"
          allowDeselect={false}
          searchable={folders.length > MANY_FOLDERS}
          aria-label={t('chat.folder')}
          value={folder ?? ''}
          onChange={(value) => void attempt(() => store.getState().setFolder(value || null))}
          data={[
            { value: '', label: t('chat.allFolders') },
            ...offeredFolders(folders, folder).map((one) => ({
              value: one.folder,
              label: `${nameAmong(one.folder, folders)} (${one.conversations})`,
            })),
          ]}
        />
      )}
    </div>
  );
}

/** More than can be found at a glance. */
const MANY_FOLDERS = 8;

/** Every folder that can be chosen; the chosen one even after its last conversation was untied or archived. */
function offeredFolders(folders: ChatState['folders'], chosen: string | null): ChatState['folders'] {
  const isListed = chosen === null || folders.some(({ folder }) => folder === chosen);
  return isListed ? folders : [...folders, { folder: chosen, conversations: 0 }];
}

/** A folder's own name; its path where another folder has the same name. */
function nameAmong(folder: string, folders: ChatState['folders']): string {
  const name = folderName(folder);
  const isShared = folders.some((other) => other.folder !== folder && folderName(other.folder) === name);
  return isShared ? folder : name;
}

/** Heights of a row and of a heading, in pixels, as in styles.css. */
const ROW_PX = 40;
const HEADING_PX = 32;

/** The rows; only those in view are in the page. */
function Conversations({ store }: { store: ChatStore }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const conversations = useStore(store, (state) => state.conversations);
  const openId = useStore(store, (state) => (state.showsMemoryless ? null : state.openId));
  const showsChannel = useStore(store, (state) => state.channel === null);
  const [renaming, setRenaming] = useState<string | null>(null);
  const [moving, setMoving] = useState<ConversationRow | null>(null);
  const [adjusted, setAdjusted] = useState<ConversationRow | null>(null);
  const [saving, setSaving] = useState<ConversationRow | null>(null);
  const [summarised, setSummarised] = useState<ConversationRow | null>(null);
  const actions = useConversationActions(store);
  const now = useNow();
  const language = useLanguage();
  const rows = useMemo(() => toRows(conversations, now), [conversations, now]);

  const { scroll, virtualizer, focusAt, target } = useRows({
    ids: useMemo(() => rows.map(({ id }) => id), [rows]),
    sizeAt: (index) => (rows[index]?.kind === 'heading' ? HEADING_PX : ROW_PX),
    takesFocus: (index) => rows[index]?.kind === 'conversation',
  });
  const open = useCallback(
    ({ id }: ConversationRow) => {
      store.getState().showMemoryless(false);
      void attempt(() => store.getState().open(id));
    },
    [attempt, store],
  );
  const rename = useCallback(({ id }: ConversationRow) => setRenaming(id), []);

  if (conversations.length === 0) return <NoConversation store={store} />;
  return (
    <>
      <div
        ref={scroll}
        className="scroll"
        role="list"
        aria-label={t('chat.list')}
        onKeyDown={(event) => {
          const from = (event.target as HTMLElement).closest<HTMLElement>('[data-conversation]');
          const to =
            from &&
            target(
              event,
              rows.findIndex(({ id }) => id === from.dataset.rowId),
            );
          if (to === null) return;
          event.preventDefault();
          focusAt(to);
        }}
      >
        <div className="virtual" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            if (!row) return null;
            const place = { className: 'virtual-row', style: { transform: `translateY(${start}px)` } };
            if (row.kind === 'heading')
              return (
                <div key={row.id} {...place}>
                  <div className="list-heading">{t(`chat.${row.period}`)}</div>
                </div>
              );
            const { conversation } = row;
            return (
              <div key={row.id} {...place} role="listitem" data-row={row.id}>
                {renaming === conversation.id ? (
                  <RenameField
                    title={conversation.title}
                    label={t('chat.renameTitle')}
                    onEnd={(title) => {
                      setRenaming(null);
                      if (title) actions.change(conversation, { title });
                    }}
                  />
                ) : (
                  <ConversationItem
                    conversation={conversation}
                    isOpen={conversation.id === openId}
                    when={formatWhen(conversation.updatedAt, now, language)}
                    showsChannel={showsChannel}
                    actions={actions}
                    onOpen={open}
                    onRename={rename}
                    onMove={setMoving}
                    onSettings={setAdjusted}
                    onSave={setSaving}
                    onSummaries={setSummarised}
                  />
                )}
              </div>
            );
          })}
        </div>
      </div>
      {adjusted && (
        <ConversationSettings
          conversation={adjusted}
          onClose={() => setAdjusted(null)}
          onSave={(change) => store.getState().change(adjusted.id, change)}
        />
      )}
      {saving && <SaveToVaultDialog what={{ conversationId: saving.id }} onClose={() => setSaving(null)} />}
      {summarised && <SummariesDrawer conversation={summarised} onClose={() => setSummarised(null)} />}
      {moving && (
        <ChannelDialog
          channel={moving.channel}
          channels={store.getState().channels.map((one) => one.channel)}
          onClose={() => setMoving(null)}
          onChoose={(to) => {
            setMoving(null);
            actions.change(moving, { channel: to });
          }}
        />
      )}
    </>
  );
}

function NoConversation({ store }: { store: ChatStore }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const filtered = useStore(
    store,
    ({ query, channel, folder }) => query !== '' || channel !== null || folder !== null,
  );
  return (
    <div className="scroll">
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
    </div>
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
      my={2}
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
