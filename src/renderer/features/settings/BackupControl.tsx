import { Alert, Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Backup } from '../../../shared/contract/data.ts';
import { describeTold } from '../../../shared/errors.ts';
import { useApp, useAttempt, useLanguage, useSession } from '../../context.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { formatBytes, formatMoment } from '../../ui/format.ts';

/** Makes a backup, lists the existing ones, and restores one. */
export function BackupControl() {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const [kept, setKept] = useState<Awaited<ReturnType<typeof client.data.backups>> | null>(null);
  const [busy, setBusy] = useState(false);
  const [restoring, setRestoring] = useState<Backup | null>(null);

  // The daily backup is a job, so the list may change when a job ends.
  const jobsRevision = useApp((state) => state.jobsRevision);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision is what makes it read again.
  useEffect(() => {
    void attempt(async () => setKept(await client.data.backups()));
  }, [attempt, client, jobsRevision]);

  const whileBusy = async (work: () => Promise<void>) => {
    setBusy(true);
    await attempt(work);
    setBusy(false);
  };
  const backUp = () =>
    whileBusy(async () => {
      try {
        await client.data.backUp({});
      } finally {
        setKept(await client.data.backups());
      }
    });
  // The core sends `reset` when it is done, and the window reloads.
  const restore = ({ path }: Backup) =>
    whileBusy(async () => {
      await client.data.restore({ path });
    }).then(() => setRestoring(null));

  const nameOf = ({ madeAt, bytes }: Backup) =>
    `${formatMoment(madeAt, language)}, ${formatBytes(bytes, language)}`;
  return (
    <div>
      <Button variant="default" size="xs" loading={busy} onClick={() => void backUp()}>
        {t('settings.backUpNow')}
      </Button>
      {kept?.problem && (
        <Alert color="red" mt="xs">
          {t('settings.backupFailed', { reason: describeTold(kept.problem, language) })}
        </Alert>
      )}
      {kept?.backups.length === 0 && <div className="muted">{t('settings.noBackup')}</div>}
      <ul className="backups">
        {kept?.backups.map((backup) => (
          <li key={backup.path}>
            <span className="row-label">{nameOf(backup)}</span>
            <Button
              variant="subtle"
              size="compact-xs"
              aria-label={t('settings.restoreOf', { name: nameOf(backup) })}
              onClick={() => setRestoring(backup)}
            >
              {t('settings.restore')}
            </Button>
          </li>
        ))}
      </ul>
      {restoring && (
        <Confirm
          title={t('settings.restoreTitle', { name: formatMoment(restoring.madeAt, language) })}
          action={t('settings.restore')}
          busy={busy}
          onConfirm={() => void restore(restoring)}
          onClose={() => setRestoring(null)}
        >
          {t('settings.restoreBody')}
        </Confirm>
      )}
    </div>
  );
}
