import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Backup } from '../../../shared/contract/app.ts';
import { useAttempt, useLanguage, useSession } from '../../context.tsx';
import { formatBytes, formatWhen } from '../../ui/format.ts';
import { useNow } from '../../ui/useNow.ts';

/** Makes a copy now, and tells when the latest one was made. */
export function BackupControl() {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const now = useNow();
  const { client } = useSession().api;
  const [latest, setLatest] = useState<Backup | null>(null);
  const [busy, setBusy] = useState(false);

  useEffect(() => {
    void attempt(async () => setLatest((await client.app.backups()).backups[0] ?? null));
  }, [attempt, client]);

  const backUp = async () => {
    setBusy(true);
    await attempt(async () => setLatest(await client.app.backUp({})));
    setBusy(false);
  };
  return (
    <div>
      <Button variant="default" size="xs" loading={busy} onClick={() => void backUp()}>
        {t('settings.backUpNow')}
      </Button>
      <div className="muted">
        {latest === null
          ? t('settings.noBackup')
          : t('settings.latestBackup', {
              when: formatWhen(latest.madeAt, now, language),
              size: formatBytes(latest.bytes, language),
            })}
      </div>
    </div>
  );
}
