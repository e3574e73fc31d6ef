import { Button, Radio, Select } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import { useApp, useAttempt, useSession } from '../../context.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { showNotice } from '../../ui/undo.tsx';

interface Props {
  what: { conversationId: ConversationId } | { turnId: TurnId };
  onClose: () => void;
}

/** Asks where to save a conversation or an answer: a note of its own, or the daily note. */
export function SaveToVaultDialog({ what, onClose }: Props) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const vaults = useApp((state) => state.vaults);
  const [vaultId, setVaultId] = useState<string | null>(vaults[0]?.id ?? null);
  const [where, setWhere] = useState<'note' | 'daily-note'>('note');
  const [busy, setBusy] = useState(false);
  const save = async () => {
    if (vaultId === null) return;
    setBusy(true);
    await attempt(async () => {
      const { path } = await client.chat.saveToVault({ vaultId, what, where });
      showNotice(t('chat.savedToVault', { path }), []);
      onClose();
    });
    setBusy(false);
  };
  return (
    <Dialog onClose={onClose} title={t('chat.saveToVault')}>
      {vaults.length === 0 && <p>{t('chat.saveNoVault')}</p>}
      {vaults.length > 1 && (
        <Select
          mb="md"
          label={t('chat.saveVault')}
          allowDeselect={false}
          data={vaults.map(({ id, name }) => ({ value: id, label: name }))}
          value={vaultId}
          onChange={setVaultId}
        />
      )}
      <Radio.Group
        label={t('chat.saveWhere')}
        value={where}
        onChange={(value) => setWhere(value === 'note' ? 'note' : 'daily-note')}
      >
        <Radio mt="xs" value="note" label={t('chat.saveNote')} description={t('chat.saveNoteHint')} />
        <Radio mt="xs" value="daily-note" label={t('chat.saveDaily')} />
      </Radio.Group>
      <div className="dialog-actions">
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button data-autofocus loading={busy} disabled={vaultId === null} onClick={() => void save()}>
          {t('chat.saveDo')}
        </Button>
      </div>
    </Dialog>
  );
}
