import { Button, Modal } from '@mantine/core';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DEFAULT_CHANNEL } from '../../../shared/channels.ts';
import { type Choices, choicesInForce } from '../../../shared/choices.ts';
import type { Settings } from '../../../shared/settings.ts';
import { useApp, useRead, useSession } from '../../context.tsx';
import { ChoicesFields } from '../../ui/ChoicesFields.tsx';
import { useChannelName } from '../../ui/channel.ts';

interface Props {
  settings: Settings;
  set: (patch: Partial<Settings>) => void;
}

/** What each channel has otherwise than elsewhere. */
export function ChannelsControl({ settings, set }: Props) {
  const { t } = useTranslation();
  const { client } = useSession().api;
  const channelName = useChannelName();
  const revision = useApp((state) => state.conversationsRevision);
  const [used, setUsed] = useState<readonly string[]>([]);
  const [edited, setEdited] = useState<string | null>(null);
  const { channelChoices } = settings;
  useRead(
    useCallback(
      async () => setUsed((await client.chat.channels()).channels.map(({ channel }) => channel)),
      [client],
    ),
    revision,
  );
  const channels = [...new Set([DEFAULT_CHANNEL, ...used, ...Object.keys(channelChoices)])];
  const describe = ({ model, systemPrompt, scope }: Choices) =>
    [model === 'passages' ? t('chat.answerer') : model, scope && t(`settings.scopes.${scope}`), systemPrompt]
      .filter(Boolean)
      .join(' · ');
  const save = (channel: string, choices: Choices) => {
    const others = Object.entries(channelChoices).filter(([other]) => other !== channel);
    const own = Object.keys(choices).length === 0 ? [] : [[channel, choices] as const];
    set({ channelChoices: Object.fromEntries([...others, ...own]) });
    setEdited(null);
  };
  return (
    <>
      <ul className="folder-list">
        {channels.map((channel) => (
          <li key={channel} className="row">
            <span className="row-label">
              {channelName(channel)}{' '}
              <span className="muted">
                {describe(channelChoices[channel] ?? {}) || t('choices.asElsewhere')}
              </span>
            </span>
            <Button
              variant="default"
              size="compact-sm"
              aria-label={t('choices.editChannel', { channel: channelName(channel) })}
              onClick={() => setEdited(channel)}
            >
              {t('choices.edit')}
            </Button>
          </li>
        ))}
      </ul>
      {edited !== null && (
        <ChannelDialog
          title={t('choices.ofChannel', { channel: channelName(edited) })}
          choices={channelChoices[edited] ?? {}}
          settings={settings}
          onSave={(choices) => save(edited, choices)}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  );
}

function ChannelDialog({
  title,
  choices: saved,
  settings,
  onSave,
  onClose,
}: {
  title: string;
  choices: Choices;
  settings: Settings;
  onSave: (choices: Choices) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const [choices, setChoices] = useState(saved);
  const elsewhere = choicesInForce({ ...settings, channelChoices: {} }, { channel: '' });
  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      <ChoicesFields choices={choices} elsewhere={elsewhere} onChange={setChoices} />
      <div className="dialog-actions">
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button onClick={() => onSave(choices)}>{t('common.save')}</Button>
      </div>
    </Modal>
  );
}
