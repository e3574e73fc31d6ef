import { Button, FileButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ImportFile } from '../../../shared/contract/chat.ts';
import { importPortions, readExport, writeExport } from '../../../shared/exportFile.ts';
import { parseJson } from '../../../shared/json.ts';
import { showError, useAttempt, useSession } from '../../context.tsx';
import { Confirm } from '../../ui/Confirm.tsx';

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
      const url = URL.createObjectURL(new Blob(pieces, { type: 'application/json' }));
      const link = document.createElement('a');
      link.href = url;
      link.download = `souvenir-${new Date().toISOString().slice(0, 10)}.json`;
      link.click();
      // By then the browser has read it.
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    });
    setBusy(false);
  };
  return (
    <Button variant="default" size="xs" loading={busy} onClick={() => void save()}>
      {t('settings.exportDo')}
    </Button>
  );
}

/** Conversations per call when the export of another program is imported. */
const CONVERSATIONS_AT_ONCE = 20;

/** Imports a Souvenir export or a file of conversations. What is already there stays. */
export function ImportControl() {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const [told, setTold] = useState('');
  const [busy, setBusy] = useState(false);

  const read = async (text: string): Promise<void> => {
    const document = parseJson(text);
    const portions = readExport(document);
    if (portions) {
      const sum = await importPortions(client, portions, (done) =>
        setTold(t('settings.importing', { done, total: portions.length })),
      );
      setTold(t('settings.imported', sum));
      return;
    }
    const parsed = ImportFile.safeParse(document);
    if (!parsed.success) {
      setTold('');
      showError(t('settings.importInvalid'));
      return;
    }
    const sum = { added: 0, restored: 0, unchanged: 0, leftOut: 0, forgotten: 0 };
    const { conversations } = parsed.data;
    for (let at = 0; at < conversations.length; at += CONVERSATIONS_AT_ONCE) {
      setTold(t('settings.importing', { done: at, total: conversations.length }));
      const report = await client.chat.import({
        conversations: conversations.slice(at, at + CONVERSATIONS_AT_ONCE),
      });
      sum.added += report.messages;
      sum.restored += report.restored;
      sum.unchanged += report.unchanged;
      sum.forgotten += report.forgotten;
    }
    setTold(t('settings.imported', sum));
  };
  const take = async (file: File | null) => {
    if (!file) return;
    setBusy(true);
    await attempt(async () => read(await file.text()));
    setBusy(false);
  };
  return (
    <div>
      <FileButton accept="application/json,.json" onChange={(file) => void take(file)}>
        {(props) => (
          <Button {...props} variant="default" size="xs" loading={busy}>
            {t('settings.importDo')}
          </Button>
        )}
      </FileButton>
      <div className="muted" role="status">
        {told}
      </div>
    </div>
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
