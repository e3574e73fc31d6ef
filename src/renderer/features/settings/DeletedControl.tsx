import { Button } from '@mantine/core';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Deleted } from '../../../shared/contract/data.ts';
import { useApp, useAttempt, useLanguage, useRead, useSession } from '../../context.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { formatWhen } from '../../ui/format.ts';
import { useNow } from '../../ui/useNow.ts';

/** Rows that are shown; the latest deletions come first. */
const SHOWN = 100;
const KIND = {
  conversations: 'settings.deletedConversation',
  facts: 'settings.deletedFact',
  vaults: 'settings.deletedVault',
} as const;

/** What was deleted or forgotten and can be restored, each with Restore and Erase now. */
export function DeletedControl() {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const [deleted, setDeleted] = useState<Deleted[]>([]);
  const [isErasing, setErasing] = useState(false);
  const [asking, setAsking] = useState<Deleted[]>([]);
  const [busy, setBusy] = useState(false);
  const readAgain = useCallback(async () => {
    const answer = await client.data.deleted();
    setDeleted(answer.deleted);
    setErasing(answer.erasing);
  }, [client]);
  // A deletion and a restoration are followed by jobs that start or end.
  const read = useRead(
    readAgain,
    useApp((state) => state.jobsRevision),
  );
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true);
    await attempt(async () => {
      await work();
      await readAgain();
    });
    setBusy(false);
    setAsking([]);
  };
  const items = (some: readonly Deleted[]) => some.map(({ what, id }) => ({ what, id }));
  if (read.state === 'failed') return <div role="alert">{read.message}</div>;
  return (
    <div>
      {deleted.length === 0 && read.state === 'ready' && (
        <div className="muted">{t('settings.deletedNone')}</div>
      )}
      <ul className="backups">
        {deleted.slice(0, SHOWN).map((one) => (
          <li key={`${one.what} ${one.id}`}>
            <span className="row-label" title={one.name}>
              {t(KIND[one.what], { name: one.name })}
              <span className="muted">
                {' '}
                {t('settings.deletedUntil', { when: formatWhen(one.eraseAt, now, language) })}
              </span>
            </span>
            <Button
              variant="subtle"
              size="compact-xs"
              disabled={busy}
              aria-label={t('settings.deletedRestoreOf', { name: one.name })}
              onClick={() => void act(() => client.data.restoreDeleted({ items: items([one]) }))}
            >
              {t('common.undo')}
            </Button>
            <Button
              variant="subtle"
              color="red"
              size="compact-xs"
              disabled={busy}
              aria-label={t('settings.deletedEraseOf', { name: one.name })}
              onClick={() => setAsking([one])}
            >
              {t('settings.deletedErase')}
            </Button>
          </li>
        ))}
      </ul>
      {deleted.length > 1 && (
        <Button variant="default" size="xs" disabled={busy} onClick={() => setAsking(deleted)}>
          {t('settings.deletedEraseAll')}
        </Button>
      )}
      <div className="muted" role="status">
        {isErasing && t('settings.deletedErasing')}
      </div>
      {asking.length > 0 && (
        <Confirm
          title={t('settings.deletedEraseTitle', { count: asking.length })}
          action={t('settings.deletedErase')}
          busy={busy}
          onConfirm={() => void act(() => client.data.eraseDeleted({ items: items(asking) }))}
          onClose={() => setAsking([])}
        >
          {t('settings.deletedEraseBody')}
        </Confirm>
      )}
    </div>
  );
}
