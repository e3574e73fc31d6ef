import { ActionIcon, Menu, UnstyledButton } from '@mantine/core';
import {
  IconAdjustments,
  IconArchive,
  IconArchiveOff,
  IconDots,
  IconEraser,
  IconFileExport,
  IconFolderSymlink,
  IconNotebook,
  IconPencil,
  IconPin,
  IconPinFilled,
  IconStack2,
  IconTrash,
} from '@tabler/icons-react';
import { type KeyboardEvent, memo, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { DEFAULT_CHANNEL } from '../../../shared/channels.ts';
import type { ConversationRow } from '../../../shared/contract/chat.ts';
import { oneLine } from '../../../shared/oneLine.ts';
import { useChannelName } from '../../ui/channel.ts';
import type { ConversationActions } from './useConversationActions.ts';

/** Characters of the last message: more than fit in a line. */
const LINE = 100;

interface Props {
  conversation: ConversationRow;
  isOpen: boolean;
  /** When something was said in it last, in words. */
  when: string;
  /** Shows the channel, unless it is the window's own. */
  showsChannel: boolean;
  actions: ConversationActions;
  onOpen: (conversation: ConversationRow) => void;
  onRename: (conversation: ConversationRow) => void;
  onMove: (conversation: ConversationRow) => void;
  onSettings: (conversation: ConversationRow) => void;
  onSave: (conversation: ConversationRow) => void;
  onSummaries: (conversation: ConversationRow) => void;
}

/**
 * A row of the sidebar. Enter opens, F2 renames, P pins, A archives, M moves, O opens its settings, R shows summaries, E exports, S saves, F forgets, Delete
 * deletes; the menu has the same.
 */
export const ConversationItem = memo(function ConversationItem(props: Props) {
  const { conversation, isOpen, when, showsChannel, actions } = props;
  const { t } = useTranslation();
  const detailId = useId();
  const channelName = useChannelName();
  const { pinned, archived, title, channel, turns, lastMessage } = conversation;
  const pin = () => actions.change(conversation, { pinned: !pinned });
  const archive = () => actions.change(conversation, { archived: !archived });
  const remove = () => actions.remove(conversation);
  const rename = () => props.onRename(conversation);
  const move = () => props.onMove(conversation);
  const settings = () => props.onSettings(conversation);
  const summaries = () => props.onSummaries(conversation);
  const forget = () => actions.forget(conversation);
  const exportIt = () => actions.export(conversation);
  const save = () => props.onSave(conversation);

  const keys: Readonly<Record<string, () => void>> = {
    F2: rename,
    Delete: remove,
    p: pin,
    a: archive,
    m: move,
    o: settings,
    r: summaries,
    f: forget,
    e: exportIt,
    s: save,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  const items = [
    [t(pinned ? 'chat.unpin' : 'chat.pin'), pinned ? IconPinFilled : IconPin, pin, 'P'],
    [t('common.rename'), IconPencil, rename, 'F2'],
    [t('chat.move'), IconFolderSymlink, move, 'M'],
    [t('chat.settings'), IconAdjustments, settings, 'O'],
    [t(archived ? 'chat.unarchive' : 'chat.archive'), archived ? IconArchiveOff : IconArchive, archive, 'A'],
    [t('chat.exportMarkdown'), IconFileExport, exportIt, 'E'],
    [t('chat.saveToVault'), IconNotebook, save, 'S'],
    [t('summaries.open'), IconStack2, summaries, 'R'],
    [t('forget.conversation'), IconEraser, forget, 'F'],
    [t('common.delete'), IconTrash, remove, t('common.deleteKey')],
  ] as const;
  return (
    <div className="row" data-selected={isOpen}>
      <UnstyledButton
        className="row-label"
        data-conversation
        data-row-id={conversation.id}
        title={title}
        aria-label={title}
        aria-describedby={detailId}
        aria-current={isOpen ? 'true' : undefined}
        onClick={() => props.onOpen(conversation)}
        onKeyDown={onKeyDown}
      >
        <span className="row-title">{title}</span>
        <span className="row-detail" id={detailId}>
          {[when, t('chat.turnCount', { count: turns }), lastMessage && oneLine(lastMessage.text, LINE)]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </UnstyledButton>
      {showsChannel && channel !== DEFAULT_CHANNEL && (
        <span className="row-channel">{channelName(channel)}</span>
      )}
      <Menu position="bottom-end" withinPortal width={270} withInitialFocusPlaceholder={false}>
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
          {items.map(([label, Icon, run, key]) => (
            <Menu.Item
              key={label}
              leftSection={<Icon size={16} />}
              rightSection={<kbd>{key}</kbd>}
              onClick={run}
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
});
