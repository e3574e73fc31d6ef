import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { writeExport } from '../../../shared/exportFile.ts';
import { useAttempt, useSession } from '../../context.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { download } from '../../ui/download.ts';

/** Exports everything that cannot be derived into one file. */
export function ExportControl() {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    await attempt(async () => {
      const pieces: string[] = [];
      for await (const piece of writeExport(await client.data.export())) pieces.push(piece);
      download(`souvenir-${new Date().toISOString().slice(0, 10)}.json`, pieces, 'application/json');
    });
    setBusy(false);
  };
  return (
    <Button variant="default" size="xs" loading={busy} onClick={() => void save()}>
      {t('settings.exportDo')}
    </Button>
  );
}

/** Erases everything, after a confirmation: this cannot be undone. */
export function EraseControl() {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const erase = async () => {
    setBusy(true);
    // The core sends `reset` when it is done, and the window reloads.
    await attempt(() => client.data.erase());
    setBusy(false);
    setAsking(false);
  };
  return (
    <>
      <Button variant="default" color="red" size="xs" onClick={() => setAsking(true)}>
        {t('settings.eraseDo')}
      </Button>
      {asking && (
        <Confirm
          title={t('settings.erase')}
          action={t('settings.eraseConfirm')}
          busy={busy}
          onConfirm={() => void erase()}
          onClose={() => setAsking(false)}
        >
          {t('settings.eraseBody')}
        </Confirm>
      )}
    </>
  );
}
