import { Button, FileButton } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ImportId, ImportPreview } from '../../../shared/contract/imports.ts';
import { AppError } from '../../../shared/errors.ts';
import { EXPORT_BEGIN, EXPORT_HEAD, importPortions, readExport } from '../../../shared/exportFile.ts';
import type { NamedBlob } from '../../../shared/importFiles/blob.ts';
import { sendFiles } from '../../../shared/importFiles/sendFiles.ts';
import { parseJson } from '../../../shared/json.ts';
import { useAttempt, useSession } from '../../context.tsx';
import { ImportList } from './ImportList.tsx';
import { type ImportChoice, ImportPreviewDialog } from './ImportPreviewDialog.tsx';

const ACCEPTED = '.json,.zip,.md,.markdown,.txt,application/json,application/zip,text/markdown';

interface Previewed {
  id: ImportId;
  preview: ImportPreview;
}

/** Imports a Souvenir export at once; histories of other programs in the background, after a preview. */
export function ImportControl() {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { client } = useSession().api;
  // Without it, the same files chosen once more would be no change.
  const reset = useRef<() => void>(null);
  const [told, setTold] = useState('');
  const [busy, setBusy] = useState(false);
  const [previewed, setPreviewed] = useState<Previewed | null>(null);

  const importExport = async (file: File) => {
    const portions = readExport(parseJson(await file.text()));
    if (!portions) throw new AppError('IMPORT_NOTHING', { path: file.name });
    const sum = await importPortions(client, portions, (done) =>
      setTold(t('settings.importing', { done, total: portions.length })),
    );
    setTold(t('settings.imported', sum));
  };
  const send = async (files: readonly File[]) => {
    const share = (value: number) => setTold(t('settings.importSending', { share: value }));
    const id = await sendFiles(client, files.map(toBlob), share);
    setTold(t('settings.importReading'));
    const preview = await client.imports.preview({ id });
    setTold('');
    if (preview.conversations > 0) return setPreviewed({ id, preview });
    await client.imports.cancel({ id });
    throw new AppError('IMPORT_NOTHING', { path: files[0]?.name ?? '' });
  };
  const take = async (files: readonly File[]) => {
    const [first] = files;
    if (!first) return;
    setBusy(true);
    setTold('');
    await attempt(async () => {
      if (files.length === 1 && (await isExport(first))) await importExport(first);
      else await send(files);
    });
    reset.current?.();
    setBusy(false);
  };
  const choose = async ({ id }: Previewed, choice: ImportChoice | null) => {
    setPreviewed(null);
    await attempt(async () => {
      if (choice) await client.imports.start({ id, ...choice });
      else await client.imports.cancel({ id });
    });
  };
  return (
    <div>
      <FileButton multiple resetRef={reset} accept={ACCEPTED} onChange={(files) => void take(files)}>
        {(props) => (
          <Button {...props} variant="default" size="xs" loading={busy}>
            {t('settings.importDo')}
          </Button>
        )}
      </FileButton>
      <div className="muted" role="status">
        {told}
      </div>
      <ImportList />
      {previewed && (
        <ImportPreviewDialog
          preview={previewed.preview}
          onChoose={(choice) => void choose(previewed, choice)}
        />
      )}
    </div>
  );
}

const toBlob = (file: File): NamedBlob => ({
  name: file.name,
  modifiedAt: file.lastModified,
  blob: file,
});

async function isExport(file: File): Promise<boolean> {
  return EXPORT_BEGIN.test(await file.slice(0, EXPORT_HEAD).text());
}
