import { Autocomplete, Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/Dialog.tsx';

interface Props {
  channel: string;
  channels: readonly string[];
  onChoose: (channel: string) => void;
  onClose: () => void;
}

/** Asks for the channel of a conversation: an existing one or a new name. */
export function ChannelDialog({ channel, channels, onChoose, onClose }: Props) {
  const { t } = useTranslation();
  const [value, setValue] = useState('');
  const name = value.trim();
  const choose = () => {
    if (name !== '' && name !== channel) onChoose(name);
  };
  return (
    <Dialog onClose={onClose} title={t('chat.move')}>
      <Autocomplete
        data-autofocus
        // The list opens by typing or by an arrow key, so that one Escape closes the dialog.
        openOnFocus={false}
        label={t('chat.channel')}
        description={t('chat.moveHint')}
        maxLength={100}
        data={channels.filter((one) => one !== channel)}
        value={value}
        onChange={setValue}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) choose();
        }}
      />
      <div className="dialog-actions">
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button disabled={name === '' || name === channel} onClick={choose}>
          {t('chat.moveDo')}
        </Button>
      </div>
    </Dialog>
  );
}
