import { Button } from '@mantine/core';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BackupErasure, Untouched } from '../../../shared/contract/forget.ts';
import { describeTold } from '../../../shared/errors.ts';
import { useApp, useAttempt, useLanguage, useRead, useSession } from '../../context.tsx';
import { formatMoment } from '../../ui/format.ts';

interface Props {
  backups: Untouched['backups'];
  /** It was erased, so that backups can be rewritten without it. */
  canErase: boolean;
}

/** The backups that hold it, by date, and how far they have been rewritten. */
export function Backups({ backups, canErase }: Props) {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const [erasure, setErasure] = useState<BackupErasure | null>(null);
  const isAsked = erasure !== null;
  useRead(
    useCallback(async () => {
      if (isAsked) setErasure(await client.forget.backupErasure());
    }, [client, isAsked]),
    useApp((state) => state.backupsRevision),
  );
  const stateOf = (path: string): string => {
    const copy = erasure?.copies.find((one) => one.path === path);
    if (!copy) return '';
    return copy.problem
      ? t('forget.backupFailed', { reason: describeTold(copy.problem, language) })
      : t(copy.state === 'done' ? 'forget.backupDone' : 'forget.backupWaiting');
  };
  const isClean = erasure?.copies.every(({ state }) => state === 'done');
  return (
    <>
      <h3>{t('forget.backups', { count: backups.length })}</h3>
      {backups.length > 0 && (
        <p className="muted">{t(canErase ? 'forget.backupsHint' : 'forget.backupsLater')}</p>
      )}
      <ul>
        {backups.map(({ path, madeAt }) => (
          <li key={path} title={path}>
            {formatMoment(madeAt, language)} <span className="muted">{stateOf(path)}</span>
          </li>
        ))}
      </ul>
      {canErase && backups.length > 0 && (
        <div className="forget-acts">
          {!isAsked && (
            <Button
              variant="default"
              size="xs"
              onClick={() => void attempt(async () => setErasure(await client.forget.eraseFromBackups()))}
            >
              {t('forget.eraseBackups')}
            </Button>
          )}
          <span role="status">
            {erasure?.running && t('forget.backupsRunning')}
            {isClean && t('forget.backupsClean')}
          </span>
        </div>
      )}
    </>
  );
}
