import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { choicesInForce } from '../../../shared/choices.ts';
import type { ConversationRow } from '../../../shared/contract/chat.ts';
import { useApp, useAttempt } from '../../context.tsx';
import { ChoicesFields } from '../../ui/ChoicesFields.tsx';
import type { ConversationChange } from './chatState.ts';
import { FolderList } from './FolderList.tsx';

interface Props {
  conversation: ConversationRow;
  onSave: (change: ConversationChange) => Promise<void>;
  onClose: () => void;
}

/** What holds for one conversation alone. Nothing is changed until it is saved. */
export function ConversationSettings({ conversation, onSave, onClose }: Props) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const [folders, setFolders] = useState<readonly string[]>(conversation.folders);
  const [choices, setChoices] = useState(conversation.choices);
  const settings = useApp((state) => state.settings);
  const elsewhere = choicesInForce(settings, { channel: conversation.channel });
  const [path, setPath] = useState('');
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    await attempt(async () => {
      // What was typed is meant, whether or not it was added to the list.
      await onSave({ choices, folders: [...folders, path.trim()].filter((folder) => folder !== '') });
      onClose();
    });
    setBusy(false);
  };
  return (
    <Modal opened onClose={onClose} title={t('chat.settings')} size="lg">
      <FolderList folders={folders} onChange={setFolders} path={path} onPath={setPath} />
      <ChoicesFields choices={choices} elsewhere={elsewhere} onChange={setChoices} />
      <div className="dialog-actions">
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button loading={busy} onClick={() => void save()}>
          {t('common.save')}
        </Button>
      </div>
    </Modal>
  );
}
