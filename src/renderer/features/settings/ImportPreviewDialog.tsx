import { Autocomplete, Button, Checkbox } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ImportPreview } from '../../../shared/contract/imports.ts';
import { useAttempt, useLanguage, useSession } from '../../context.tsx';
import { useChannelName } from '../../ui/channel.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { formatDay } from '../../ui/format.ts';
import { ImportProblems } from './ImportProblems.tsx';

/** How to import what was previewed. */
export interface ImportChoice {
  /** Left out: that of the file, or `import`. */
  channel?: string;
  learn: boolean;
}

interface Props {
  preview: ImportPreview;
  /** Null if nothing is to be imported. */
  onChoose: (choice: ImportChoice | null) => void;
}

/** Says what an import would bring, and asks into which channel. */
export function ImportPreviewDialog({ preview, onChoose }: Props) {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const channelName = useChannelName();
  const { client } = useSession().api;
  const [channels, setChannels] = useState<string[]>([]);
  const [channel, setChannel] = useState('');
  const [learn, setLearn] = useState(false);
  useEffect(() => {
    void attempt(async () => setChannels((await client.chat.channels()).channels.map((one) => one.channel)));
  }, [attempt, client]);

  const { conversations, messages, onOtherBranches, known, deleted, forgotten, period, sources } = preview;
  const fresh = messages - known;
  const programs = sources.map(({ source, conversations: count }) =>
    t('settings.importSource', { source: t(`settings.importSources.${source}`), count }),
  );
  const isNothingNew = fresh === 0 && deleted === 0;
  const periodLine = (from: string, to: string) =>
    from === to ? t('settings.importDay', { day: from }) : t('settings.importPeriod', { from, to });
  const lines = [
    programs.join(' · '),
    period && periodLine(formatDay(period.from, language), formatDay(period.to, language)),
    t('settings.importMessages', { count: messages }),
    onOtherBranches > 0 && t('settings.importBranches', { count: onOtherBranches }),
    known > 0 && t('settings.importKnown', { count: known }),
    deleted > 0 && t('settings.importDeleted', { count: deleted }),
    forgotten > 0 && t('settings.importForgotten', { count: forgotten }),
  ].filter((line) => typeof line === 'string');
  const start = () => {
    const name = channel.trim();
    // A built-in channel is listed by its name in the language of the window.
    const chosen = channels.find((one) => channelName(one) === name) ?? name;
    onChoose({ learn, ...(chosen === '' ? {} : { channel: chosen }) });
  };
  return (
    <Dialog onClose={() => onChoose(null)} title={t('settings.importTitle', { count: conversations })}>
      <ul className="import-counts">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <ImportProblems problems={preview.problems} />
      <Autocomplete
        mt="md"
        openOnFocus={false}
        label={t('chat.channel')}
        description={t('settings.importChannelHint')}
        placeholder={channelName('import')}
        maxLength={100}
        data={[...new Set(channels.map(channelName))]}
        value={channel}
        onChange={setChannel}
      />
      <Checkbox
        mt="md"
        label={t('settings.importFacts')}
        description={t('settings.importFactsHint')}
        checked={learn}
        onChange={(event) => setLearn(event.currentTarget.checked)}
      />
      {isNothingNew && <p className="muted">{t('settings.importNothingNew')}</p>}
      <div className="dialog-actions">
        <Button
          variant={isNothingNew ? 'filled' : 'default'}
          data-autofocus={isNothingNew || undefined}
          onClick={() => onChoose(null)}
        >
          {t(isNothingNew ? 'common.close' : 'common.cancel')}
        </Button>
        <Button
          variant={isNothingNew ? 'default' : 'filled'}
          data-autofocus={!isNothingNew || undefined}
          onClick={start}
        >
          {t('settings.importData')}
        </Button>
      </div>
    </Dialog>
  );
}
